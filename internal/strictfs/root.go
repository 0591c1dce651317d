// Package strictfs is the tree.Tree of the kernel: the only place that names a
// workspace path to it (runtime spec §4.5, §9.5, §16.6). It needs Linux 5.6.
//
// Every path is resolved by openat2 below a held root directory, with
// RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS and NO_XDEV, in one step that nobody can
// get between; what was opened is then judged by its descriptor, never by its name.
// Where the kernel has no such call for what is to be done (rename, unlink, mkdir), the
// parent is opened so and the plain *at call acts on one name in it, which follows no
// link in last position.
//
// It refuses every symbolic link, wherever it points; what is mounted inside the tree
// (a bind mount too); paths that aren't clean, rather than cleaning them; and to start
// where the kernel, or a filter before it, doesn't keep these promises: Open plants a
// link, a dangling link and a FIFO in a scratch directory and tries. There is no weaker
// way that it falls back to. It never touches anything outside the root but that
// scratch directory, and never makes a file that its caller didn't name.
//
// A held directory stays usable after somebody moved it elsewhere. So keep the root
// where nothing beside it is writable, and Reopen it once its changers have ended.
package strictfs

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Root is a directory tree of the kernel's. Open makes one. Its methods but Close and
// Reopen are safe for concurrent use.
type Root struct {
	dir     string
	fd      int       // O_PATH
	buffers sync.Pool // *[listBuffer]byte
}

var _ tree.Tree = (*Root)(nil)

// Open returns the tree below dir, after a test of the kernel in a scratch directory
// below os.TempDir. dir is an absolute, clean path of a directory that isn't a link;
// links above it are the caller's business. Refusals are *fault.Error: BadArgument for
// dir, StepUnavailable for the kernel.
func Open(dir string) (*Root, error) { return OpenIn(dir, os.TempDir()) }

// OpenIn is Open with the scratch directory of the test made below scratch.
func OpenIn(dir, scratch string) (*Root, error) {
	if err := selfTest(scratch); err != nil {
		return nil, err
	}
	return open(dir)
}

func open(dir string) (*Root, error) {
	fd, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Root{dir: dir, fd: fd, buffers: sync.Pool{New: func() any { return new([listBuffer]byte) }}}, nil
}

// Dir returns the path that the tree was opened by.
func (r *Root) Dir() string { return r.dir }

// Close lets go of the tree, which must not be used afterwards.
func (r *Root) Close() error {
	if err := unix.Close(r.fd); err != nil {
		return fmt.Errorf("close root %q: %w", r.dir, err)
	}
	return nil
}

// Reopen opens the path of the tree afresh, so that what a fixer put in the place of
// the root is what is looked at. It mustn't run beside any other method.
func (r *Root) Reopen() error {
	fd, err := openRoot(r.dir)
	if err != nil {
		return err
	}
	err = r.Close()
	r.fd = fd
	return err
}

// openRoot opens the root directory and judges what it holds.
func openRoot(dir string) (int, error) {
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
		return -1, fault.New(fault.BadArgument, fault.ReasonType, "", "root %q is not an absolute, clean path", dir).
			WithHint("give the directory as it is, from / on, without . or .. or a slash at the end")
	}
	fd, err := retry(func() (int, error) { return unix.Open(dir, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) })
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return -1, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "root %q doesn't exist", dir).
			WithHint("name a directory that exists")
	}
	if err != nil {
		return -1, fault.New(fault.BadArgument, fault.ReasonIO, "", "root %q can't be opened", dir).WithCause(err)
	}
	id, err := identify(fd)
	if err == nil && id.Kind == tree.Link {
		err = fault.New(fault.BadArgument, fault.ClassLink, "", "root %q is a symbolic link", dir).
			WithHint("name the directory that it points to")
	} else if err == nil && id.Kind != tree.Directory {
		err = fault.New(fault.BadArgument, fault.ReasonType, "", "root %q is not a directory", dir).
			WithHint("name the directory that holds the files")
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
