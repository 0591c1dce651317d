package rig

import (
	"fmt"
	"runtime"
	"testing"
)

// Probe is a testing.TB that keeps what went wrong rather than failing a test, so that a
// harness can be tested by what it finds. Only its own methods may be used.
type Probe struct {
	testing.TB
	problems []string
}

// Try runs f with a probe, in a goroutine of its own, and returns what went wrong.
func Try(f func(tb testing.TB)) []string {
	p := &Probe{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(p)
	}()
	<-done
	return p.problems
}

// Helper does nothing.
func (p *Probe) Helper() {}

// Errorf keeps a problem.
func (p *Probe) Errorf(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

// Error keeps a problem.
func (p *Probe) Error(args ...any) { p.problems = append(p.problems, fmt.Sprintln(args...)) }

// Fatalf keeps a problem and ends the goroutine.
func (p *Probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

// Fatal keeps a problem and ends the goroutine.
func (p *Probe) Fatal(args ...any) {
	p.Error(args...)
	runtime.Goexit()
}

// Failed says whether something went wrong so far.
func (p *Probe) Failed() bool { return len(p.problems) > 0 }
