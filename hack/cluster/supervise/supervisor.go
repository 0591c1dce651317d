// Package supervise starts, ends and reaps the daemons of a node, and takes orders for that
// over a Unix socket.
//
// It is made for the first process of a PID namespace: it reaps every child, its own or
// adopted, so nothing else in the process may wait for children. It never starts a daemon
// again by itself: a test that ends one decides when it comes back.
package supervise

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Daemon is what to start.
type Daemon struct {
	Name string   `json:"name"`
	Argv []string `json:"argv"` // an absolute path and its arguments
	Log  string   `json:"log"`  // file that standard output and error are appended to
}

// State is what became of a daemon.
type State struct {
	Name    string `json:"name"`
	PID     int    `json:"pid"` // in the supervisor's PID namespace
	Running bool   `json:"running"`
	Exit    string `json:"exit,omitempty"` // how it ended
	Log     string `json:"log"`
}

// Supervisor holds the daemons it has started. Make it with [New].
type Supervisor struct {
	mu      sync.Mutex
	daemons map[string]*child
	env     []string
}

type child struct {
	State
	daemon Daemon
	ended  chan struct{}
}

// New returns a supervisor that gives env to the daemons.
func New(env []string) *Supervisor {
	return &Supervisor{daemons: map[string]*child{}, env: env}
}

// Start starts d unless it is running, and says whether it did. Without a command it starts
// the daemon of that name as it was started last.
func (s *Supervisor) Start(d Daemon) (started bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.daemons[d.Name]; c != nil && c.Running {
		return false, nil
	}
	if c := s.daemons[d.Name]; c != nil && len(d.Argv) == 0 {
		d = c.daemon
	}
	if len(d.Argv) == 0 {
		return false, fmt.Errorf("daemon %q: no command", d.Name)
	}
	log, err := os.OpenFile(d.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return false, fmt.Errorf("daemon %q: %w", d.Name, err)
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return false, fmt.Errorf("daemon %q: %w", d.Name, err)
	}
	defer null.Close()
	// Reap takes the lock before it looks a PID up, so it finds a child that ends at once.
	process, err := os.StartProcess(d.Argv[0], d.Argv, &os.ProcAttr{
		Dir:   "/",
		Env:   s.env,
		Files: []*os.File{null, log, log},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return false, fmt.Errorf("daemon %q: %w", d.Name, err)
	}
	s.daemons[d.Name] = &child{
		State:  State{Name: d.Name, PID: process.Pid, Running: true, Log: d.Log},
		daemon: d,
		ended:  make(chan struct{}),
	}
	return true, process.Release()
}

// Stop sends a signal to a daemon and waits until it has ended. One that hasn't within grace
// is killed. Stopping what doesn't run is fine.
func (s *Supervisor) Stop(name string, signal syscall.Signal, grace time.Duration) error {
	s.mu.Lock()
	c := s.daemons[name]
	if c == nil {
		s.mu.Unlock()
		return fmt.Errorf("daemon %q: never started", name)
	}
	err := c.signal(signal)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("daemon %q: %w", name, err)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.ended:
		return nil
	case <-timer.C:
	}
	s.mu.Lock()
	err = c.signal(syscall.SIGKILL)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("daemon %q: %w", name, err)
	}
	<-c.ended
	return nil
}

// signal is called with the lock held: the PID is the child's own until Reap has recorded
// its end.
func (c *child) signal(signal syscall.Signal) error {
	if !c.Running {
		return nil
	}
	err := syscall.Kill(c.PID, signal)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// List returns the states by name.
func (s *Supervisor) List() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]State, 0, len(s.daemons))
	for _, c := range s.daemons {
		states = append(states, c.State)
	}
	slices.SortFunc(states, func(a, b State) int { return strings.Compare(a.Name, b.Name) })
	return states
}

// Reap collects children that have ended, each time that ended says so, until it is closed.
func (s *Supervisor) Reap(ended <-chan os.Signal) {
	for range ended {
		for s.reapOne() {
		}
	}
}

func (s *Supervisor) reapOne() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	if errors.Is(err, syscall.EINTR) {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	for _, c := range s.daemons {
		if c.PID == pid && c.Running {
			c.Running, c.Exit = false, describe(status)
			close(c.ended)
		}
	}
	return true
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal " + status.Signal().String()
	}
	return fmt.Sprintf("exit code %d", status.ExitStatus())
}
