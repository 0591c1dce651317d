// Package killtest kills a process of a process tree with SIGKILL right before or after
// the n-th system call of a set, so that a test can stop a program at every point that
// matters to a file system. It is for tests only and needs ptrace.
//
// It follows every process that the command starts, daemons included, and waits for them
// all: what outlives the kill for too long is named in the result, and killed. It never
// touches a process that the command hasn't started.
package killtest

import (
	"os"
	"runtime"
	"time"
)

// Set names the system calls that are looked at.
type Set []uint64

// Point is where to kill: right after the N-th call (from 1) that counts in a process
// whose executable is called Target, or right before it if Before. N = 0 never kills and
// counts only.
type Point struct {
	Target string          // base name of the executable, e.g. "fettle"
	Set    Set             // calls that may count
	Where  func(Call) bool // those of them that do; nil is all
	N      int
	Before bool
	// Victims are the executables whose processes are killed at the point, all of them at
	// once; none is the process that made the call.
	Victims []string
}

// Call is one system call, about to be made.
type Call struct {
	Number uint64
	// Path is the file that it acts on: absolute, links of its directories resolved where
	// it is named by a descriptor; "" if it isn't one. To is the second of a rename or link.
	Path, To string
	Creates  bool // of an open: it creates or truncates
}

// Result says what became of the program that was started.
type Result struct {
	Calls    int      // calls that counted before Target was killed or ended
	Killed   bool     // the victims were killed at the point
	ExitCode int      // of the program that was started; -1 if a signal ended it
	At       Call     // where it was killed
	Trace    []Call   // all calls that counted, if N is 0
	Left     []string // executables that outlived the kill by more than the patience
}

// DefaultPatience is a Command's where it says none.
const DefaultPatience = 30 * time.Second

// Command is a program to start. Output gets its standard output and error, or standard
// output alone if Errors is set.
type Command struct {
	Path   string // absolute
	Args   []string
	Env    []string
	Dir    string
	Output *os.File
	Errors *os.File
	// Launcher is a program that calls Launch first. With it only the calls of the set
	// stop a process, which is several times as fast.
	Launcher string
	// Patience is what processes get to end by themselves once the victims are killed, and
	// all of them together if nobody is.
	Patience time.Duration
}

// Run runs the command, kills at the point, and waits until every process that the
// command started has ended.
func Run(c Command, at Point) (Result, error) {
	type answer struct {
		result Result
		err    error
	}
	done := make(chan answer)
	go func() {
		// ptrace belongs to a thread; it isn't given back, so that it ends with the goroutine.
		runtime.LockOSThread()
		result, err := run(c, at)
		done <- answer{result, err}
	}()
	a := <-done
	return a.result, a.err
}
