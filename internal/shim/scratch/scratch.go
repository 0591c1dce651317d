// Package scratch makes and empties the directories that are private to an invocation:
// HOME, TMPDIR and the like (runtime spec §12.5).
//
// It empties only below a directory that it has opened without following a link, never
// follows one further down, and removes what tools like to leave there: read-only
// directories and deep trees. It never touches the tree of a workspace.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Dir is a private directory in use.
type Dir struct {
	path string
	made bool
}

// Open makes dir, mode 0700, if it isn't there, and empties it if it is. Its parent
// must exist. A link or anything else in its place is an error.
func Open(dir string) (*Dir, error) {
	err := os.Mkdir(dir, 0o700)
	switch {
	case err == nil:
		return &Dir{path: dir, made: true}, nil
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("private directory: %w", err)
	}
	if err := Empty(dir); err != nil {
		return nil, err
	}
	return &Dir{path: dir}, nil
}

// Close empties the directory and removes it if Open made it.
func (d *Dir) Close() error {
	err := Empty(d.path)
	if d.made && err == nil {
		err = os.Remove(d.path)
	}
	return err
}

// Remove empties dir and removes it; one that isn't there is removed already.
func Remove(dir string) error {
	err := Empty(dir)
	if err == nil {
		err = os.Remove(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Empty removes everything below dir, which must be a directory and no link.
func Empty(dir string) error {
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("empty private directory: %w", &fs.PathError{Op: "open", Path: dir, Err: err})
	}
	defer unix.Close(fd)
	if err := emptyAt(fd, dir); err != nil {
		return fmt.Errorf("empty private directory: %w", err)
	}
	return nil
}

// emptyAt removes everything below an open directory. name is for errors only. It holds
// one descriptor per level, as deep as the tool has nested.
func emptyAt(fd int, name string) error {
	entries, err := list(fd, name)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	// A directory without write permission keeps its entries, whoever owns them.
	if err := unix.Fchmod(fd, 0o700); err != nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	for _, e := range entries {
		if err := removeAt(fd, e.Name(), name+"/"+e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func removeAt(parent int, name, full string) error {
	err := unix.Unlinkat(parent, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) {
		return &fs.PathError{Op: "unlink", Path: full, Err: err}
	}
	fd, err := openDir(parent, name)
	if err != nil {
		return &fs.PathError{Op: "open", Path: full, Err: err}
	}
	err = emptyAt(fd, full)
	unix.Close(fd)
	if err != nil {
		return err
	}
	if err := unix.Unlinkat(parent, name, unix.AT_REMOVEDIR); err != nil {
		return &fs.PathError{Op: "rmdir", Path: full, Err: err}
	}
	return nil
}

// openDir opens a directory below parent that its owner may have closed to reading.
func openDir(parent int, name string) (int, error) {
	const flags = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_RDONLY | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, flags, 0)
	if !errors.Is(err, unix.EACCES) {
		return fd, err
	}
	held, err := unix.Openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(held)
	if err := unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", held), 0o700); err != nil {
		return -1, err
	}
	return unix.Openat(parent, name, flags, 0)
}

// list returns the entries of an open directory, whose descriptor stays open.
func list(fd int, name string) ([]fs.DirEntry, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: name, Err: err}
	}
	dir := os.NewFile(uintptr(dup), name)
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	return entries, nil
}
