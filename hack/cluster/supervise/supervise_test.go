package supervise

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serving returns a client of a supervisor that runs in this process.
func serving(t *testing.T) Client {
	t.Helper()
	s := New([]string{"PATH=/usr/bin:/bin", "GREETING=hello"})
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go s.Reap(ended)
	// t.TempDir is too long for a socket's name when a test's name is.
	dir, err := os.MkdirTemp("", "supervise")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "control.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(listener)
	t.Cleanup(func() {
		for _, state := range s.List() {
			s.Stop(state.Name, syscall.SIGKILL, time.Minute)
		}
		listener.Close()
		signal.Stop(ended)
		close(ended)
		os.RemoveAll(dir)
	})
	return Client{Socket: socket}
}

func shell(t *testing.T, script string) Daemon {
	t.Helper()
	return Daemon{Name: "d", Argv: []string{"/bin/sh", "-c", script}, Log: filepath.Join(t.TempDir(), "log")}
}

// state waits until the daemon is in a state that ok accepts.
func state(t *testing.T, c Client, ok func(State) bool) State {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		states, err := c.List()
		if err != nil {
			t.Fatal(err)
		}
		if len(states) == 1 && ok(states[0]) {
			return states[0]
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %+v for 20 s", states)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func over(s State) bool { return !s.Running }

// says waits until the daemon's log has a line: the daemon is then past the command that
// printed it.
func says(t *testing.T, d Daemon, line string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		data, err := os.ReadFile(d.Log)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), line+"\n") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("log: got %q for 20 s, want %q", data, line)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestARunningDaemonIsStartedOnce(t *testing.T) {
	c := serving(t)
	d := shell(t, "exec sleep 600")
	for i, want := range []bool{true, false} {
		started, err := c.Start(d)
		if err != nil || started != want {
			t.Errorf("start %d: got %v, %v, want %v", i+1, started, err, want)
		}
	}
}

func TestADaemonThatEndedSaysHowAndStartsAgain(t *testing.T) {
	c := serving(t)
	d := shell(t, `echo "$GREETING from $0"; exit 3`)
	for _, d := range []Daemon{d, {Name: d.Name}} {
		if started, err := c.Start(d); err != nil || !started {
			t.Fatalf("got %v, %v, want started", started, err)
		}
		if s := state(t, c, over); s.Exit != "exit code 3" {
			t.Errorf("got %q, want exit code 3", s.Exit)
		}
	}
	log, err := os.ReadFile(d.Log)
	if got, want := string(log), strings.Repeat("hello from /bin/sh\n", 2); err != nil || got != want {
		t.Errorf("log: got %q, %v, want %q", got, err, want)
	}
}

func TestStopWaitsForTheEnd(t *testing.T) {
	c := serving(t)
	if _, err := c.Start(shell(t, "exec sleep 600")); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop("d", syscall.SIGTERM, time.Minute); err != nil {
		t.Fatal(err)
	}
	if s := state(t, c, over); s.Exit != "signal terminated" {
		t.Errorf("got %q, want signal terminated", s.Exit)
	}
	if err := c.Stop("d", syscall.SIGTERM, time.Minute); err != nil {
		t.Errorf("stop again: got %v, want nil", err)
	}
}

func TestWhatIgnoresItsSignalIsKilledAfterTheGracePeriod(t *testing.T) {
	c := serving(t)
	d := shell(t, "trap '' TERM; echo deaf; exec sleep 600")
	if _, err := c.Start(d); err != nil {
		t.Fatal(err)
	}
	says(t, d, "deaf")
	if err := c.Stop("d", syscall.SIGTERM, 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if s := state(t, c, over); s.Exit != "signal killed" {
		t.Errorf("got %q, want signal killed", s.Exit)
	}
}

func TestWhatCantBeDoneIsAnError(t *testing.T) {
	c := serving(t)
	log := filepath.Join(t.TempDir(), "log")
	for _, tt := range []struct {
		name string
		do   func() error
		want string
	}{
		{"a program that isn't there", func() error {
			_, err := c.Start(Daemon{Name: "x", Argv: []string{"/no/such/program"}, Log: log})
			return err
		}, "/no/such/program"},
		{"no command", func() error { _, err := c.Start(Daemon{Name: "x", Log: log}); return err }, "no command"},
		{"a log in no directory", func() error {
			_, err := c.Start(Daemon{Name: "x", Argv: []string{"/bin/true"}, Log: "/no/such/log"})
			return err
		}, "/no/such/log"},
		{"an unknown daemon", func() error { return c.Stop("nobody", syscall.SIGTERM, 0) }, `"nobody": never started`},
		{"an unknown order", func() error { _, err := c.ask(request{Do: "dance"}); return err }, `unknown order "dance"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestTheKernelSaysWhoListens(t *testing.T) {
	pid, err := serving(t).PID()
	if err != nil || pid != os.Getpid() {
		t.Errorf("got %d, %v, want %d", pid, err, os.Getpid())
	}
}

func TestASocketThatNobodyListensOnMeansNotRunning(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "left")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: left, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	for _, socket := range []string{left, filepath.Join(dir, "none")} {
		if _, err := (Client{Socket: socket}).PID(); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: got %v, want %v", filepath.Base(socket), err, ErrNotRunning)
		}
	}
}
