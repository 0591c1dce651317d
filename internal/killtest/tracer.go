package killtest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

func run(c Command, at Point) (Result, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return Result{}, err
	}
	defer null.Close()
	argv := append([]string{c.Path}, c.Args...)
	if c.Launcher != "" {
		argv = append([]string{c.Launcher}, launched(at.Set, argv)...)
	}
	process, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []*os.File{null, c.Output, cmp.Or(c.Errors, c.Output)},
		Sys: &unix.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return Result{}, fmt.Errorf("start %s: %w", argv[0], err)
	}
	t := &tracer{point: at, root: process.Pid, filtered: c.Launcher != "", patience: cmp.Or(c.Patience, DefaultPatience), tasks: map[int]*task{}}
	return t.follow()
}

// task is one traced thread.
type task struct {
	process string // base name of its executable
	counted int    // of the call that it is in, its number among those that count; else 0
}

type tracer struct {
	point    Point
	root     int
	filtered bool // only calls of the set stop a task, by the filter of a launcher
	patience time.Duration
	result   Result

	mu    sync.Mutex // guards tasks, and with it Left, for the timer
	tasks map[int]*task
}

const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
	unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL

func (t *tracer) follow() (Result, error) {
	var status unix.WaitStatus
	if _, err := unix.Wait4(t.root, &status, unix.WALL, nil); err != nil {
		return t.result, fmt.Errorf("wait for the first stop: %w", err)
	}
	if err := unix.PtraceSetOptions(t.root, options); err != nil {
		return t.result, fmt.Errorf("trace: %w", err)
	}
	impatience := time.AfterFunc(t.patience, t.loseThem)
	defer impatience.Stop()
	t.add(t.root)
	t.resume(t.root, 0)
	for {
		pid, status, err := t.next()
		if errors.Is(err, unix.ECHILD) {
			return t.end()
		}
		if err != nil {
			return t.result, fmt.Errorf("wait: %w", err)
		}
		killed := t.result.Killed
		t.handle(pid, status)
		if t.result.Killed && !killed {
			impatience.Reset(t.patience)
		}
	}
}

// end returns the result once nobody is left.
func (t *tracer) end() (Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.Sort(t.result.Left)
	t.result.Left = slices.Compact(t.result.Left)
	if len(t.result.Left) > 0 && !t.result.Killed {
		return t.result, fmt.Errorf("%v didn't end within %s", t.result.Left, t.patience)
	}
	return t.result, nil
}

// loseThem ends the patience with whatever is still alive.
func (t *tracer) loseThem() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for pid, task := range t.tasks {
		t.result.Left = append(t.result.Left, task.process)
		_ = unix.Kill(threadGroup(pid), unix.SIGKILL) // it may be gone: as wanted
	}
}

func (t *tracer) handle(pid int, status unix.WaitStatus) {
	if status.Exited() || status.Signaled() {
		t.mu.Lock()
		delete(t.tasks, pid)
		t.mu.Unlock()
		if pid == t.root {
			t.result.ExitCode = status.ExitStatus()
		}
		return
	}
	if !status.Stopped() {
		return
	}
	task := t.add(pid)
	switch signal, cause := status.StopSignal(), status.TrapCause(); {
	case signal == unix.SIGTRAP|0x80, signal == unix.SIGTRAP && cause == unix.PTRACE_EVENT_SECCOMP:
		t.atCall(pid, task)
		t.resume(pid, 0)
	case signal == unix.SIGTRAP && cause == unix.PTRACE_EVENT_EXEC:
		t.executed(pid, task)
		t.resume(pid, 0)
	case signal == unix.SIGTRAP && cause > 0:
		if child, err := unix.PtraceGetEventMsg(pid); err == nil {
			t.add(int(child))
		}
		t.resume(pid, 0)
	case signal == unix.SIGSTOP:
		t.resume(pid, 0) // the first stop of a child
	default:
		t.resume(pid, signal)
	}
}

// executed notes what a task has become. Its threads are gone; so is the number of the
// one that executed, if that wasn't the first.
func (t *tracer) executed(pid int, task *task) {
	former, err := unix.PtraceGetEventMsg(pid)
	t.mu.Lock()
	defer t.mu.Unlock()
	task.process = executable(pid)
	if err == nil && int(former) != pid {
		delete(t.tasks, int(former))
	}
}

// atCall sees a task enter or leave a system call, and kills at the point.
func (t *tracer) atCall(pid int, task *task) {
	if task.process != t.point.Target || t.result.Killed {
		return
	}
	info, ok := callOf(pid)
	switch {
	case !ok:
	case info.op == atExit:
		if task.counted == t.point.N && task.counted > 0 {
			t.kill(pid)
		}
		task.counted = 0
	case slices.Contains(t.point.Set, info.nr):
		t.count(pid, task, info.describe(pid))
	}
}

// count counts a call that is about to be made.
func (t *tracer) count(pid int, task *task, call Call) {
	if t.point.Where != nil && !t.point.Where(call) {
		return
	}
	t.result.Calls++
	switch {
	case t.point.N == 0:
		t.result.Trace = append(t.result.Trace, call)
	case t.result.Calls == t.point.N:
		t.result.At = call
		task.counted = t.result.Calls
		if t.point.Before {
			t.kill(pid)
		}
	}
}

// kill kills the victims, or the process that made the call.
func (t *tracer) kill(pid int) {
	t.result.Killed = true
	groups := map[int]bool{threadGroup(pid): len(t.point.Victims) == 0}
	for pid, task := range t.tasks {
		if slices.Contains(t.point.Victims, task.process) {
			groups[threadGroup(pid)] = true
		}
	}
	for group, victim := range groups {
		if victim {
			_ = unix.Kill(group, unix.SIGKILL) // it may be gone: then it is dead, as wanted
		}
	}
}

func (t *tracer) add(pid int) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tasks[pid] == nil {
		t.tasks[pid] = &task{process: executable(pid)}
	}
	return t.tasks[pid]
}

// resume lets a stopped task go on, to the end of the call that it is in or the next one
// that matters. One that was killed meanwhile reports its end to the next wait.
func (t *tracer) resume(pid int, signal unix.Signal) {
	if t.filtered && t.tasks[pid].counted == 0 {
		_ = unix.PtraceCont(pid, int(signal))
		return
	}
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
