// Package killtest kills a process with SIGKILL right before or after the n-th system
// call of a set, so that a test can stop a program at every point that matters to a
// file system. It is for tests only and needs ptrace.
package killtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Set names the system calls that are counted.
type Set []uint64

// Point is where to kill: right after the N-th call of Set (from 1) in the process whose
// executable is called Target, or right before it if Before. N = 0 never kills and
// counts only.
type Point struct {
	Target string // base name of the executable, e.g. "fettle"
	Set    Set
	N      int
	Before bool
}

// Result says what became of the program that was started.
type Result struct {
	Calls    int  // calls of Set that Target made before it was killed or ended
	Killed   bool // Target was killed at the point
	ExitCode int  // of the program that was started; -1 if a signal ended it
}

// Command is a program to start. Output gets its standard output and error.
type Command struct {
	Path   string // absolute
	Args   []string
	Env    []string
	Dir    string
	Output *os.File
}

// Run runs the command, kills Target at the point, and waits until every process that
// the command started and that is traced has ended.
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

func run(c Command, at Point) (Result, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return Result{}, err
	}
	defer null.Close()
	process, err := os.StartProcess(c.Path, append([]string{c.Path}, c.Args...), &os.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []*os.File{null, c.Output, c.Output},
		Sys: &unix.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return Result{}, fmt.Errorf("start %s: %w", c.Path, err)
	}
	t := &tracer{point: at, root: process.Pid, tasks: map[int]*task{}}
	return t.follow()
}

// task is one traced thread.
type task struct {
	process string // base name of its executable
	inCall  bool
	call    uint64
}

type tracer struct {
	point  Point
	root   int
	tasks  map[int]*task
	result Result
}

const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
	unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

func (t *tracer) follow() (Result, error) {
	var status unix.WaitStatus
	if _, err := unix.Wait4(t.root, &status, unix.WALL, nil); err != nil {
		return t.result, fmt.Errorf("wait for the first stop: %w", err)
	}
	if err := unix.PtraceSetOptions(t.root, options); err != nil {
		return t.result, fmt.Errorf("trace: %w", err)
	}
	t.add(t.root)
	t.resume(t.root, 0)
	for {
		pid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.ECHILD) {
			return t.result, nil
		}
		if err != nil {
			return t.result, fmt.Errorf("wait: %w", err)
		}
		t.handle(pid, status)
	}
}

func (t *tracer) handle(pid int, status unix.WaitStatus) {
	if status.Exited() || status.Signaled() {
		delete(t.tasks, pid)
		if pid == t.root {
			t.result.ExitCode = status.ExitStatus()
		}
		return
	}
	if !status.Stopped() {
		return
	}
	t.add(pid)
	switch signal := status.StopSignal(); {
	case signal == unix.SIGTRAP|0x80:
		t.atCall(pid)
		t.resume(pid, 0)
	case signal == unix.SIGTRAP && status.TrapCause() == unix.PTRACE_EVENT_EXEC:
		t.tasks[pid].process = executable(pid)
		t.resume(pid, 0)
	case signal == unix.SIGTRAP && status.TrapCause() > 0, signal == unix.SIGSTOP:
		t.resume(pid, 0) // an event of a parent, or the first stop of a child
	default:
		t.resume(pid, signal)
	}
}

// atCall sees a task enter or leave a system call, and kills its process at the point.
func (t *tracer) atCall(pid int) {
	task := t.tasks[pid]
	task.inCall = !task.inCall
	if task.inCall {
		task.call = callNumber(pid)
	}
	if task.process != t.point.Target || !slices.Contains(t.point.Set, task.call) || t.result.Killed {
		return
	}
	if task.inCall {
		t.result.Calls++
	}
	if t.result.Calls == t.point.N && task.inCall == t.point.Before {
		t.result.Killed = true
		_ = unix.Kill(threadGroup(pid), unix.SIGKILL) // it may be gone: then it is dead, as wanted
	}
}

func (t *tracer) add(pid int) {
	if t.tasks[pid] == nil {
		t.tasks[pid] = &task{process: executable(pid)}
	}
}

// resume lets a stopped task go on; one that was killed meanwhile reports its end to the
// next wait.
func (t *tracer) resume(pid int, signal unix.Signal) {
	_ = unix.PtraceSyscall(pid, int(signal))
}

func executable(pid int) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(name, " (deleted)"))
}

func threadGroup(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return pid
	}
	tgid := pid
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "Tgid: %d", &tgid); err == nil {
			break
		}
	}
	return tgid
}
