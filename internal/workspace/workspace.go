// Package workspace is the model of the managed set of text files of one run: contents,
// identity, baselines and the accounting of what changed (runtime spec §2, §17).
//
// It is pure: contents are content.Refs, the disk is asked through a function that the
// caller passes. Reading the tree is acquire's and reread's, changing it is persist's.
package workspace

import (
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// File is one text file of the workspace (spec §2.1). Origin and Disk are its identity:
// they move with it, whatever its workspace path becomes.
type File struct {
	Content      content.Ref
	Mode         uint32 // permission bits; NewFileMode if it was never on disk
	MIME         string
	Origin       string // the acquisition path it descends from; "" is none
	Disk         string // the path it occupies on disk now; "" if never persisted
	DeclaredText bool   // made by a text step under a name without textual type (spec §8.4)
}

// NewFileMode is the mode of a file that was never on disk (spec §2.1).
const NewFileMode = 0o644

// Unreadable is what a path keeps while the disk holds something there that can't be
// admitted (spec §2.3).
type Unreadable struct {
	Origin       string
	Disk         string
	Mode         uint32
	DeclaredText bool
}

// PendingDeletion is a disk path that must go at the next write (spec §2.4).
type PendingDeletion struct {
	LastPath string // the workspace path that the file had last
	Mode     uint32
}

// Workspace maps paths to files. The zero value isn't usable: see New.
type Workspace struct {
	files      map[string]File
	unreadable map[string]Unreadable
	pending    map[string]PendingDeletion // by disk path
	moved      map[string]string          // disk path → path, of files and unreadable whose two differ
}

// New returns an empty workspace with room for n files.
func New(n int) *Workspace {
	return &Workspace{
		files:      make(map[string]File, n),
		unreadable: map[string]Unreadable{},
		pending:    map[string]PendingDeletion{},
		moved:      map[string]string{},
	}
}

// Clone returns a workspace that shares nothing with w but contents.
func (w *Workspace) Clone() *Workspace {
	return &Workspace{
		files:      maps.Clone(w.files),
		unreadable: maps.Clone(w.unreadable),
		pending:    maps.Clone(w.pending),
		moved:      maps.Clone(w.moved),
	}
}

// File returns the file at path.
func (w *Workspace) File(path string) (File, bool) {
	f, ok := w.files[path]
	return f, ok
}

// Len returns the number of files.
func (w *Workspace) Len() int { return len(w.files) }

// Paths returns the paths of all files, sorted (spec §1.1).
func (w *Workspace) Paths() []string { return slices.Sorted(maps.Keys(w.files)) }

// Unreadable returns the entry of an unreadable path.
func (w *Workspace) Unreadable(path string) (Unreadable, bool) {
	u, ok := w.unreadable[path]
	return u, ok
}

// UnreadablePaths returns the unreadable paths, sorted.
func (w *Workspace) UnreadablePaths() []string { return slices.Sorted(maps.Keys(w.unreadable)) }

// Pending returns the pending deletion of a disk path.
func (w *Workspace) Pending(disk string) (PendingDeletion, bool) {
	p, ok := w.pending[disk]
	return p, ok
}

// PendingDisks returns the disk paths with a pending deletion, sorted.
func (w *Workspace) PendingDisks() []string { return slices.Sorted(maps.Keys(w.pending)) }

// AtDisk returns the path of the file or unreadable entry that occupies a disk path.
func (w *Workspace) AtDisk(disk string) (path string, ok bool) {
	if f, ok := w.files[disk]; ok && f.Disk == disk {
		return disk, true
	}
	if u, ok := w.unreadable[disk]; ok && u.Disk == disk {
		return disk, true
	}
	path, ok = w.moved[disk]
	return path, ok
}

// Ours reports whether what the disk holds at a path is the run's own (spec §2.7).
func (w *Workspace) Ours(disk string) bool {
	if _, ok := w.AtDisk(disk); ok {
		return true
	}
	if _, ok := w.unreadable[disk]; ok {
		return true
	}
	_, ok := w.pending[disk]
	return ok
}

// The setters below keep the disk index right. They check nothing: primitives (Batch),
// the write step and the re-read are who may call them.

// Put sets the file at path.
func (w *Workspace) Put(path string, f File) {
	w.unindex(path)
	w.files[path] = f
	w.index(path, f.Disk)
}

// Drop removes the file at path.
func (w *Workspace) Drop(path string) {
	w.unindex(path)
	delete(w.files, path)
}

// PutUnreadable makes path unreadable; it is no file any more (spec §2.3).
func (w *Workspace) PutUnreadable(path string, u Unreadable) {
	w.Drop(path)
	w.unindexUnreadable(path)
	w.unreadable[path] = u
	w.index(path, u.Disk)
}

// DropUnreadable removes an unreadable entry.
func (w *Workspace) DropUnreadable(path string) {
	w.unindexUnreadable(path)
	delete(w.unreadable, path)
}

// PutPending records that a disk path must go.
func (w *Workspace) PutPending(disk string, p PendingDeletion) { w.pending[disk] = p }

// DropPending forgets a pending deletion.
func (w *Workspace) DropPending(disk string) { delete(w.pending, disk) }

func (w *Workspace) index(path, disk string) {
	if disk != "" && disk != path {
		w.moved[disk] = path
	}
}

func (w *Workspace) unindex(path string) {
	if f, ok := w.files[path]; ok && w.moved[f.Disk] == path {
		delete(w.moved, f.Disk)
	}
}

func (w *Workspace) unindexUnreadable(path string) {
	if u, ok := w.unreadable[path]; ok && w.moved[u.Disk] == path {
		delete(w.moved, u.Disk)
	}
}

// Baselines are the two baselines of an execution (spec §2.5). They aren't part of the
// workspace: no step and no interceptor sees or replaces them.
type Baselines struct {
	// Acquisition is keyed by acquisition path and never changes once acquired.
	Acquisition map[string]content.Ref
	// Persisted is keyed by disk path: what the disk was last known to hold there.
	Persisted map[string]Persisted
}

// Persisted is one entry of the persisted baseline.
type Persisted struct {
	Content content.Ref
	ID      tree.Identity // taken from the descriptor the bytes were read from or written to
}
