package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name         string
		script       string
		findings     []int
		deadline     time.Duration
		wantEnded    driver.Ended
		wantCode     int
		wantFindings bool
		wantText     string
	}{
		{name: "exit code 0 is clean", script: "exit 0", wantEnded: driver.OK},
		{name: "a code that means findings is no failure", script: "exit 1", findings: []int{1}, wantEnded: driver.OK, wantCode: 1, wantFindings: true},
		{name: "0 means no findings", script: "exit 0", findings: []int{1}, wantEnded: driver.OK},
		{name: "any other code is a failure", script: "exit 2", findings: []int{1}, wantEnded: driver.EngineError, wantCode: 2, wantText: "exited with code 2, which means failure: findings are 1"},
		{name: "without codes for findings every code is a failure", script: "exit 1", wantEnded: driver.EngineError, wantCode: 1, wantText: "exited with code 1, which means failure"},
		{name: "a signal is a crash", script: "kill -ABRT $$", wantEnded: driver.Crash, wantText: "ended by SIGABRT"},
		{name: "a deadline is one", script: "exec sleep 1000", deadline: 100 * time.Millisecond, wantEnded: driver.Deadline, wantText: "deadline of 100ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := newDriver(t).Run(context.Background(), driver.Request{Engine: "tool", Command: sh(tt.script), Findings: tt.findings, Deadline: tt.deadline})
			if r.Ended != tt.wantEnded || r.ExitCode != tt.wantCode || r.Findings != tt.wantFindings || !r.Started || r.Program == "" {
				t.Errorf("result = %+v, want %s, code %d, findings %v, started", r, tt.wantEnded, tt.wantCode, tt.wantFindings)
			}
			wantError(t, err, tt.wantEnded, tt.wantText)
			if r.Containment.Kind != wire.Declared {
				t.Errorf("containment = %+v, want Declared", r.Containment)
			}
		})
	}
}

// wantError expects what Run promises: nil for OK, else a fault with that reason.
func wantError(t *testing.T, err error, ended driver.Ended, text string) {
	t.Helper()
	if ended == driver.OK {
		if err != nil {
			t.Errorf("error = %v, want nil", err)
		}
		return
	}
	if !fault.Is(err, fault.StepFailed, ended) || fault.As(err).Engine == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v, want StepFailed (%s) of an engine with %q", err, ended, text)
	}
}

func TestPrivateDirectoriesAreGoneAfterwards(t *testing.T) {
	d := newDriver(t)
	r, err := d.Run(context.Background(), driver.Request{Engine: "tool", Command: sh(`echo "$HOME $TMPDIR $XDG_CACHE_HOME"; touch "$HOME/a" "$TMPDIR/b" "$XDG_CACHE_HOME/c"; chmod 500 "$HOME"`)})
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(r.Outputs[0].Stdout.Head))
	if len(dirs) != 3 || !strings.HasPrefix(dirs[0], d.options.State+"/") {
		t.Errorf("HOME, TMPDIR, XDG_CACHE_HOME = %v, want three below the state directory", dirs)
	}
	wantNoFolders(t, d)
}

func wantNoFolders(t *testing.T, d *Driver) {
	t.Helper()
	left, err := os.ReadDir(d.folder)
	if err != nil || len(left) != 0 {
		t.Errorf("%s holds %v, %v, want nothing", d.folder, left, err)
	}
}

func TestPassingOfAListIsOnePathALine(t *testing.T) {
	d := newDriver(t)
	list := driver.Request{Engine: "tool", Command: shimtest.Command(t, "list"), Paths: []string{"a b", "c"}, Passing: driver.PassingOf(engine.PathArgs{As: engine.PathsFile})}
	r, err := d.Run(context.Background(), list)
	if err != nil || string(r.Outputs[0].Stdout.Head) != "a b\nc\n" {
		t.Errorf("Run = %+v, %v, want a line per path", r, err)
	}
	list.Paths = []string{"a\nb"}
	r, err = d.Run(context.Background(), list)
	wantError(t, err, driver.EngineError, "line feed")
	if r.Started {
		t.Error("a tool was started without the paths that it needs")
	}
}

func TestADaemonIsCountedAndDead(t *testing.T) {
	life := shimtest.NewLifeline(t)
	r, err := newDriver(t).Run(context.Background(), driver.Request{Engine: "tool", Command: shimtest.Command(t, "daemon", life.Path)})
	life.WaitAlive("daemon")
	life.WaitDead()
	if err != nil || r.Leftovers != 1 {
		t.Errorf("result = %+v, %v, want ok with one leftover", r, err)
	}
}

func TestCancellingKillsAndSaysSo(t *testing.T) {
	life := shimtest.NewLifeline(t)
	d := newDriver(t)
	why := errors.New("the user pressed a key")
	ctx, cancel := context.WithCancelCause(context.Background())
	started := make(chan struct{})
	type answer struct {
		result driver.Result
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		r, err := d.Run(ctx, driver.Request{Engine: "tool", Command: shimtest.Command(t, "daemon-and-stay", life.Path), Started: func() { close(started) }})
		answers <- answer{r, err}
	}()
	life.WaitAlive("daemon", "forever")
	<-started
	cancel(why)
	a := <-answers
	life.WaitDead()
	wantError(t, a.err, driver.Cancelled, why.Error())
	if !errors.Is(a.err, why) || a.result.Ended != driver.Cancelled || !a.result.Started {
		t.Errorf("result = %+v, %v, want cancelled, started, with its cause", a.result, a.err)
	}
	wantNoFolders(t, d)
}

func TestACancelledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := newDriver(t).Run(ctx, driver.Request{Engine: "tool", Command: sh("exit 0")})
	wantError(t, err, driver.Cancelled, "cancelled")
	if r.Started || r.Ended != driver.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("result = %+v, %v, want cancelled, not started", r, err)
	}
}

func TestAShimThatIsNoneIsToldFromATool(t *testing.T) {
	for _, tt := range []struct{ name, shim, want string }{
		{"one that isn't there", "/no/shim", "start fettle-shim"},
		{"one that ends at once", "/bin/true", "the channel broke"},
		{"one that says something else", "", "exceeds the limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t)
			d.options.Shim = tt.shim
			if tt.shim == "" {
				d.options.Shim = filepath.Join(t.TempDir(), "shim")
				if err := os.WriteFile(d.options.Shim, []byte("#!/bin/sh\necho words >&3\necho complaint >&2\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r, err := d.Run(context.Background(), driver.Request{Engine: "tool", Command: sh("exit 0")})
			if err == nil || r.Started || r.Ended == driver.OK || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("result = %+v, %v, want a failure with %q and nothing started", r, err, tt.want)
			}
		})
	}
}
