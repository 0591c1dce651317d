package shim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

var errNotDir error = syscall.ENOTDIR

// errnoName returns the kernel's name of an error: ENOENT; "" if it is none of its.
func errnoName(err error) string {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return ""
	}
	return unix.ErrnoName(no)
}

// reason returns what went wrong without the path, which the message names already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// execFailure explains why the kernel refused to execute program, found at full.
func execFailure(program, full string, err error) *wire.Failure {
	f := &wire.Failure{Program: program, Errno: errnoName(err)}
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
		if line := interpreter(full); line != "" {
			f.Cause, f.Message = wire.NoInterpreter, fmt.Sprintf("%s needs the interpreter %s, which isn't there", program, line)
			return f
		}
		f.Cause, f.Message = wire.NotFound, fmt.Sprintf("%s vanished, or the loader that it needs isn't there", program)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		f.Cause, f.Message = wire.NotExecutable, fmt.Sprintf("%s, or the interpreter that it needs, may not be executed: %s", program, reason(err))
	case errors.Is(err, syscall.ENOEXEC):
		f.Cause, f.Message = wire.BadFormat, fmt.Sprintf("%s is neither a binary for this machine nor a script that starts with #!", program)
	case errors.Is(err, syscall.E2BIG):
		f.Cause, f.Message = wire.TooLong, fmt.Sprintf("arguments and environment of %s exceed what the system allows", program)
	default:
		f.Cause, f.Message = wire.ExecOtherwise, fmt.Sprintf("%s could not be executed: %s", program, reason(err))
	}
	return f
}

// interpreter returns what the #! line of a script names, "" for no script.
func interpreter(full string) string {
	file, err := os.Open(full)
	if err != nil {
		return ""
	}
	defer file.Close()
	head := make([]byte, 256) // as much as the kernel looks at
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	line, found := bytes.CutPrefix(head[:n], []byte("#!"))
	if !found {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return ""
	}
	return string(fields[0])
}
