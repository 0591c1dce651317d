package hostile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/test/rig"
)

// started is a fettle under way, whose tool is at work.
type started struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// start starts a run in a process group of its own, as a shell does.
func start(t *testing.T, w *rig.World, args ...string) *started {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), rig.Timeout)
	s := &started{t: t, cmd: w.Command(ctx, w.RunArgs(args...)...)}
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = s.cmd.Wait() // most often it has been waited for
	})
	return s
}

func (s *started) wait() rig.Ran {
	s.t.Helper()
	_ = s.cmd.Wait() // its exit code is judged by the caller
	return rig.Ended(s.cmd, s.stdout.String(), s.stderr.String())
}

// signal sends a signal to the whole group, as a terminal does.
func (s *started) signal(signal syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(-s.cmd.Process.Pid, signal); err != nil {
		s.t.Fatal(err)
	}
}

// holding is a world whose tool holds a lifeline until a gate opens.
func holding(t *testing.T) (w *rig.World, life *shimtest.Lifeline, gate *gate) {
	t.Helper()
	life, gate = shimtest.NewLifeline(t), newGate(t)
	return world(t, three(), steps(misfit("await, "+life.Path+", "+gate.path))), life, gate
}

// gate is a FIFO that a tool waits at.
type gate struct {
	t    *testing.T
	path string
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, path: t.TempDir() + "/gate"}
	if err := syscall.Mkfifo(g.path, 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// open lets one tool through.
func (g *gate) open() {
	g.t.Helper()
	f, err := os.OpenFile(g.path, os.O_WRONLY, 0)
	if err != nil {
		g.t.Fatal(err)
	}
	f.Close()
}

func TestASecondRunThatDoesNotWaitIsToldWhoHoldsTheRoot(t *testing.T) {
	t.Parallel()
	w, life, gate := holding(t)
	first := start(t, w)
	life.WaitAlive("awaiting")
	second := w.Run(t, "--wait", "0s")
	second.Want(t, 3, "busy", fmt.Sprint("process ", first.cmd.Process.Pid), "run hostile-", "wait for it, or end it")
	gate.open()
	ran := first.wait()
	ran.Want(t, 0)
	if name := ran.Report(t).Run; !strings.Contains(second.Stderr, name) {
		t.Errorf("the holder isn't named by its run %s: %s", name, second.Stderr)
	}
	wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
}

func TestASecondRunWaitsForTheFirstAndBeginsWithWhatThatLeft(t *testing.T) {
	t.Parallel()
	w, life, gate := holding(t)
	first := start(t, w)
	life.WaitAlive("awaiting")

	ctx, stop := context.WithTimeout(context.Background(), rig.Timeout)
	defer stop()
	w.SetPipeline(t, steps(misfit("append")))
	second := w.Command(ctx, w.RunArgs()...)
	said, err := second.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	second.Stdout = &stdout
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(line, fmt.Sprint("process ", first.cmd.Process.Pid)) || !strings.Contains(line, "waiting") {
		t.Errorf("the second run said %q (error %v), want that it waits, and for whom", line, err)
	}
	gate.open()
	first.wait().Want(t, 0)
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = second.Wait() // its exit code is judged below
	ran := rig.Ended(second, stdout.String(), line+string(rest))
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
	if got := rig.Look(t, w.Root)["src/a.ts"].Data; got != "a\nappended\nappended\n" {
		t.Errorf("src/a.ts holds %q, want both lines", got)
	}
}

func TestARunThatIsInterruptedEndsItsToolAndAccountsForIt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, deaf := range []string{"", "deaf:"} {
			t.Run(signal.String()+" "+deaf, func(t *testing.T) {
				t.Parallel()
				life := shimtest.NewLifeline(t)
				w := world(t, three(), steps(misfit("hold, '"+deaf+life.Path+"'")))
				s := start(t, w)
				life.WaitAlive("holding")
				s.signal(signal)
				ran := s.wait()
				life.WaitDead()
				ran.Want(t, 2, "cancelled")
				r := ran.Report(t)
				wantRows(t, r, "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
				if in := r.Invocations[0]; in.Ended != report.EndedCancelled {
					t.Errorf("the invocation is %+v, want a cancelled one", in)
				}
				w.Do(t, "report", r.Run).Want(t, 0) // it is kept
				w.Run(t, "--resume").Want(t, 3, "no interrupted run to resume")
			})
		}
	}
}

// A second signal is a kill: the next run accounts for what was done.
func TestASecondSignalEndsFettleAtOnceAndNoToolSurvives(t *testing.T) {
	t.Parallel()
	life := shimtest.NewLifeline(t)
	w := world(t, three(), steps(misfit("hold, 'deaf:"+life.Path+"'")))
	s := start(t, w)
	life.WaitAlive("holding")
	s.signal(syscall.SIGKILL)
	if ran := s.wait(); ran.Exit != -1 {
		t.Errorf("exit code %d, want a death by signal", ran.Exit)
	}
	life.WaitDead()
	w.SetPipeline(t, steps(misfit("append")))
	ran := w.Run(t)
	ran.Want(t, 0, "had not ended: it is closed now")
	wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
	if got := rig.Look(t, w.Root)["src/a.ts"].Data; got != "a\nappended\nappended\n" {
		t.Errorf("src/a.ts holds %q, want both lines", got)
	}
}

func TestAKilledRunIsResumedWithTheAccountingOfBothAttempts(t *testing.T) {
	t.Parallel()
	w, life, gate := holding(t)
	s := start(t, w)
	life.WaitAlive("awaiting")
	s.signal(syscall.SIGKILL)
	s.wait()
	life.WaitDead()
	again := start(t, w, "--resume")
	gate.open()
	ran := again.wait()
	ran.Want(t, 0)
	r := ran.Report(t)
	wantRows(t, r, "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
	if in := r.Invocations[0]; in.Attempts != 2 || in.Changed != 3 {
		t.Errorf("the invocation is %+v, want 2 attempts, 3 changed", in)
	}
}
