package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/report"
)

// Timeout bounds one run of fettle.
const Timeout = 2 * time.Minute

// World is a root with a pipeline for it, and all that is around it.
type World struct {
	Programs
	Root     string // the tree that fettle works on
	Outside  string // a directory beside it, which links of the tree may lead to
	State    string // XDG_STATE_HOME
	Temp     string // TMPDIR
	Manifest string // the pipeline's file, outside the root
	User     *syscall.Credential
}

// NewWorld makes a world below dir, with an empty root, for a pipeline.
func NewWorld(tb testing.TB, p Programs, dir, pipeline string) *World {
	tb.Helper()
	w := &World{
		Programs: p,
		Root:     filepath.Join(dir, "root"),
		Outside:  filepath.Join(dir, "outside"),
		State:    filepath.Join(dir, "state"),
		Temp:     filepath.Join(dir, "tmp"),
		Manifest: filepath.Join(dir, "pipeline.yaml"),
	}
	for _, d := range []string{w.Root, w.Outside, w.State, w.Temp} {
		if err := os.MkdirAll(d, 0o755); err != nil { // one may be a mount point
			tb.Fatal(err)
		}
	}
	w.SetPipeline(tb, pipeline)
	return w
}

// SetPipeline replaces the pipeline.
func (w *World) SetPipeline(tb testing.TB, pipeline string) {
	tb.Helper()
	if err := os.WriteFile(w.Manifest, []byte(pipeline), 0o644); err != nil {
		tb.Fatal(err)
	}
}

// Env is the environment of fettle in this world.
func (w *World) Env() []string {
	return []string{
		"PATH=" + w.Dir + ":/usr/local/bin:/usr/bin:/bin", "XDG_STATE_HOME=" + w.State, "HOME=" + w.State, "TMPDIR=" + w.Temp, "USER=tester",
	}
}

// RunArgs are the arguments of a run of the world's pipeline.
func (w *World) RunArgs(more ...string) []string {
	return append([]string{"run", "-f", w.Manifest, "--root", w.Root, "-o", "json"}, more...)
}

// Ran is how a process of fettle ended.
type Ran struct {
	Exit           int // -1: by a signal
	Stdout, Stderr string
	MaxRSS         int64 // bytes
}

// Command is a fettle of this world, ready to start. Its process is killed with ctx.
func (w *World) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Fettle, args...)
	cmd.Env, cmd.Dir = w.Env(), filepath.Dir(w.Manifest)
	if w.User != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.User}
	}
	return cmd
}

// Do runs a command of fettle to its end.
func (w *World) Do(tb testing.TB, args ...string) Ran {
	tb.Helper()
	ctx, stop := context.WithTimeout(context.Background(), Timeout)
	defer stop()
	cmd := w.Command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		tb.Fatalf("%v: %v, %v\n%s", cmd.Args, err, ctx.Err(), stderr.String())
	}
	return Ended(cmd, stdout.String(), stderr.String())
}

// Ended is the account of a command that has ended.
func Ended(cmd *exec.Cmd, stdout, stderr string) Ran {
	r := Ran{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout, Stderr: stderr}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.MaxRSS = usage.Maxrss << 10
	}
	return r
}

// Run runs the world's pipeline.
func (w *World) Run(tb testing.TB, more ...string) Ran {
	tb.Helper()
	return w.Do(tb, w.RunArgs(more...)...)
}

// Report is the report on standard output.
func (r Ran) Report(tb testing.TB) report.Report {
	tb.Helper()
	rep, err := r.Decode()
	if err != nil {
		tb.Fatalf("exit code %d, and no report: %v\nstdout: %s\nstderr: %s", r.Exit, err, r.Stdout, r.Stderr)
	}
	return rep
}

// Decode returns the report on standard output.
func (r Ran) Decode() (report.Report, error) {
	var rep report.Report
	err := json.Unmarshal([]byte(r.Stdout), &rep)
	if err == nil && rep.Version != report.Version {
		err = errors.New("it has no version")
	}
	return rep, err
}

// Want fails the test unless fettle ended with this exit code and said all of these words
// on standard error or in its report's error.
func (r Ran) Want(tb testing.TB, exit int, words ...string) {
	tb.Helper()
	if r.Exit != exit {
		tb.Errorf("exit code %d, want %d\nstdout: %.2000s\nstderr: %s", r.Exit, exit, r.Stdout, r.Stderr)
	}
	said := r.Stderr
	if rep, err := r.Decode(); err == nil && rep.Error != nil {
		said += strings.Join([]string{rep.Error.Kind, rep.Error.Reason, rep.Error.Path, rep.Error.Engine, rep.Error.Message, rep.Error.Cause, rep.Error.Hint}, "\n")
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			tb.Errorf("it said nothing of %q:\n%s", word, said)
		}
	}
}
