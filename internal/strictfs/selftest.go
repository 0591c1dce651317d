package strictfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

const hintReport = "report this with the kernel's version and the container's runtime"

// selfTest asks the kernel once whether it does what this package promises, in a
// directory below scratch, and removes that again. Its answer is final.
func selfTest(scratch string) error {
	dir, err := os.MkdirTemp(scratch, "fettle-selftest-")
	if err != nil {
		return fault.New(fault.StepUnavailable, fault.ReasonIO, "", "no scratch directory for the test of the kernel").
			WithCause(err).WithHint("set TMPDIR to a directory that is writable")
	}
	defer os.RemoveAll(dir)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("scratch directory %q: %w", dir, err)
	}
	r, err := open(abs)
	if err != nil {
		return err
	}
	defer r.Close()
	if fd, err := openat2(r.fd, ".", directoryHandle, 0); err != nil {
		return unsupported("openat2", err)
	} else {
		unix.Close(fd)
	}
	if err := plant(dir); err != nil {
		return fault.New(fault.StepUnavailable, fault.ReasonIO, "", "the test of the kernel can't be set up").WithCause(err)
	}
	if err := judgeTree(r); err != nil {
		return fault.New(fault.StepUnavailable, fault.ReasonContainment, "", "the kernel doesn't keep links out").
			WithCause(err).WithHint(hintReport)
	}
	return judgeRenames(r)
}

// unsupported says why a call can't be used and what to do about it.
func unsupported(call string, err error) error {
	hint := hintReport
	switch {
	case errors.Is(err, unix.ENOSYS):
		hint = "use Linux 5.6 or later; in a container, a seccomp profile that knows " + call
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
		hint = "a seccomp profile or security module forbids it: allow " + call
	}
	return fault.New(fault.StepUnavailable, fault.ReasonMissing, "", "%s, without which links can't be kept out, doesn't work here", call).
		WithCause(err).WithHint("%s", hint)
}

// plant makes in dir what judgeTree expects.
func plant(dir string) error {
	in := func(name string) string { return filepath.Join(dir, name) }
	return errors.Join(
		os.Mkdir(in("dir"), 0o700),
		os.WriteFile(in("file"), []byte("file"), 0o600),
		os.WriteFile(in("dir/file"), []byte("below"), 0o600),
		os.Symlink("file", in("link")),
		os.Symlink("dir", in("dirlink")),
		os.Symlink("nowhere", in("dangling")),
		unix.Mkfifo(in("fifo"), 0o600),
	)
}

// judgeTree returns what a tree of what plant made does wrong, or nil.
func judgeTree(t tree.Tree) error {
	read := func(path string) error { _, _, err := t.ReadFile(path, 100, nil); return err }
	write := func(path string) error { _, _, err := t.WriteNew(path, nil, tree.Attr{Mode: 0o600}); return err }
	stat := func(path string) error { _, err := t.Stat(path); return err }
	var wrong []error
	for _, try := range []struct {
		what string
		err  error
		want error
	}{
		{"read a file", read("dir/file"), nil},
		{"read a link", read("link"), tree.ErrLink},
		{"read a dangling link", read("dangling"), tree.ErrLink},
		{"read through a link", read("dirlink/file"), tree.ErrLink},
		{"read a FIFO", read("fifo"), tree.ErrNotRegular},
		{"look through a link", stat("dirlink/file"), tree.ErrLink},
		{"write through a dangling link", write("dangling"), tree.ErrExists},
		{"what a dangling link points to", stat("nowhere"), tree.ErrAbsent},
		{"write through a link", write("dirlink/new"), tree.ErrLink},
		{"what it would have written", stat("dir/new"), tree.ErrAbsent},
		{"rename through a link", t.Rename("file", "dirlink/new"), tree.ErrLink},
	} {
		if try.want == nil && try.err != nil || !errors.Is(try.err, try.want) {
			wrong = append(wrong, fmt.Errorf("%s: %v, want %v", try.what, try.err, try.want))
		}
	}
	return errors.Join(wrong...)
}

// judgeRenames tries the flags of renameat2. The file system of scratch may be another
// than that of the tree and not have them, which is no concern; a kernel or a filter
// that hasn't is.
func judgeRenames(t tree.Tree) error {
	err := errors.Join(t.Exchange("file", "dir/file"), t.Rename("file", "new"), t.Rename("new", "file"))
	if errors.Is(err, tree.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return unsupported("renameat2", err)
	}
	if err := t.Rename("file", "dangling"); !errors.Is(err, tree.ErrExists) {
		return fault.New(fault.StepUnavailable, fault.ReasonContainment, "", "renameat2 replaces what it was told to leave").
			WithCause(err).WithHint(hintReport)
	}
	return nil
}
