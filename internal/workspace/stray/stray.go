// Package stray finds workspace files that somebody changed on disk where no re-read
// looked (runtime spec §13.9).
//
// It compares stat identities with those recorded last, by one stat for each file, and
// reads bytes only where they differ. It looks at nothing but the workspace's own files,
// follows no link, and changes nothing: neither disk nor workspace follow what it finds.
package stray

import (
	"bytes"
	"context"
	"errors"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Stray is one of them. Path is where it is on disk.
type Stray struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
}

// Kind says what became of one.
type Kind string

// The kinds of spec §13.9.
const (
	Absent   Kind = "absent"   // nothing is there
	Replaced Kind = "replaced" // a link, behind one, or no regular file any more
	Content  Kind = "content"  // other bytes than the persisted baseline
	Metadata Kind = "metadata" // the same bytes
)

// Find looks at every file of the workspace where it is on disk, by one stat, and
// returns those that aren't as last recorded, sorted by path. Bytes are read only where
// the identity differs; of a file whose bytes can't be had any more, kind is content.
// An error is an I/O failure or the context's; what was found is returned with it.
func Find(ctx context.Context, r tree.Reader, store content.Store, w *workspace.Workspace, b *workspace.Baselines) ([]Stray, error) {
	paths := onRecord(w, b)
	var strays []Stray
	err := r.Revisit(ctx, paths, func(i int, id tree.Identity, err error) bool {
		recorded, _ := b.Persisted(paths[i])
		if kind := judge(recorded.ID, id, err); kind != "" {
			strays = append(strays, Stray{Path: paths[i], Kind: kind})
		}
		return true
	})
	for i, s := range strays {
		recorded, _ := b.Persisted(s.Path)
		if s.Kind == Content && unchanged(r, store, s.Path, recorded) {
			strays[i].Kind = Metadata
		}
	}
	return strays, err
}

// onRecord returns the disk paths of the workspace's files, sorted.
func onRecord(w *workspace.Workspace, b *workspace.Baselines) []string {
	paths := make([]string, 0, w.Len())
	for disk := range b.AllPersisted() {
		path, _ := w.AtDisk(disk)
		if _, ok := w.File(path); ok {
			paths = append(paths, disk)
		}
	}
	return paths
}

// judge compares what was recorded of a file with what a look says now; Content
// means that the bytes must decide.
func judge(recorded, now tree.Identity, err error) Kind {
	switch {
	case errors.Is(err, tree.ErrAbsent):
		return Absent
	case errors.Is(err, tree.ErrLink):
		return Replaced
	case err != nil:
		return Content
	case now.Kind != tree.Regular:
		return Replaced
	}
	now.Nlink = recorded.Nlink // another name for the file isn't a change of it
	if now == recorded {
		return ""
	}
	return Content
}

func unchanged(r tree.Reader, store content.Store, path string, recorded workspace.Persisted) bool {
	now, _, err := r.ReadFile(path, recorded.Content.Len, nil)
	if err != nil {
		return false
	}
	was, err := store.Get(recorded.Content, nil)
	return err == nil && bytes.Equal(now, was)
}
