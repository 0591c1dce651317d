package shim

import (
	"context"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// listenOnce accepts one connection.
func listenOnce(t *testing.T, socket string) (net.Listener, <-chan net.Conn) {
	t.Helper()
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	stream := make(chan net.Conn, 1)
	go func() {
		if c, err := ln.Accept(); err == nil {
			stream <- c
		}
	}()
	return ln, stream
}

func TestADeadlineEndsAToolThatNeverEnds(t *testing.T) {
	life := shimtest.NewLifeline(t)
	req := request(t, shimtest.Command(t, "forever", life.Path)...)
	req.Deadline = 300 * time.Millisecond
	r := runTool(t, req)
	life.WaitDead()
	if r.Ended != wire.Deadline || !r.Started || r.Wall < req.Deadline {
		t.Errorf("result = %+v, want Deadline no earlier than %s", r, req.Deadline)
	}
	if r.Batches[0].Signal != "SIGTERM" {
		t.Errorf("it ended by %q, want SIGTERM: it may clean up", r.Batches[0].Signal)
	}
}

func TestAToolThatIgnoresSIGTERMIsKilledAfterTheGrace(t *testing.T) {
	life := shimtest.NewLifeline(t)
	req := request(t, shimtest.Command(t, "deaf", life.Path)...)
	req.Deadline = 300 * time.Millisecond
	r := runTool(t, req)
	life.WaitDead()
	if r.Ended != wire.Deadline || r.Batches[0].Signal != "SIGKILL" || r.Wall < req.Deadline+req.Grace {
		t.Errorf("result = %+v, want the end by SIGKILL after deadline and grace", r)
	}
}

func TestADeadlineEndsAFlood(t *testing.T) {
	req := request(t, shimtest.Command(t, "flood")...)
	req.Deadline = 300 * time.Millisecond
	r := runTool(t, req)
	if out := r.Batches[0].Stdout; r.Ended != wire.Deadline || out.Total <= 1<<20 || len(out.Head) != 1<<20 {
		t.Errorf("ended %s with %d bytes, %d kept; want Deadline, more than 1 MiB, of that 1 MiB", r.Ended, out.Total, len(out.Head))
	}
}

func TestADaemonIsKilledAndCounted(t *testing.T) {
	life := shimtest.NewLifeline(t)
	r := runTool(t, request(t, shimtest.Command(t, "daemon", life.Path)...))
	life.WaitAlive("daemon")
	life.WaitDead()
	if r.Ended != wire.Exited || r.ExitCode != 0 || r.Leftovers != 1 || r.Unkillable != 0 {
		t.Errorf("result = %+v, want a clean end that left one process", r)
	}
}

func TestAHelperThatEndsBecauseTheToolDidIsNoLeftover(t *testing.T) {
	r := runTool(t, request(t, sh(`mkfifo "$TMPDIR/p"; (read -r x <"$TMPDIR/p"; echo helped) & exec 3>"$TMPDIR/p"; exit 0`)...))
	if r.Leftovers != 0 || string(r.Batches[0].Stdout.Head) != "helped\n" {
		t.Errorf("result = %+v, want no leftover and what the helper said", r)
	}
}

func TestCancellingEndsTheToolAndItsDaemons(t *testing.T) {
	life := shimtest.NewLifeline(t)
	s := attach(t)
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan wire.Started, 1)
	results := make(chan wire.Result, 1)
	go func() {
		results <- s.ask(ctx, request(t, shimtest.Command(t, "daemon-and-stay", life.Path)...), func(w wire.Started) { started <- w })
	}()
	life.WaitAlive("daemon", "forever")
	if w := <-started; w.PID == 0 || w.Program == "" {
		t.Errorf("started = %+v, want pid and program", w)
	}
	cancel()
	r := <-results
	life.WaitDead()
	if r.Ended != wire.Cancelled || !r.Started {
		t.Errorf("result = %+v, want Cancelled", r)
	}
}

// TestDeath: whoever dies, the tool dies, and so does what left its session.
func TestDeath(t *testing.T) {
	for _, tt := range []struct {
		name string
		kill func(s *session)
	}{
		{"the channel breaks", func(s *session) { s.asker.Close() }},
		{"the shim is killed", func(s *session) { kill(s.t, s.hello.PID, syscall.SIGKILL) }},
		{"the guard is killed", func(s *session) { kill(s.t, s.cmd.Process.Pid, syscall.SIGKILL) }},
		{"the guard is told to stop", func(s *session) { kill(s.t, s.cmd.Process.Pid, syscall.SIGTERM) }},
		{"the shim is told to stop", func(s *session) { kill(s.t, s.hello.PID, syscall.SIGTERM) }},
		{"the channel breaks as the guard is killed", func(s *session) {
			kill(s.t, s.cmd.Process.Pid, syscall.SIGSTOP)
			s.asker.Close()
			kill(s.t, s.cmd.Process.Pid, syscall.SIGKILL)
		}},
		{"the channel breaks as the shim is killed", func(s *session) {
			kill(s.t, s.hello.PID, syscall.SIGSTOP)
			s.asker.Close()
			kill(s.t, s.hello.PID, syscall.SIGKILL)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			life := shimtest.NewLifeline(t)
			s := attach(t)
			go s.asker.Ask(context.Background(), request(t, shimtest.Command(t, "daemon-and-stay", life.Path)...), nil)
			life.WaitAlive("daemon", "forever")
			tt.kill(s)
			life.WaitDead()
			s.cmd.Wait()
		})
	}
}

func TestWithoutGuardTheToolStillDiesWithTheShim(t *testing.T) {
	life := shimtest.NewLifeline(t)
	s := attach(t, "--unguarded")
	go s.asker.Ask(context.Background(), request(t, shimtest.Command(t, "forever", life.Path)...), nil)
	life.WaitAlive("forever")
	kill(t, s.hello.PID, syscall.SIGKILL)
	life.WaitDead()
	s.cmd.Wait()
}

func TestAShimThatIsToldToStopBeforeItHasARequestEnds(t *testing.T) {
	s := attach(t)
	kill(t, s.hello.PID, syscall.SIGTERM)
	if err := s.cmd.Wait(); err == nil {
		t.Errorf("the shim ended with 0 without having done anything")
	}
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}
