package workspace

import "slices"

// Renames derives path → origin for files that have left their acquisition path
// (spec §2.2).
func (w *Workspace) Renames() map[string]string {
	out := map[string]string{}
	for p, n := range w.names {
		if n.origin != "" && n.origin != p {
			out[p] = n.origin
		}
	}
	return out
}

// PersistedPaths derives path → disk path for files that have one (spec §2.2).
func (w *Workspace) PersistedPaths() map[string]string {
	out := make(map[string]string, w.Len())
	for p, f := range w.All() {
		if f.Disk != "" {
			out[p] = f.Disk
		}
	}
	return out
}

// Deletion is a pair of the pendingDeletions view (spec §2.2).
type Deletion struct {
	LastPath string
	Disk     string
}

// PendingDeletions derives the pairs (last workspace path, disk path), by disk path.
func (w *Workspace) PendingDeletions() []Deletion {
	out := make([]Deletion, 0, len(w.pending))
	for _, d := range w.PendingDisks() {
		out = append(out, Deletion{LastPath: w.pending[d].LastPath, Disk: d})
	}
	return out
}

// Recreated derives the sorted paths of files without origin that are acquisition
// paths (spec §2.2).
func (w *Workspace) Recreated(b *Baselines) []string {
	var out []string
	for p, n := range w.names {
		if _, acquired := b.Acquired(p); acquired && n.origin == "" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
