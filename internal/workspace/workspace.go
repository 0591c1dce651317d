// Package workspace is the model of the managed set of text files of one run: contents,
// identity, baselines, the steps that change them in memory, and the accounting of what
// changed (runtime spec §2, §8, §17).
//
// It is pure: contents are content.Refs, the disk is asked through a function that the
// caller passes. Reading the tree is acquire's and reread's, changing it is persist's.
// A Workspace is for one goroutine at a time; reading it from several is fine while
// nobody changes or clones it.
package workspace

import (
	"iter"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
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
	files      table[record]
	names      map[string]names // of files whose origin or disk path isn't their path
	unreadable map[string]Unreadable
	pending    map[string]PendingDeletion // by disk path
	moved      map[string]string          // disk path → path, of files and unreadable whose two differ
}

// New returns an empty workspace with room for n files. Files put in the order of their
// paths cost least.
func New(n int) *Workspace {
	return &Workspace{
		files:      newTable[record](n),
		names:      map[string]names{},
		unreadable: map[string]Unreadable{},
		pending:    map[string]PendingDeletion{},
		moved:      map[string]string{},
	}
}

// Clone returns a workspace that shares nothing with w but contents. It costs what w
// has changed since its last clones, not what it holds.
func (w *Workspace) Clone() *Workspace {
	return &Workspace{
		files:      w.files.clone(),
		names:      maps.Clone(w.names),
		unreadable: maps.Clone(w.unreadable),
		pending:    maps.Clone(w.pending),
		moved:      maps.Clone(w.moved),
	}
}

// File returns the file at path.
func (w *Workspace) File(path string) (File, bool) {
	r, ok := w.files.get(path)
	if !ok {
		return File{}, false
	}
	return w.unpack(path, r), true
}

// All walks the files in the order of their paths (spec §1.1). The workspace mustn't
// change meanwhile.
func (w *Workspace) All() iter.Seq2[string, File] {
	return func(yield func(string, File) bool) {
		for path, r := range w.files.all() {
			if !yield(path, w.unpack(path, r)) {
				return
			}
		}
	}
}

// Len returns the number of files.
func (w *Workspace) Len() int { return w.files.len() }

// Paths returns the paths of all files, sorted (spec §1.1).
func (w *Workspace) Paths() []string { return w.files.keys() }

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
	if f, ok := w.File(disk); ok && f.Disk == disk {
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
	w.files.set(path, w.pack(path, f))
	w.index(path, f.Disk)
}

// Drop removes the file at path.
func (w *Workspace) Drop(path string) {
	w.unindex(path)
	w.files.delete(path)
	delete(w.names, path)
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
	if n, ok := w.names[path]; ok && w.moved[n.disk] == path {
		delete(w.moved, n.disk)
	}
}

func (w *Workspace) unindexUnreadable(path string) {
	if u, ok := w.unreadable[path]; ok && w.moved[u.Disk] == path {
		delete(w.moved, u.Disk)
	}
}
