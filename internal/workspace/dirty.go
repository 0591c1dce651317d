package workspace

import (
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
)

// Dirty reports whether a file isn't on disk as the workspace has it: never persisted, to
// be renamed, or with bytes other than the persisted baseline of its disk path (spec
// §2.6). Only contents of equal length at different places are read.
func (b *Baselines) Dirty(store content.Store, path string, f File) (bool, error) {
	if f.Disk != path {
		return true, nil
	}
	p, ok := b.Persisted(path)
	if !ok {
		return true, nil
	}
	same, err := content.Equal(store, f.Content, p.Content)
	if err != nil {
		return false, fmt.Errorf("content of %s: %w", path, err)
	}
	return !same, nil
}

// Unsaved returns the paths of all dirty files and the disk paths of all pending
// deletions, sorted together (spec §8.9).
func (b *Baselines) Unsaved(store content.Store, w *Workspace) ([]string, error) {
	list := w.PendingDisks()
	for path, f := range w.All() {
		dirty, err := b.Dirty(store, path, f)
		if err != nil {
			return nil, err
		}
		if dirty {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list, nil
}
