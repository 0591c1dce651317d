package killtest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launchArg is the first argument of a launcher.
const launchArg = "killtest-launch"

// Launch makes this process the program under test, with a filter by which the calls of a
// set stop it and whatever it starts, if that is what it was started for; else it
// returns at once. The main of a launcher calls it before anything else.
func Launch() {
	if len(os.Args) < 4 || os.Args[1] != launchArg {
		return
	}
	fmt.Fprintln(os.Stderr, "killtest:", launch(os.Args[2], os.Args[3:]))
	os.Exit(99)
}

// launched returns the arguments with which a launcher starts a command.
func launched(set Set, argv []string) []string {
	numbers := make([]string, len(set))
	for i, nr := range set {
		numbers[i] = strconv.FormatUint(nr, 10)
	}
	return append([]string{launchArg, strings.Join(numbers, ",")}, argv...)
}

func launch(set string, argv []string) error {
	runtime.LockOSThread() // the filter is this thread's, and exec keeps it
	var calls Set
	for text := range strings.SplitSeq(set, ",") {
		nr, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return err
		}
		calls = append(calls, nr)
	}
	if err := install(stopAt(calls)); err != nil {
		return fmt.Errorf("install the filter: %w", err)
	}
	return fmt.Errorf("exec %s: %w", argv[0], unix.Exec(argv[0], argv, os.Environ()))
}

// stopAt is a program for the kernel that stops a task at the calls of a set and lets all
// others pass.
func stopAt(set Set) []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{{Code: load, K: 0}} // the number of the call
	for i, nr := range set {
		program = append(program, unix.SockFilter{Code: equal, K: uint32(nr), Jt: uint8(len(set) - i)})
	}
	return append(program,
		unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: give, K: unix.SECCOMP_RET_TRACE})
}

func install(program []unix.SockFilter) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&f)))
	if errno != 0 {
		return errno
	}
	return nil
}
