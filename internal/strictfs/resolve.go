package strictfs

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// attempts bounds how often a path is resolved again when what refused it had gone
// before it could be looked at.
const attempts = 8

// open opens path strictly. The error is one of tree's, or the kernel's, whose ENOENT
// is tree.ErrAbsent.
func (r *Root) open(path string, flags uint64) (int, error) {
	if path != tree.Root && !tree.Valid(path) {
		return -1, tree.ErrInvalid
	}
	var err error
	for range attempts {
		var fd int
		if fd, err = openat2(r.fd, path, flags, 0); err == nil {
			return fd, nil
		}
		if verdict := r.explain(path, flags, err); verdict != nil {
			return -1, verdict
		}
	}
	return -1, err
}

// explain says what the kernel's answer to openat2 means; nil says that the tree has
// changed since, so that the answer may be another now. ELOOP and ENOTDIR alone say
// too little: the first is any file system's to give, the second has a link in last
// position look like a file. So what is there decides.
func (r *Root) explain(path string, flags uint64, err error) error {
	switch err {
	case unix.EXDEV:
		return fmt.Errorf("%w: something is mounted there", tree.ErrUnlookable)
	case unix.ELOOP, unix.ENOTDIR, unix.EACCES, unix.ENXIO, unix.ENODEV:
	default:
		return err
	}
	kind, verdict := r.look(path)
	switch {
	case verdict != nil:
		return verdict
	case flags&unix.O_DIRECTORY != 0:
		verdict = notDirectory(kind)
	case flags&unix.O_PATH == 0:
		verdict = notRegular(kind)
	}
	if verdict == nil && err != unix.ELOOP && err != unix.ENOTDIR {
		return err
	}
	return verdict
}

// look goes down path one component after the other, judging each by a handle of it,
// and returns the kind of the last, or the reason why there is no way to it. Neither
// means that the tree changed on the way.
func (r *Root) look(path string) (tree.Kind, error) {
	for end := 0; end < len(path); {
		if i := strings.IndexByte(path[end:], '/'); i > 0 {
			end += i
		} else {
			end = len(path)
		}
		kind, err := r.kindAt(path[:end])
		switch {
		case err == unix.EACCES:
			return 0, at(path, end, denied())
		case err == unix.EXDEV:
			return 0, fmt.Errorf("%w: something is mounted there", at(path, end, tree.ErrUnlookable))
		case err == unix.ELOOP || err == unix.ENOTDIR:
			return 0, nil
		case err != nil:
			return 0, err
		case end == len(path):
			return kind, nil
		case kind == tree.Link:
			return 0, at(path, end, tree.ErrLink)
		case kind != tree.Directory:
			return 0, tree.ErrAbsent
		}
		end++
	}
	return 0, nil
}

// kindAt is what is at path, all components but the last strictly.
func (r *Root) kindAt(path string) (tree.Kind, error) {
	fd, err := openat2(r.fd, path, handle, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	id, err := identify(fd)
	return id.Kind, err
}

// at names the component of path that ends there, if it isn't all of it.
func at(path string, end int, err error) error {
	if end == len(path) {
		return err
	}
	return fmt.Errorf("%q %w", path[:end], err)
}

// notDirectory says why a thing of this kind can't be used as a directory, or nil.
func notDirectory(kind tree.Kind) error {
	switch kind {
	case tree.Link:
		return tree.ErrLink
	case tree.Regular, tree.Other:
		return errNoSuchDirectory
	}
	return nil
}

// notRegular says why a thing of this kind can't be used as a file, or nil.
func notRegular(kind tree.Kind) error {
	switch kind {
	case tree.Link:
		return tree.ErrLink
	case tree.Directory, tree.Other:
		return tree.ErrNotRegular
	}
	return nil
}

var errNoSuchDirectory = fmt.Errorf("%w: %w", tree.ErrNotDirectory, tree.ErrAbsent)

// parent is a directory that is held to act on a name in it.
type parent struct {
	fd   int
	held bool // close it
}

// openParent opens the parent of path strictly and returns the last name.
func (r *Root) openParent(path string) (parent, string, error) {
	if !tree.Valid(path) {
		return parent{}, "", tree.ErrInvalid
	}
	dir, name := tree.Split(path)
	if dir == tree.Root {
		return parent{fd: r.fd}, name, nil
	}
	fd, err := r.open(dir, directoryHandle)
	if errors.Is(err, tree.ErrNotDirectory) {
		err = tree.ErrAbsent // what is below no directory is absent
	}
	return parent{fd: fd, held: true}, name, err
}

func (p parent) close() {
	if p.held {
		unix.Close(p.fd)
	}
}

// explain says what the kernel's answer to a call on name in p means. ENOENT and EEXIST
// are tree.ErrAbsent and tree.ErrExists as they are.
func (p parent) explain(name string, err error) error {
	if err != unix.EACCES {
		return err
	}
	var stat unix.Statx_t
	if statx(p.fd, append([]byte(name), 0), &stat) == unix.EACCES {
		return denied()
	}
	return err
}

// denied is tree.ErrUnlookable with the reason in words: callers that decide by EACCES
// mean what can be looked at.
func denied() error { return fmt.Errorf("%w: %v", tree.ErrUnlookable, unix.EACCES) }
