// Package tree says what the runtime asks of a directory tree. internal/strictfs
// answers from the kernel, treemem from memory; treetest is the suite that both pass.
//
// Every path is a workspace path as Valid says (runtime spec §1.2, but for its UTF-8:
// names come from directories as they are, valid or not) or, for Stat, StatDir,
// ReadDir, Revisit and the directories of Sync, "." for the root. Everything else is
// ErrInvalid, before anything is looked at. No method ever follows a symbolic link, in
// any component. All methods are safe for concurrent use.
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
// are those of before. Times are in nanoseconds since the epoch. Every change of bytes,
// mode, owner or name gives a new identity, so one that is recorded must be taken after
// the last of them.
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
	ErrInvalid      = fs.ErrInvalid                                                      // spec §1.2
	ErrLink         = errors.New("is, or runs through, a symbolic link")                 // spec §4.4
	ErrNotRegular   = errors.New("is not a regular file")                                // spec §13.4
	ErrNotDirectory = errors.New("is not a directory")                                   // ENOTDIR of the last component
	ErrTooLarge     = errors.New("is larger than the limit")                             // spec §9.5
	ErrExists       = fs.ErrExist                                                        // RENAME_NOREPLACE, mkdir
	ErrAbsent       = fs.ErrNotExist                                                     //
	ErrUnlookable   = errors.New("has a component that exists and can't be looked at")   // spec §4.4
	ErrUnsupported  = errors.New("is on a file system that can't do this without a gap") // rename flags
)

// Reader looks at a tree. A path whose parents aren't all directories is ErrAbsent,
// ErrLink where one of them is a link, ErrUnlookable where one exists and can't be
// looked at; so is a path that itself can't be looked at. What is mounted inside the
// tree can't be looked at.
type Reader interface {
	// Stat looks at path itself: the link walk of spec §4.4 over all components but
	// the last, then lstat. A link in last position is Kind Link, not an error.
	Stat(path string) (Identity, error)

	// ReadFile reads a regular file of at most limit bytes, judged by fstat of the
	// descriptor that is read; the bytes are in buf if its capacity is larger than
	// they are many. The identity is of that descriptor, taken before the read. A link is
	// ErrLink, anything else that isn't a regular file ErrNotRegular, one that is
	// larger, or grows beyond limit while it is read, ErrTooLarge. It never blocks
	// on what it finds.
	ReadFile(path string, limit int64, buf []byte) ([]byte, Identity, error)

	// ReadDir calls visit for each entry of the directory, in no order, until visit
	// returns false. name is valid during the call only. Dot entries are left out.
	// visit may call other methods. A link is ErrLink; what is neither link nor
	// directory is both ErrNotDirectory and ErrAbsent.
	ReadDir(dir string, visit func(name []byte, kind Kind) bool) error

	// StatDir returns the identity of a directory, opened strictly; errors are those
	// of ReadDir.
	StatDir(dir string) (Identity, error)

	// Revisit stats many paths at once, cheaply: paths is sorted; visit gets the
	// index of each path, in order, and what Stat would answer, until it returns
	// false. Each parent directory is judged once per call. It returns the
	// context's error if that ends it, and ErrInvalid at once if paths isn't sorted.
	Revisit(ctx context.Context, paths []string, visit func(i int, id Identity, err error) bool) error
}

// Attr are the attributes of a file to create.
type Attr struct {
	Mode uint32 // permission bits, set regardless of umask
	UID  uint32
	GID  uint32
	// KeepOwner asks for UID and GID; where that isn't permitted the file is made
	// with the caller's and ownerKept is false (spec §16.6).
	KeepOwner bool
}

// Writer changes a tree. Every method resolves parents strictly, with the errors of
// Reader for them, then acts on one name relative to a held directory (spec §4.5). The
// name itself may be a link: Exchange, Rename and Remove act on the link. Nothing is
// durable before Sync. What fails leaves the tree as it was.
type Writer interface {
	// WriteNew creates path, which must be absent (else ErrExists), with exactly these
	// bytes and this mode. On any failure nothing is left at path. ownerKept is false
	// only if KeepOwner asked for what isn't permitted. Others can see a part of the
	// bytes at path before it returns: so path is a temporary, which Exchange or
	// Rename then puts in place.
	WriteNew(path string, data []byte, attr Attr) (id Identity, ownerKept bool, err error)
	// Exchange swaps two existing names atomically; ErrAbsent if one is absent.
	Exchange(a, b string) error
	// Rename moves from to to, which must be absent (else ErrExists), atomically.
	Rename(from, to string) error
	// Remove removes a file or link; a directory is ErrNotRegular.
	Remove(path string) error
	// RemoveDir removes an empty directory; one with entries is ErrExists, what is no
	// directory ErrNotDirectory.
	RemoveDir(path string) error
	// Mkdir makes one directory whose parent exists; ErrExists whatever is there.
	Mkdir(path string) error
	// SetAttr sets the mode of a regular file, and owner where KeepOwner asks and it is
	// permitted. ownerKept is as for WriteNew. A link is ErrLink, anything else
	// ErrNotRegular.
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
