// Package procs finds and kills the processes that came of a tool: its descendants, and
// those that carry an invocation's marker in their environment.
//
// It refuses to signal by bare number: a process is held by a pidfd and looked at again
// before it is killed, so that a number that was given to another process meanwhile is
// never hit. It never touches a process that is neither a descendant nor marked.
package procs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Process is a line of the process table.
type Process struct {
	PID   int
	PPID  int
	State byte   // Z is a zombie: dead, but not yet waited for
	Start uint64 // clock ticks since boot: with PID, an identity
}

// alive reports whether there is something to kill.
func (p Process) alive() bool { return p.State != 'Z' && p.State != 'X' }

// Table returns the processes that /proc shows.
func Table() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var table []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := look(pid); ok {
			table = append(table, p)
		}
	}
	return table, nil
}

// look reads one line of the table; false if the process is gone.
func look(pid int) (Process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, false
	}
	return parse(pid, stat)
}

// parse reads /proc/PID/stat. The second field is the program's name in brackets, which
// may hold anything, brackets too; the rest are numbers.
func parse(pid int, stat []byte) (Process, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return Process{}, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return Process{}, false
	}
	ppid, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return Process{}, false
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return Process{}, false
	}
	return Process{PID: pid, PPID: ppid, State: fields[0][0], Start: start}, true
}

// Descendants returns the living descendants of a process, itself excluded.
func Descendants(root int) ([]Process, error) {
	table, err := Table()
	if err != nil {
		return nil, err
	}
	return descendants(table, root), nil
}

func descendants(table []Process, root int) []Process {
	children := make(map[int][]Process, len(table))
	for _, p := range table {
		children[p.PPID] = append(children[p.PPID], p)
	}
	var found []Process
	seen := map[int]bool{root: true}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, p := range children[queue[0]] {
			if seen[p.PID] {
				continue // the table is no snapshot: it may hold a loop
			}
			seen[p.PID] = true
			queue = append(queue, p.PID)
			if p.alive() {
				found = append(found, p)
			}
		}
	}
	return found
}

// Sweep kills processes in passes and counts each once. The zero Sweep is ready.
type Sweep struct {
	hit map[identity]bool
}

type identity struct {
	pid   int
	start uint64
}

// Killed returns how many processes were hit.
func (s *Sweep) Killed() int { return len(s.hit) }

// Descendants kills, once, all that descend from a process and returns how many it saw.
// What is forked meanwhile escapes: call it until nothing is left to wait for.
func (s *Sweep) Descendants(root int) (int, error) {
	found, err := Descendants(root)
	if err != nil {
		return 0, err
	}
	s.kill(found)
	return len(found), nil
}

func (s *Sweep) kill(found []Process) {
	if s.hit == nil {
		s.hit = make(map[identity]bool)
	}
	for _, p := range found {
		if kill(p) == nil {
			s.hit[identity{p.PID, p.Start}] = true
		}
	}
}

var errGone = errors.New("the process is gone")

// kill sends SIGKILL to exactly this process.
func kill(p Process) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The descriptor holds whatever has the number now; only the same start time says
	// that it is the one that was meant.
	if now, ok := look(p.PID); !ok || now.Start != p.Start || !now.alive() {
		return errGone
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}
