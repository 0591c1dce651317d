package persist

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// pending is what a workspace has that the disk hasn't (spec §16.1).
type pending struct {
	renames   map[string]string // destination → disk source
	deletions map[string]string // disk path → last workspace path
	contents  map[string]bool   // by path
}

func newPending() pending {
	return pending{renames: map[string]string{}, deletions: map[string]string{}, contents: map[string]bool{}}
}

// pendingOf returns everything that is pending.
func pendingOf(store content.Store, w *workspace.Workspace, b *workspace.Baselines) (pending, error) {
	all := newPending()
	for path, f := range w.All() {
		if f.Disk != "" && f.Disk != path {
			all.renames[path] = f.Disk
		}
		was, ok := b.Persisted(f.Disk)
		if f.Disk == "" || !ok {
			all.contents[path] = true
			continue
		}
		same, err := content.Equal(store, f.Content, was.Content)
		if err != nil {
			return pending{}, fmt.Errorf("content of %s: %w", path, err)
		}
		if !same {
			all.contents[path] = true
		}
	}
	for _, d := range w.PendingDeletions() {
		all.deletions[d.Disk] = d.LastPath
	}
	return all, nil
}

// narrow returns the part that selected accepts: a rename by either end, a deletion by
// its workspace or disk path, content by its path. It is closed (spec §16.2): where
// something of it is to occupy a path, what is still there and pending moves too.
func (all pending) narrow(w *workspace.Workspace, selected func(string) bool) pending {
	part := newPending()
	var arrivals []string // paths to be occupied
	add := func(path string) {
		if _, ok := part.renames[path]; !ok {
			part.renames[path] = all.renames[path]
			arrivals = append(arrivals, path)
		}
	}
	for path, from := range all.renames {
		if selected(path) || selected(from) {
			add(path)
		}
	}
	for disk, last := range all.deletions {
		if selected(disk) || selected(last) {
			part.deletions[disk] = last
		}
	}
	for path := range all.contents {
		if selected(path) {
			part.contents[path] = true
			arrivals = append(arrivals, path)
		}
	}
	for len(arrivals) > 0 {
		disk := arrivals[len(arrivals)-1]
		arrivals = arrivals[:len(arrivals)-1]
		if last, ok := all.deletions[disk]; ok {
			part.deletions[disk] = last
		}
		if occupant, ok := w.AtDisk(disk); ok && occupant != disk {
			add(occupant)
		}
	}
	return part
}
