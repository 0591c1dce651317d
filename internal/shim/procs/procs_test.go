package procs

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

func TestMain(m *testing.M) {
	shimtest.RunTool()
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	const rest = " S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2"
	for _, tt := range []struct {
		name, stat string
		want       Process
		wantOK     bool
	}{
		{"an ordinary line", "42 (cat)" + rest, Process{PID: 42, PPID: 7, State: 'S', Start: 123456}, true},
		{"a name like the rest of a line", "42 (a) Z 1 (b) c)" + rest, Process{PID: 42, PPID: 7, State: 'S', Start: 123456}, true},
		{"a name with a line feed", "42 (a\nb)" + rest, Process{PID: 42, PPID: 7, State: 'S', Start: 123456}, true},
		{"nothing", "", Process{}, false},
		{"no bracket", "42 cat S 7", Process{}, false},
		{"too short", "42 (cat) S 7 8", Process{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := parse(42, []byte(tt.stat)); got != tt.want || ok != tt.wantOK {
				t.Errorf("parse = %+v, %v, want %+v, %v", got, ok, tt.want, tt.wantOK)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("1 (x) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if p, ok := parse(9, stat); ok && p.PID != 9 {
			t.Errorf("parse made up %+v", p)
		}
	})
}

func TestDescendantsAreThoseOfAllDepthsThatLive(t *testing.T) {
	table := []Process{
		{PID: 1, PPID: 0, State: 'S'}, {PID: 2, PPID: 1, State: 'S'}, {PID: 3, PPID: 2, State: 'Z'},
		{PID: 4, PPID: 3, State: 'R'}, {PID: 5, PPID: 1, State: 'S'}, {PID: 6, PPID: 4, State: 'S'},
		{PID: 7, PPID: 7, State: 'S'},
	}
	var got []int
	for _, p := range descendants(table, 2) {
		got = append(got, p.PID)
	}
	if want := []int{4, 6}; !slices.Equal(got, want) {
		t.Errorf("descendants of 2 = %v, want %v: the zombie's child, not the zombie", got, want)
	}
	if got := descendants(table, 7); len(got) != 0 {
		t.Errorf("descendants of 7 = %v, want none: a table may hold a loop", got)
	}
}

func TestAProcessThatTookOverANumberIsNotKilled(t *testing.T) {
	life := shimtest.NewLifeline(t)
	cmd := start(t, life)
	p, ok := look(cmd.Process.Pid)
	if !ok {
		t.Fatal("the process isn't in the table")
	}
	p.Start++
	if err := kill(p); err == nil {
		t.Error("kill hit a process that started at another time")
	}
	if !life.AnyAlive() {
		t.Error("the process is dead")
	}
	p.Start--
	if err := kill(p); err != nil {
		t.Errorf("kill: %v", err)
	}
	life.WaitDead()
}

func TestKillMarkedKillsWhatCarriesTheMarkerAndNothingElse(t *testing.T) {
	marked, other, unmarked := shimtest.NewLifeline(t), shimtest.NewLifeline(t), shimtest.NewLifeline(t)
	start(t, marked, "MARK=/state/1")
	start(t, other, "MARK=/state-of-another/1")
	start(t, unmarked, "UNMARK=/state/1")
	ctx, stop := context.WithTimeout(context.Background(), shimtest.Timeout)
	defer stop()
	n, err := KillMarked(ctx, "MARK", func(v string) bool { return v == "/state/1" })
	if n != 1 || err != nil {
		t.Errorf("KillMarked = %d, %v, want 1", n, err)
	}
	marked.WaitDead()
	if !other.AnyAlive() || !unmarked.AnyAlive() {
		t.Error("KillMarked hit a process that isn't marked")
	}
}

func TestASweepCountsEachProcessOnce(t *testing.T) {
	life := shimtest.NewLifeline(t)
	cmd := start(t, life)
	p, _ := look(cmd.Process.Pid)
	var s Sweep
	s.kill([]Process{p, p})
	s.kill([]Process{p})
	life.WaitDead()
	if s.Killed() != 1 {
		t.Errorf("killed = %d, want 1", s.Killed())
	}
}

// start runs a process until it is killed, at the end of the test at the latest.
func start(t *testing.T, life *shimtest.Lifeline, env ...string) *exec.Cmd {
	t.Helper()
	argv := shimtest.Command(t, "forever", life.Path)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // dead already, most often
		select {
		case <-done:
		case <-time.After(shimtest.Timeout):
			t.Error("a process outlives SIGKILL")
		}
	})
	life.WaitAlive("forever")
	return cmd
}
