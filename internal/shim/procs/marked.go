package procs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"
)

// KillMarked kills every process whose environment, as it was at its exec, has variable
// name with a value that match accepts, until none is left. It returns how many it
// killed; an error if some live on after ctx ended, or the table can't be read.
//
// A process that another user owns or that made itself undumpable hides its environment,
// and one that was exec'ed with a cleared environment has no marker: those are missed.
func KillMarked(ctx context.Context, name string, match func(value string) bool) (int, error) {
	var sweep Sweep
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		table, err := Table()
		if err != nil {
			return sweep.Killed(), err
		}
		found := marked(table, name, match)
		if len(found) == 0 {
			return sweep.Killed(), nil
		}
		sweep.kill(found)
		select {
		case <-ctx.Done():
			return sweep.Killed(), fmt.Errorf("%d processes outlive SIGKILL, the first is %d: %w", len(found), found[0].PID, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func marked(table []Process, name string, match func(string) bool) []Process {
	var found []Process
	self := os.Getpid()
	for _, p := range table {
		if p.PID == self || !p.alive() {
			continue
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err != nil {
			continue
		}
		if value, ok := lookup(environ, name); ok && match(value) {
			found = append(found, p)
		}
	}
	return found
}

// lookup returns the first value of name in a NUL-separated environment.
func lookup(environ []byte, name string) (string, bool) {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if key, value, ok := bytes.Cut(entry, []byte("=")); ok && string(key) == name {
			return string(value), true
		}
	}
	return "", false
}
