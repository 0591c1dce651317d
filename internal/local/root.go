package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Root is the directory that a pipeline works on, by the names that it goes by.
type Root struct {
	Given string // absolute, as people wrote it
	Path  string // without links: what is opened, locked and handed to tools
}

// FindRoot judges a root as it was given, relative to the working directory or absolute
// (spec §7.1): it exists, is a directory and isn't a link itself. Links above it are
// resolved. Refusals are *fault.Error of kind BadArgument.
func FindRoot(dir string) (Root, error) {
	if strings.ContainsRune(dir, 0) {
		return Root{}, fault.New(fault.BadArgument, fault.ClassNUL, "", "root %q holds a NUL", dir).WithHint("name a directory")
	}
	if dir == "" {
		return Root{}, fault.New(fault.BadArgument, fault.ClassEmpty, "", "the root is an empty name").
			WithHint("name the directory that holds the files, or . for this one")
	}
	info, err := os.Lstat(filepath.Clean(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Root{}, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "root %q doesn't exist", dir).
			WithHint("name a directory that exists")
	case err != nil:
		return Root{}, fault.New(fault.BadArgument, fault.ReasonIO, "", "root %q can't be looked at", dir).WithCause(withoutPath(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return Root{}, fault.New(fault.BadArgument, fault.ClassLink, "", "root %q is a symbolic link", dir).
			WithHint("name the directory that it points to")
	case !info.IsDir():
		return Root{}, fault.New(fault.BadArgument, fault.ReasonType, "", "root %q is not a directory", dir).
			WithHint("name the directory that holds the files")
	}
	given, err := filepath.Abs(dir)
	if err != nil {
		return Root{}, err
	}
	path, err := filepath.EvalSymlinks(given)
	if err != nil {
		return Root{}, fault.New(fault.BadArgument, fault.ReasonIO, "", "root %q can't be looked at", dir).WithCause(withoutPath(err))
	}
	if !utf8.ValidString(path) {
		return Root{}, fault.New(fault.BadArgument, fault.ReasonType, "", "the path of the root, %q, is not UTF-8, and no tool can be told of it", path).
			WithHint("rename that directory, or mount it under another name")
	}
	return Root{Given: given, Path: path}, nil
}

// withoutPath is what the kernel said, without the path that the message names anyway.
func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// apart refuses a state directory inside the root, where it would be a part of what is
// worked on, and a root inside the state directory.
func (r Root) apart(home Home) error {
	state := resolved(home.dir)
	if within(state, r.Path) || within(r.Path, state) {
		return fault.New(fault.BadArgument, fault.ReasonType, "", "the state directory %s and the root %s lie one in the other", home.dir, r.Given).
			WithHint("set XDG_STATE_HOME to a directory outside the root, or name another root")
	}
	return nil
}

// resolved is path without links, as far as it exists.
func resolved(path string) string {
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil || dir == filepath.Dir(dir) {
			return filepath.Join(resolved, rest)
		}
	}
}

// within says whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
