package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// world is a root, a home, and what people were told.
type world struct {
	t     *testing.T
	root  string
	home  Home
	notes []string
	gate  runtime.Gate
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), home: Home{dir: filepath.Join(t.TempDir(), "fettle")}, gate: approving{}}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	full := filepath.Join(w.root, name)
	must(w.t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(w.t, os.WriteFile(full, []byte(text), 0o644))
}

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, name))
	must(w.t, err)
	return string(data)
}

// options are those of a pipeline over *.txt with these steps, one a line, and engines.
func (w *world) options(steps string, engines ...string) Options {
	w.t.Helper()
	text := "apiVersion: fettle.dev/v1alpha1\nkind: DevPipeline\nmetadata: {name: web}\nspec:\n" +
		"  source: {persistentVolumeClaim: {claimName: checkout}}\n  workspace: {acquire: [\"*.txt\"], onNoMatch: Ignore}\n"
	if len(engines) > 0 {
		text += "  engines:\n"
		for _, e := range engines {
			text += "  - " + e + "\n"
		}
	}
	text += "  steps:\n"
	for i, step := range strings.Split(steps, "\n") {
		text += fmt.Sprintf("  - {name: s%d, %s}\n", i+1, step)
	}
	set, err := manifest.Load(w.t.Context(), manifest.Input{Name: "p", Data: []byte(text)})
	must(w.t, err)
	resolved, err := pipeline.Resolve(set.Pipelines[0].Value.Spec, pipeline.Published{})
	must(w.t, err)
	built, err := pipeline.Build(resolved, driver.Serves())
	must(w.t, err)
	return Options{
		Home: w.home, Root: w.root, Name: "web", Pipeline: built, Policy: policy.Fixed(built.Policy),
		Tools: Tools{Shim: os.Getenv(shimEnv), Path: os.Getenv("PATH")},
		Gate:  w.gate, Observer: runtime.Silent{}, Random: rand.Reader, Now: time.Now,
		Note: func(format string, args ...any) { w.notes = append(w.notes, fmt.Sprintf(format, args...)) },
	}
}

func (w *world) run(o Options) report.Report {
	w.t.Helper()
	r, err := Run(w.t.Context(), o)
	must(w.t, err)
	return r
}

func TestAToolThatNoStepWouldStartIsNeverMissed(t *testing.T) {
	const rust = `{name: rust, inline: {image: registry.example.com/rust, formats: [{extensions: [rs], mode: InPlace, scope: ["**"], command: [no-such-rustfmt]}]}}`
	const text = `{name: text, inline: {image: registry.example.com/text, formats: [{extensions: [txt], mode: InPlace, scope: ["**"], command: ["true"]}]}}`
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	if r := w.run(w.options("format: {}", rust, text)); !r.OK {
		t.Errorf("error = %+v, want none", r.Error)
	}
}

func TestAToolThatIsMissingIsRefusedBeforeAnythingRuns(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	_, err := Run(t.Context(), w.options(`run: {command: [sh, -c, "echo b >>a.txt"], scope: ["*"]}`+"\n"+`run: {command: [no-such-tool], scope: ["*"]}`))
	if !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) || fault.As(err).Step == nil || fault.As(err).Step.Index != 1 {
		t.Errorf("error = %v, want engine-error of step 2", err)
	}
	if got := w.read("a.txt"); got != "a\n" {
		t.Errorf("the file has %q, want what it had", got)
	}
}

func TestAProgramOfTheTreeMayBeMadeByAnEarlierStep(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	r := w.run(w.options(`run: {command: [sh, -c, "cp /bin/true tool"], scope: ["*.txt"]}` + "\n" + `run: {command: [./tool], scope: ["*"]}`))
	if !r.OK {
		t.Errorf("error = %+v, want none", r.Error)
	}
	_, err := Run(t.Context(), w.options(`run: {command: [./absent], scope: ["*"]}`+"\n"+`run: {command: ["true"], scope: ["*"]}`))
	if !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) {
		t.Errorf("one that no step could have made: error = %v, want engine-error", err)
	}
}

func TestOnlyAFileSystemThatStampsEveryChangeSparesReading(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	o := w.options("write: {}")
	for _, below := range []string{w.root, "/dev/shm"} {
		dir, err := os.MkdirTemp(below, "fettle-")
		if err != nil {
			continue // not every machine has the second
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		tree, err := strictfs.Open(dir)
		must(t, err)
		want := !tree.Stamps()
		must(t, tree.Close())
		o.Root = dir
		s, err := o.open(t.Context())
		must(t, err)
		if got := s.config.FullCompare; got != want {
			t.Errorf("%s: every file is read: %v, want %v", dir, got, want)
		}
		s.close()
	}
}

func TestARunRemovesTheCopyOfADryRunThatWasKilled(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	dir := w.home.Root(w.root)
	must(t, os.MkdirAll(filepath.Join(dir, "copy", "deep"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "copy", "deep", "a.txt"), nil, 0o400))
	must(t, os.WriteFile(filepath.Join(dir, "copy.pack"), nil, 0o600))
	w.run(w.options("write: {}"))
	if left, err := filepath.Glob(filepath.Join(dir, "copy*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v, want nothing", left, err)
	}
	if len(w.notes) > 0 {
		t.Errorf("notes = %q, want none", w.notes)
	}
}

func TestWhatAToolPutInPlaceOfTheRootIsAccountedFor(t *testing.T) {
	w := newWorld(t, map[string]string{"tree/a.txt": "a\n", "other/a.txt": "b\nc\n"})
	o := w.options(`run: {command: [sh, -c, "cd .. && mv tree away && mv other tree"], scope: ["*"]}` + "\n" + `run: {command: [sh, -c, "echo d >>a.txt"], scope: ["*"]}`)
	o.Root = filepath.Join(w.root, "tree")
	r := w.run(o)
	if r.Error != nil || len(r.Changes) != 1 || r.Changes[0].LinesAdded != 3 || r.Changes[0].LinesRemoved != 1 {
		t.Errorf("error = %+v, changes = %+v, want a.txt with 3 lines for 1", r.Error, r.Changes)
	}
	if got := w.read("tree/a.txt"); got != "b\nc\nd\n" {
		t.Errorf("the file has %q, want the second tool to have worked on what is there", got)
	}
}

func TestAToolThatTakesTheRootAwayFailsTheRun(t *testing.T) {
	w := newWorld(t, map[string]string{"tree/a.txt": "a\n"})
	o := w.options(`run: {command: [sh, -c, "cd .. && mv tree away"], scope: ["*"]}`)
	o.Root = filepath.Join(w.root, "tree")
	r := w.run(o)
	if r.Error == nil || r.Error.Reason != string(fault.ReasonEngineError) || !strings.Contains(r.Error.Cause, "it took the root away") {
		t.Errorf("error = %+v, want an engine-error that says so", r.Error)
	}
}

func TestAReportThatCannotBeKeptIsKeptByTheNextRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	o := w.options(`run: {command: [sh, -c, "echo b >>a.txt"], scope: ["*"]}`)
	must(t, os.MkdirAll(w.home.dir, 0o700))
	must(t, os.WriteFile(w.home.Reports().dir, nil, 0o600)) // in the way
	first := w.run(o)
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "not kept") {
		t.Errorf("notes = %q, want one that says so", w.notes)
	}
	must(t, os.Remove(w.home.Reports().dir))
	w.notes = nil
	w.run(o)
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], first.Run+" had ended without its report being kept") {
		t.Errorf("notes = %q, want one about %s", w.notes, first.Run)
	}
	kept, err := w.home.Reports().Load(first.Run)
	must(t, err)
	if len(kept.Changes) != 1 || kept.Error != nil {
		t.Errorf("the report has changes %v and error %v, want those of the first run", kept.Changes, kept.Error)
	}
}

// asked is a gate that remembers what it was asked and decides nothing.
type asked struct{ digest string }

func (a *asked) Decide(_ context.Context, _ gate.Payload, digest string) ([]gate.Decision, error) {
	a.digest = digest
	return nil, nil
}

func TestAWaitingRunStaysForWhoeverGoesOnWithIt(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	w.gate = &asked{}
	const steps = `run: {command: [sh, -c, "echo b >>a.txt"], scope: ["*"]}, gates: {mode: Always}`
	first := w.run(w.options(steps))
	if first.Waiting == nil || w.read("a.txt") != "a\n" {
		t.Fatalf("waiting = %v, file %q; want a run that waits", first.Waiting, w.read("a.txt"))
	}
	w.gate = approving{}
	o := w.options(steps)
	o.Resume = true
	second := w.run(o)
	if second.Run != first.Run || !second.OK || w.read("a.txt") != "a\nb\n" {
		t.Errorf("run %s, ok %v, file %q; want %s gone on with", second.Run, second.OK, w.read("a.txt"), first.Run)
	}
	if _, err := Run(t.Context(), o); !fault.Is(err, fault.BadArgument, fault.ReasonAbsent) {
		t.Errorf("once more: error = %v, want nothing to resume", err)
	}
}

func TestADryRunLeavesTreeAndStateAlone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	o := w.options(`run: {command: [sh, -c, "echo b >>a.txt; rm -f c.txt"], scope: ["*"]}, gates: {mode: Always}`)
	w.gate = &asked{}
	o.Gate, o.DryRun = w.gate, true
	r := w.run(o)
	if !r.DryRun || len(r.Changes) != 1 || r.Diff == "" {
		t.Errorf("dry run %v with changes %v, want one change and its diff", r.DryRun, r.Changes)
	}
	if got := w.read("a.txt"); got != "a\n" {
		t.Errorf("the file has %q, want what it had", got)
	}
	if digest := w.gate.(*asked).digest; digest != "" {
		t.Errorf("the gate was asked about %s", digest)
	}
	var left []string
	must(t, filepath.WalkDir(w.home.dir, func(path string, d os.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), "copy") {
			left = append(left, path)
		}
		return err
	}))
	if len(left) > 0 {
		t.Errorf("left: %q, want nothing of the copy", left)
	}
}

func TestACancelledRunIsAReportAndACancelledCopyARefusal(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	o := w.options(`run: {command: ["true"], scope: ["*"]}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("signal: interrupt"))
	r, err := Run(ctx, o)
	if err != nil || r.Error == nil || r.Error.Reason != string(fault.ReasonCancelled) {
		t.Errorf("run: %v, %+v, want a report of a cancelled run", err, r.Error)
	}
	o.DryRun = true
	if _, err := Run(ctx, o); !fault.Is(err, fault.StepFailed, fault.ReasonCancelled) {
		t.Errorf("dry run: %v, want cancelled", err)
	}
}

func TestPlanNamesToolsThatAreMissingAndChangesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	p, err := Plan(t.Context(), w.options(`run: {command: ["true"], scope: ["*"]}`+"\n"+`run: {command: [no-such-tool], scope: ["*"]}`))
	must(t, err)
	if len(p.Steps) != 2 || p.Steps[0].Problem != nil || p.Steps[1].Problem == nil {
		t.Fatalf("plan = %+v, want a problem of the second step alone", p.Steps)
	}
	if got := p.Steps[1].Problem; got.Reason != "engine-error" || got.Hint == "" || *got.Step != 1 {
		t.Errorf("problem = %+v, want an engine-error of step 2 that says what to do", got)
	}
}
