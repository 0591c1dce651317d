package killtest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// next returns what happened to one of the traced tasks; ECHILD if there is none any
// more.
//
// The thread may have other children: those that a goroutine forked on it before it
// became the tracer's, or that it inherited from a thread that ended. They are whoever's
// started them to wait for, so they are looked at and left.
func (t *tracer) next() (int, unix.WaitStatus, error) {
	for {
		flags := unix.WEXITED | unix.WSTOPPED | unix.WNOWAIT | unix.WALL | unix.WNOTHREAD
		if len(t.tasks) == 0 { // but for those that nobody has seen yet
			flags |= unix.WNOHANG
		}
		pid, err := peek(flags)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, 0, err
		case pid == 0:
			return 0, 0, unix.ECHILD
		case t.tasks[pid] == nil && !traced(pid):
			time.Sleep(100 * time.Microsecond) // until its owner has waited for it
			continue
		}
		// What was seen may be over: a stopped task may have been killed meanwhile.
		var status unix.WaitStatus
		got, err := unix.Wait4(pid, &status, unix.WALL|unix.WNOTHREAD|unix.WNOHANG, nil)
		if err != nil || got == pid {
			return pid, status, err
		}
	}
}

// peek returns the number of a child that something happened to, 0 if there is none yet.
func peek(flags int) (int, error) {
	// Siginfo as the kernel fills it in for a child: three ints, then the number aligned
	// as a pointer is.
	var info struct {
		_   [3]int32
		_   [0]uintptr
		pid int32
		_   [128]byte
	}
	err := unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&info)), flags, nil)
	return int(info.pid), err
}

// traced says whether a process has a tracer: of this thread's children only its own.
func traced(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	tracer := 0
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "TracerPid: %d", &tracer); err == nil {
			break
		}
	}
	return tracer != 0
}
