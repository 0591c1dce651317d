// Package shim is the program that runs a tool for fettle, inside a fixer's container or
// beside the local driver: it attaches to the channel, runs what it is told in a process
// group of its own with a clean environment, and reports how that ended, what it used
// and what it printed.
//
// Whatever happens, nothing of the tool outlives the invocation:
//
//   - what the tool leaves behind, two forks and a session away, becomes a child of the
//     shim, the nearest reaper, and is killed when the tool has ended;
//   - the end of the channel, so the death of fettle, is an order to kill at once;
//   - the kernel kills the tool when the shim dies; a guard, the shim's parent and the
//     next reaper, then kills the rest. The death of the guard is an order to the shim.
//     A container's first process needs none: with it its whole namespace dies.
//
// So any two of fettle, guard and shim may be killed at one instant. When all three are,
// the tool dies and its daemons live on until the next run on the same state looks for
// their marker in the process table (package procs). What escapes that has cleared its
// environment, or runs as another user; cgroups or a PID namespace would catch it, and
// not every machine grants those.
//
// It refuses requests that it can't serve exactly. It interprets no output, knows no
// Kubernetes, and never touches the tree itself.
package shim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Serve holds one conversation on channel and returns once the result is acknowledged.
// own is the command that the shim was started with; a request without command runs it.
// stop delivers signals that ask the shim to end; each is a cancellation.
//
// An error means that the other side is gone, or that it broke the protocol; the tool is
// dead by then.
func Serve(channel io.ReadWriteCloser, own []string, stop <-chan os.Signal) error {
	defer channel.Close()
	// The kernel sends the tool's death signal when the thread ends that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := harden(); err != nil {
		return err
	}
	conn := wire.NewConn(channel)
	if err := conn.Send(wire.Message{Hello: &wire.Hello{Version: wire.Version, PID: os.Getpid(), Command: own}}); err != nil {
		return err
	}
	ears := listen(conn, stop)
	request, err := ears.requested()
	if err != nil {
		return err
	}
	result := run(request, own, conn, ears)
	if err := conn.Send(wire.Message{Result: &result}); err != nil {
		return err
	}
	return ears.acknowledged()
}

// harden makes this process the reaper of what the tool leaves, keeps crash dumps out of
// the tree, and gives up the privileges of set-user-ID programs: their exec would clear
// the death signal that the tool has from us, and a Pod doesn't have them either.
func harden() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the reaper of the tool's processes: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}
	// What leaked in from whoever started us isn't the tool's; kernels before 5.11
	// can't, and Go marks what it opens itself.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("mark descriptors: %w", err)
	}
	return nil
}
