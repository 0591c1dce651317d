package persist

import (
	"crypto/sha256"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
)

// Op is one operation of a write step.
type Op struct {
	Kind Kind
	Path string // a rename's destination, or what is deleted or written
	From string // a rename's source
	Key  string // the workspace path of the file that a rename moves
	// Temp is a sibling of Path for what is on its way in or out; "" for a rename that
	// needs none.
	Temp string
	// Before is what Path holds, of a rename From; Over is what a rename finds at
	// Path: nothing, or the target of a pending deletion that it supersedes.
	Before Expected
	Over   Expected
	After  Expected // of a write: always Bytes
	Cycle  bool     // a rename to a temporary that breaks a cycle (spec §16.4)
}

// Kind of an Op.
type Kind uint8

// The kinds of operations, in the order in which a write step does them.
const (
	Rename Kind = iota + 1
	Delete
	Write
)

// Expected is what a path holds as far as the run knows.
type Expected struct {
	Want    Want
	Content content.Ref       // of Bytes and BytesOrNothing
	Sum     [sha256.Size]byte // of that content
	Mode    uint32            // permission bits
}

// Want is a kind of Expected.
type Want uint8

// The kinds of Expected.
const (
	Nothing        Want = iota + 1 // absent
	Bytes                          // a regular file with these bytes
	BytesOrNothing                 // the same, or absent: whoever deletes it is satisfied
	Anything                       // a regular file or absent: taken over from unreadable (spec §16.3)
)

// String renders an operation as "rename a b", "delete a" or "write a".
func (o Op) String() string {
	switch o.Kind {
	case Rename:
		return "rename " + o.From + " " + o.Path
	case Delete:
		return "delete " + o.Path
	}
	return "write " + o.Path
}

// paths are the paths an operation changes, temporaries of its own left out.
func (o Op) paths() []string {
	if o.Kind == Rename {
		return []string{o.From, o.Path}
	}
	return []string{o.Path}
}

// replaces reports whether a rename supersedes a deletion.
func (o Op) replaces() bool { return o.Kind == Rename && o.Over.Want != Nothing }

// parents are the directories above path, the shallowest first, without the root.
func parents(p string) []string {
	var dirs []string
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}
