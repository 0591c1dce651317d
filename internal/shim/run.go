package shim

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/scratch"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// run serves a request and accounts for it, whatever happens. The calling goroutine is
// locked to its thread.
func run(r *wire.Request, own []string, conn *wire.Conn, e *ears) (result wire.Result) {
	result.Ended = wire.NotStarted
	result.Containment = confinement()
	if err := r.Validate(); err != nil {
		result.Failure = &wire.Failure{Cause: wire.BadRequest, Message: err.Error()}
		return result
	}
	unix.Umask(r.Umask)
	release, failure := makePrivate(r)
	defer func() { result.Unemptied = release() }()
	if failure != nil {
		result.Failure = failure
		return result
	}
	j, failure := prepare(r, own)
	if failure != nil {
		result.Failure = failure
		return result
	}
	result.Planned = len(j.batches)
	deadline := make(chan struct{})
	terms := terms{cancel: e.cancel, broken: e.broken, deadline: deadline, grace: r.Grace}
	if result.Version, result.Unkillable = version(r, terms); result.Unkillable > 0 {
		result.Failure = &wire.Failure{Cause: wire.ExecOtherwise, Program: r.Version[0], Message: "the command that tells the version outlives SIGKILL"}
		return result
	}
	limits := r.Limits
	var start time.Time
	for _, batch := range j.batches {
		if why := terms.due(); why != "" {
			result.Ended = why
			return result
		}
		tool, failure := j.start(batch, limits)
		if failure != nil {
			result.Ended, result.Failure = wire.NotStarted, failure
			return result
		}
		if !result.Started {
			result.Started = true
			start = time.Now()
			if r.Deadline > 0 {
				defer time.AfterFunc(r.Deadline, func() { close(deadline) }).Stop()
			}
			// If nobody hears it, the ears know.
			_ = conn.Send(wire.Message{Started: &wire.Started{PID: tool.pid, Program: j.program}})
		}
		end := supervise(tool.pid, terms)
		b := wire.Batch{Paths: len(batch), Stdout: tool.stdout.output(), Stderr: tool.stderr.output()}
		limits.Stdout -= int64(len(b.Stdout.Head))
		limits.Stderr -= int64(len(b.Stderr.Head))
		result.Wall = time.Since(start)
		if !account(&result, b, end, r.GoOn) {
			return result
		}
	}
	return result
}

// account adds one batch to the result and reports whether the next may run.
func account(result *wire.Result, b wire.Batch, end ending, goOn []int) bool {
	result.Usage = result.Usage.Add(end.usage)
	result.Leftovers += end.leftovers
	result.Unkillable += end.unkillable
	code := 0
	if end.status.Signaled() {
		b.Signal = unix.SignalName(end.status.Signal())
	} else {
		code = end.status.ExitStatus()
	}
	b.ExitCode = code
	result.Batches = append(result.Batches, b)
	failed := code != 0 && !slices.Contains(goOn, code)
	switch {
	case end.why != "":
		result.Ended, result.ExitCode = end.why, 0
	case b.Signal != "":
		result.Ended, result.ExitCode, result.Signal = wire.Signalled, 0, b.Signal
	case failed || result.Ended == wire.NotStarted || result.ExitCode == 0:
		result.Ended, result.ExitCode = wire.Exited, code
	}
	return result.Ended == wire.Exited && !failed && end.unkillable == 0
}

// makePrivate makes the private directories. release empties them and says what it
// couldn't; it is to be called in any case.
func makePrivate(r *wire.Request) (release func() string, failure *wire.Failure) {
	var dirs []*scratch.Dir
	release = func() string {
		for _, d := range slices.Backward(dirs) {
			if err := d.Close(); err != nil {
				return err.Error()
			}
		}
		return ""
	}
	for _, name := range []string{r.Home, r.Tmp, r.Cache} {
		d, err := scratch.Open(name)
		if err != nil {
			return release, &wire.Failure{Cause: wire.BadDirectory, Errno: errnoName(err), Message: err.Error()}
		}
		dirs = append(dirs, d)
	}
	// The kernel has one errno for all that can be wrong with an exec: ask for the
	// directory alone before.
	if err := unix.Faccessat(unix.AT_FDCWD, r.Dir+"/.", unix.X_OK, unix.AT_EACCESS); err != nil {
		return release, &wire.Failure{Cause: wire.BadDirectory, Errno: errnoName(err), Message: fmt.Sprintf("the root can't be entered: %s", reason(err))}
	}
	return release, nil
}
