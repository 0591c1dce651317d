package shim

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/procs"
)

// guard runs the shim proper as a child and does nothing but wait for it, then kills
// whatever is left: were the shim alone, its own SIGKILL would set free what has left the
// tool's session. The other way round, the death of the guard is a SIGTERM to the shim.
//
// The guard keeps its copy of an inherited channel fd, so that fettle sees the channel
// end only when both are gone. It returns the shim's exit code.
func guard(args []string, fd int, stop <-chan os.Signal) (int, error) {
	runtime.LockOSThread() // as in Serve
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return ExitBroken, fmt.Errorf("become the guard of the tool's processes: %w", err)
	}
	files := []uintptr{0, 1, 2}
	for fd >= 0 && len(files) <= fd {
		files = append(files, ^uintptr(0)) // closed in the child
	}
	if fd >= 0 {
		files[fd] = uintptr(fd)
		unix.CloseOnExec(fd)
	}
	const self = "/proc/self/exe"
	argv := append([]string{"fettle-shim", "--unguarded"}, args...)
	held := -1
	pid, err := syscall.ForkExec(self, argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: files,
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, PidFD: &held},
	})
	if err != nil {
		return ExitBroken, fmt.Errorf("start the shim: %w", err)
	}
	go func() {
		for s := range stop {
			if sig, ok := s.(syscall.Signal); ok {
				_ = unix.PidfdSendSignal(held, sig, nil, 0)
			}
		}
	}()
	code := await(pid)
	return code, clearUp()
}

// await waits for the shim and returns its exit code. Nobody else can become our child
// before the shim has ended: it is the nearer reaper.
func await(pid int) int {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if !status.Exited() {
		return ExitBroken
	}
	return status.ExitStatus()
}

// clearUp kills and reaps what the shim has left.
func clearUp() error {
	var sweep procs.Sweep
	for until := time.Now().Add(killTime); ; time.Sleep(5 * time.Millisecond) {
		if reaped() {
			return nil
		}
		if _, err := sweep.Descendants(os.Getpid()); err != nil {
			return err
		}
		if time.Now().After(until) {
			return errors.New("processes of the tool outlive SIGKILL")
		}
	}
}

// reaped waits for all that are dead and reports whether no child is left.
func reaped() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WALL|unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return true // ECHILD
		case pid == 0:
			return false
		}
	}
}
