package shim

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// job is a request made ready: the program found, the paths split.
type job struct {
	request *wire.Request
	program string   // as found
	fixed   []string // argv without paths
	env     []string
	batches [][]string // paths per run, as they are passed
}

// prepare finds the program and decides how often it runs.
func prepare(r *wire.Request, own []string) (*job, *wire.Failure) {
	argv := r.Argv
	if len(argv) == 0 {
		argv = own
	}
	if len(argv) == 0 {
		return nil, &wire.Failure{Cause: wire.NotFound, Message: "no command was given"}
	}
	j := &job{request: r, fixed: argv, env: environment(r, os.Getenv("PATH"))}
	var failure *wire.Failure
	if j.program, failure = LookUp(argv[0], r.Dir, r.Search, value(j.env, "PATH")); failure != nil {
		return nil, failure
	}
	if r.Passing.As != wire.Arguments {
		if j.batches, failure = batches(argv, j.env, nil, argumentSpace()); failure != nil {
			return nil, failure
		}
		j.batches = [][]string{r.Paths}
		return j, nil
	}
	if len(r.Paths) > 0 && r.Passing.Separator != "" {
		j.fixed = slices.Concat(argv, []string{r.Passing.Separator})
	}
	j.batches, failure = batches(j.fixed, j.env, arguments(r.Paths, r.Passing.Separator), argumentSpace())
	return j, failure
}

// tool is a started run of the program.
type tool struct {
	pid            int
	stdout, stderr *capture
}

// start executes the program for one batch of paths: in a session and so a process group
// of its own, and to be killed by the kernel should this process die.
func (j *job) start(batch []string, limits wire.Limits) (*tool, *wire.Failure) {
	argv, stdin, err := j.hand(batch)
	if err != nil {
		return nil, internal(err)
	}
	defer stdin.Close()
	var t tool
	var out, errs int
	if t.stdout, out, err = newCapture(limits.Stdout, limits.Tail); err != nil {
		return nil, internal(err)
	}
	defer unix.Close(out)
	if t.stderr, errs, err = newCapture(limits.Stderr, limits.Tail); err != nil {
		t.stdout.read.Close()
		return nil, internal(err)
	}
	defer unix.Close(errs)
	t.pid, err = syscall.ForkExec(j.program, argv, &syscall.ProcAttr{
		Dir:   j.request.Dir,
		Env:   j.env,
		Files: []uintptr{stdin.Fd(), uintptr(out), uintptr(errs)},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		t.stdout.read.Close()
		t.stderr.read.Close()
		return nil, execFailure(j.fixed[0], j.program, err)
	}
	go t.stdout.drain()
	go t.stderr.drain()
	return &t, nil
}

// hand returns the command line and the standard input that tell the tool its paths.
func (j *job) hand(batch []string) ([]string, *os.File, error) {
	argv := j.fixed[:len(j.fixed):len(j.fixed)]
	passing := j.request.Passing
	if passing.As == wire.Stdin {
		stdin, err := memory(joined(batch, 0))
		return argv, stdin, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case passing.As == wire.Arguments:
		argv = append(argv, batch...)
	case passing.As == wire.File && len(batch) > 0:
		end := byte(0)
		if passing.Newline {
			end = '\n'
		}
		list := j.request.Tmp + "/fettle-paths"
		if err := os.WriteFile(list, joined(batch, end), 0o600); err != nil {
			null.Close()
			return nil, nil, err
		}
		if passing.Separator != "" {
			argv = append(argv, passing.Separator)
		}
		argv = append(argv, list)
	}
	return argv, null, nil
}

// joined returns paths, each followed by end.
func joined(paths []string, end byte) []byte {
	var b bytes.Buffer
	for _, p := range paths {
		b.WriteString(p)
		b.WriteByte(end)
	}
	return b.Bytes()
}

// memory returns a file without name that holds data, to be read from its start: unlike
// a pipe it needs nobody who feeds it.
func memory(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("paths", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "paths")
	if _, err := file.Write(data); err != nil {
		file.Close()
		return nil, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func internal(err error) *wire.Failure {
	return &wire.Failure{Cause: wire.InternalFailed, Errno: errnoName(err), Message: fmt.Sprintf("the tool's input and output could not be made: %s", reason(err))}
}
