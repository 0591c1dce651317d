// Package tree says what the runtime asks of a directory tree. internal/strictfs
// answers from the kernel, treemem from memory; treetest is the suite that both pass.
//
// Every path is a workspace path (runtime spec §1.2: relative, slash-separated, no
// empty, "." or ".." segment) or "." for the root where a directory is meant; names
// come from directories as they are, valid UTF-8 or not. No method ever follows a
// symbolic link, in any component.
package tree

import (
	"context"
	"errors"
	"io/fs"
)

// Kind is what a name stands for, links not followed.
type Kind uint8

// The kinds that the runtime distinguishes (spec §13.2).
const (
	Regular Kind = iota + 1
	Directory
	Link
	Other // device, socket, FIFO
)

// Identity is what stat says of a file: enough to tell without reading that its bytes
// are those of before (performance notes: re-read by identity). Times are in
// nanoseconds since the epoch.
type Identity struct {
	Dev   uint64
	Ino   uint64
	Size  int64
	Mtime int64
	Ctime int64
	Mode  uint32 // permission bits only
	UID   uint32
	GID   uint32
	Nlink uint32
	Kind  Kind
}

// Errors that callers decide by. Every method returns errors that wrap one of these,
// or another error, which is an I/O failure. Absence is fs.ErrNotExist: a component
// that doesn't exist, or (as ENOTDIR says) one below something that is no directory
// and no link.
var (
	ErrLink       = errors.New("is, or runs through, a symbolic link")               // spec §4.4
	ErrNotRegular = errors.New("is not a regular file")                              // spec §13.4
	ErrTooLarge   = errors.New("is larger than the limit")                           // spec §9.5
	ErrExists     = fs.ErrExist                                                      // RENAME_NOREPLACE, mkdir
	ErrAbsent     = fs.ErrNotExist                                                   //
	ErrUnlookable = errors.New("has a component that exists and can't be looked at") // spec §4.4
)

// Reader looks at a tree.
type Reader interface {
	// Stat looks at path itself: the link walk of spec §4.4 over all components but
	// the last, then lstat. A link in last position is Kind Link, not an error.
	Stat(path string) (Identity, error)

	// ReadFile reads a regular file of at most limit bytes, judged by fstat of the
	// descriptor that is read; the bytes are in buf if they fit. The identity is of
	// that descriptor, taken before the read.
	ReadFile(path string, limit int64, buf []byte) ([]byte, Identity, error)

	// ReadDir calls visit for each entry of the directory, in no order, until visit
	// returns false. name is valid during the call only. Dot entries are left out.
	ReadDir(dir string, visit func(name []byte, kind Kind) bool) error

	// StatDir returns the identity of a directory, opened strictly.
	StatDir(dir string) (Identity, error)

	// Revisit stats many paths at once, cheaply: paths is sorted; visit gets the
	// index of each path and what Stat would answer. Each parent directory is judged
	// once per call.
	Revisit(ctx context.Context, paths []string, visit func(i int, id Identity, err error) bool) error
}

// Attr are the attributes of a file to create.
type Attr struct {
	Mode uint32 // permission bits, set regardless of umask
	UID  uint32
	GID  uint32
	// KeepOwner asks for UID and GID; where that isn't permitted the file is made
	// with the caller's and OwnerKept of WriteNew is false (spec §16.6).
	KeepOwner bool
}

// Writer changes a tree. Every method resolves parents strictly, then acts on one
// name relative to a held directory (spec §4.5). Nothing is durable before Sync.
type Writer interface {
	// WriteNew creates path, which must be absent, with exactly these bytes. On any
	// failure nothing is left at path.
	WriteNew(path string, data []byte, attr Attr) (id Identity, ownerKept bool, err error)
	// Exchange swaps two existing names atomically.
	Exchange(a, b string) error
	// Rename moves from to to, which must be absent, atomically.
	Rename(from, to string) error
	// Remove removes a file (anything but a directory).
	Remove(path string) error
	// RemoveDir removes an empty directory.
	RemoveDir(path string) error
	// Mkdir makes one directory whose parent exists.
	Mkdir(path string) error
	// SetAttr sets mode, and owner where KeepOwner asks and it is permitted.
	SetAttr(path string, attr Attr) (ownerKept bool, err error)
	// Sync makes the bytes of these files and the entries of these directories
	// durable; names that are gone are skipped.
	Sync(files, dirs []string) error
}

// Tree is a Reader and a Writer of one root.
type Tree interface {
	Reader
	Writer
}
