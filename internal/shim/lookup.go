package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// LookUp finds the program of a command: one with a slash is what it says, below dir if
// it is relative; any other is looked for in the directories of search, then in those of
// path, a PATH. Relative and empty entries of path are passed over: what they name hangs
// on the working directory, which is a tree that tools change. Links are followed: a
// program is no path of the workspace.
//
// A failure's cause is NotFound, NotExecutable or IsDirectory. A program of the right
// name that can't be run doesn't hide one that can further down.
func LookUp(program, dir string, search []string, path string) (string, *wire.Failure) {
	if program == "" {
		return "", &wire.Failure{Cause: wire.NotFound, Message: "no command was given"}
	}
	if strings.Contains(program, "/") {
		full := program
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, program)
		}
		if f := examine(program, full); f != nil {
			return "", f
		}
		return full, nil
	}
	var nearest *wire.Failure
	for _, d := range append(search[:len(search):len(search)], filepath.SplitList(path)...) {
		if !filepath.IsAbs(d) {
			continue
		}
		full := filepath.Join(d, program)
		f := examine(program, full)
		if f == nil {
			return full, nil
		}
		if nearest == nil && f.Cause != wire.NotFound {
			nearest = f
		}
	}
	if nearest != nil {
		return "", nearest
	}
	return "", &wire.Failure{Cause: wire.NotFound, Program: program, Errno: "ENOENT", Message: fmt.Sprintf("%s was found nowhere in PATH", program)}
}

// examine says why the file full can't be run as program, nil if it can as far as its
// name and mode say.
func examine(program, full string) *wire.Failure {
	info, err := os.Stat(full)
	f := &wire.Failure{Program: program}
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir):
		f.Cause, f.Errno, f.Message = wire.NotFound, "ENOENT", fmt.Sprintf("%s doesn't exist", program)
	case err != nil:
		f.Cause, f.Errno, f.Message = wire.NotExecutable, errnoName(err), fmt.Sprintf("%s can't be looked at: %s", program, reason(err))
	case info.IsDir():
		f.Cause, f.Errno, f.Message = wire.IsDirectory, "EISDIR", fmt.Sprintf("%s is a directory", program)
	case info.Mode()&0o111 == 0 || !info.Mode().IsRegular():
		f.Cause, f.Errno, f.Message = wire.NotExecutable, "EACCES", fmt.Sprintf("%s is not an executable file", program)
	default:
		return nil
	}
	return f
}
