package workspace

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Stray is a workspace file that somebody changed on disk where no re-read looked (spec
// §13.9). Path is where it is on disk.
type Stray struct {
	Path string    `json:"path"`
	Kind StrayKind `json:"kind"`
}

// StrayKind says what became of a stray.
type StrayKind string

// The kinds of spec §13.9.
const (
	StrayAbsent   StrayKind = "absent"   // nothing is there
	StrayReplaced StrayKind = "replaced" // a link, behind one, or no regular file any more
	StrayContent  StrayKind = "content"  // other bytes than the persisted baseline
	StrayMetadata StrayKind = "metadata" // the same bytes
)

// Strays looks at every file of the workspace where it is on disk, by one stat, and
// returns those that aren't as last recorded, sorted by path. Bytes are read only where
// the identity differs; of a file whose bytes can't be had any more, kind is content.
// An error is an I/O failure or the context's; what was found is returned with it.
func Strays(ctx context.Context, r tree.Reader, store content.Store, w *Workspace, b *Baselines) ([]Stray, error) {
	paths, recorded := onRecord(w, b)
	kinds := make([]StrayKind, len(paths))
	err := r.Revisit(ctx, paths, func(i int, id tree.Identity, err error) bool {
		kinds[i] = judge(recorded[i].ID, id, err)
		return true
	})
	var strays []Stray
	for i, kind := range kinds {
		if kind == StrayContent && unchanged(r, store, paths[i], recorded[i]) {
			kind = StrayMetadata
		}
		if kind != "" {
			strays = append(strays, Stray{Path: paths[i], Kind: kind})
		}
	}
	return strays, err
}

// onRecord returns the disk paths of the workspace's files, sorted, and what was
// recorded of each.
func onRecord(w *Workspace, b *Baselines) ([]string, []Persisted) {
	var paths []string
	for _, f := range w.All() {
		if _, ok := b.Persisted(f.Disk); ok {
			paths = append(paths, f.Disk)
		}
	}
	slices.Sort(paths)
	recorded := make([]Persisted, len(paths))
	for i, path := range paths {
		recorded[i], _ = b.Persisted(path)
	}
	return paths, recorded
}

// judge compares what was recorded of a file with what a look says now; StrayContent
// means that the bytes must decide.
func judge(recorded, now tree.Identity, err error) StrayKind {
	switch {
	case errors.Is(err, tree.ErrAbsent):
		return StrayAbsent
	case errors.Is(err, tree.ErrLink):
		return StrayReplaced
	case err != nil:
		return StrayContent
	case now.Kind != tree.Regular:
		return StrayReplaced
	}
	now.Nlink = recorded.Nlink // another name for the file isn't a change of it
	if now == recorded {
		return ""
	}
	return StrayContent
}

func unchanged(r tree.Reader, store content.Store, path string, recorded Persisted) bool {
	now, _, err := r.ReadFile(path, recorded.Content.Len, nil)
	if err != nil {
		return false
	}
	was, err := store.Get(recorded.Content, nil)
	return err == nil && bytes.Equal(now, was)
}
