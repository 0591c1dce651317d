package runtime

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

const (
	stepEdit   = `{"name":"bump","edit":{"path":"a.ts","edits":[{"find":"one","replace":"two"}]}}`
	stepPatch  = `{"name":"patch","applyPatch":{"patch":"*** Begin Patch\n*** Add File: n.ts\n+new\n*** Update File: b.ts\n*** Move to: c.ts\n*** Delete File: d.ts\n*** End Patch\n"}}`
	stepWrite  = `{"name":"save","write":{}}`
	stepFormat = `{"name":"format","format":{}}`
	stepFix    = `{"name":"fix","lint":{"fix":true}}`
	stepLint   = `{"name":"lint","lint":{}}`
	stepCheck  = `{"name":"check","check":{}}`
)

func files() map[string]string {
	return map[string]string{"a.ts": "one\n", "b.ts": "b\n", "d.ts": "d\n", "other.ts": "not acquired\n"}
}

var acquired = []string{"a.ts", "b.ts", "d.ts"}

// appending is a tool that appends a line to each file that it is given.
func appending(line string) func(*treemem.Tree, Call) Outcome {
	return func(t *treemem.Tree, c Call) Outcome {
		for _, p := range c.Paths {
			data, _, err := t.ReadFile(p, 1<<20, nil)
			if err != nil {
				return Outcome{Ended: report.EndedEngineError, Cause: err}
			}
			t.Write(p, string(data)+line)
		}
		return Outcome{}
	}
}

func TestAPlanRunsFromEditToCheck(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepPatch, stepWrite, stepFix, stepFormat, stepCheck)
	w.tool("lint", appending("linted\n"))
	w.tool("fmt", appending("formatted\n"))
	w.tool("check", func(*treemem.Tree, Call) Outcome { return Outcome{} })
	r := w.ok()

	want := map[string]string{"a.ts": "modified", "c.ts": "renamed", "d.ts": "deleted", "n.ts": "added"}
	if diff := cmp.Diff(want, kinds(r)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	disk := w.tree.Files()
	if got, want := disk["a.ts"].Data, "two\nlinted\nformatted\n"; got != want {
		t.Errorf("a.ts holds %q, want %q", got, want)
	}
	if _, there := disk["b.ts"]; there {
		t.Error("b.ts is still there, though it was moved")
	}
	if got := disk["other.ts"].Data; got != "not acquired\n" {
		t.Errorf("a file that isn't ours holds %q", got)
	}
	if !r.OK || r.Error != nil {
		t.Errorf("got ok %v, error %v", r.OK, r.Error)
	}
	for i, s := range r.Steps {
		if s.State != report.StepSucceeded {
			t.Errorf("step %d is %s", i, s.State)
		}
	}
	if got := r.Invocations[0].Version; got != "lint 1.0" {
		t.Errorf("version is %q", got)
	}
}

func TestAnEditInMemoryIsWithheldFromAFixerAndNotLost(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepFormat, stepWrite)
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		tr.Write("a.ts", "the fixer wrote this\n") // though it wasn't given
		return appending("formatted\n")(tr, c)
	})
	r := w.run()
	if got, want := w.driver.calls[0].Paths, []string{"b.ts", "d.ts"}; !cmp.Equal(got, want) {
		t.Errorf("the fixer was given %v, want %v", got, want)
	}
	if want := []string{"a.ts"}; !cmp.Equal(r.Withheld, want) {
		t.Errorf("withheld %v, want %v", r.Withheld, want)
	}
	if r.Error == nil || r.Error.Reason != "drift" {
		t.Errorf("the write went over what the fixer had written: error %+v", r.Error)
	}
	if got := w.held("a.ts"); got != "the fixer wrote this\n" {
		t.Errorf("a.ts holds %q: the write overwrote what it didn't know", got)
	}
}

func TestAToolThatGotNoFileBecauseAllAreWithheldIsNotStarted(t *testing.T) {
	w := newWorld(t, map[string]string{"a.ts": "one\n"}, []string{"a.ts"}, stepEdit, stepFormat)
	w.tool("fmt", func(*treemem.Tree, Call) Outcome { t.Error("the tool was started"); return Outcome{} })
	w.ok()
}

func TestTwoFixersOfOneStepCompose(t *testing.T) {
	w := newWorld(t, files(), acquired, stepFix, stepFix)
	w.tool("lint", appending("x\n"))
	r := w.ok()
	if got, want := w.held("a.ts"), "one\nx\nx\n"; got != want {
		t.Errorf("a.ts holds %q, want %q", got, want)
	}
	if got := r.Changes[0]; got.LinesAdded != 2 || got.LinesRemoved != 0 {
		t.Errorf("a.ts: +%d -%d, want +2 -0", got.LinesAdded, got.LinesRemoved)
	}
}

func TestWhatAToolClaimsNeverChangesTheAccounting(t *testing.T) {
	claims := map[string]string{
		"nothing":   `{}`,
		"too much":  `{"changed":{"a.ts":"x","b.ts":"y"},"deleted":["d.ts"],"renamed":{"a.ts":"z.ts"}}`,
		"malformed": `{"changed":[1]`,
		"none":      "",
	}
	var want []report.Change
	for _, name := range []string{"none", "nothing", "too much", "malformed"} {
		w := newWorld(t, files(), acquired, stepFormat)
		w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
			o := appending("x\n")(tr, Call{Paths: []string{"a.ts"}})
			if claims[name] != "" {
				o.Claims = []byte(claims[name])
			}
			return o
		})
		r := w.ok()
		if want == nil {
			want = r.Changes
		}
		if diff := cmp.Diff(want, r.Changes); diff != "" {
			t.Errorf("claims %s: rows differ (-want +got):\n%s", name, diff)
		}
		if warned := len(r.Discrepancies) > 0; warned != (name != "none") {
			t.Errorf("claims %s: discrepancies %v", name, r.Discrepancies)
		}
	}
}

func TestACheckRefusesToLookAtADiskThatIsBehind(t *testing.T) {
	w := newWorld(t, files(), acquired, stepPatch, stepCheck)
	w.tool("check", func(*treemem.Tree, Call) Outcome { t.Error("the check was started"); return Outcome{} })
	r := w.run()
	if r.Error == nil || r.Error.Reason != "unsaved" || *r.Error.Step != 1 {
		t.Errorf("got error %+v, want unsaved in step 1", r.Error)
	}
}

func TestAFailingStepEndsTheRunAndTheAccountingIsThere(t *testing.T) {
	w := newWorld(t, files(), acquired, stepFormat, stepFix)
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		appending("half\n")(tr, Call{Paths: c.Paths[:1]})
		code := 2
		return Outcome{Ended: report.EndedEngineError, ExitCode: &code}
	})
	w.tool("lint", func(*treemem.Tree, Call) Outcome { t.Error("the run went on"); return Outcome{} })
	r := w.run()
	if r.Error == nil || r.Error.Kind != "StepFailed" || r.Error.Reason != "engine-error" || r.Error.Engine != "fmt" {
		t.Errorf("got error %+v, want engine-error of fmt", r.Error)
	}
	if want := map[string]string{"a.ts": "modified"}; !cmp.Equal(kinds(r), want) {
		t.Errorf("rows %v, want %v", kinds(r), want)
	}
	if got := []string{r.Steps[0].State, r.Steps[1].State}; !cmp.Equal(got, []string{report.StepFailed, report.StepNotRun}) {
		t.Errorf("steps are %v", got)
	}
	if r.OK {
		t.Error("a failed run is ok")
	}
}

func TestAToolIsRetriedAsOftenAsThePipelineSaysWithItsFirstSnapshot(t *testing.T) {
	w := newWorld(t, files(), []string{"*.ts"}, stepFormat)
	w.config.Retries = 2
	attempts := 0
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		attempts++
		if c.Attempt != attempts {
			t.Errorf("attempt %d says that it is %d", attempts, c.Attempt)
		}
		if attempts < 3 {
			tr.Write("new.ts", "made by an attempt that failed\n")
			return Outcome{Ended: report.EndedCrash}
		}
		return Outcome{}
	})
	r := w.ok()
	if attempts != 3 || r.Invocations[0].Attempts != 3 {
		t.Errorf("%d attempts, the report says %d, want 3", attempts, r.Invocations[0].Attempts)
	}
	if want := map[string]string{"new.ts": "added"}; !cmp.Equal(kinds(r), want) {
		t.Errorf("rows %v, want %v: the accounting covers all attempts", kinds(r), want)
	}
}

func TestCancellationStopsTheRunButNeverTheReread(t *testing.T) {
	w := newWorld(t, files(), acquired, stepFormat, stepFix)
	ctx, cancel := context.WithCancel(t.Context())
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		appending("x\n")(tr, Call{Paths: c.Paths[:1]})
		cancel()
		return Outcome{Ended: report.EndedCancelled, Cause: context.Canceled}
	})
	r := Run(ctx, w.config)
	if r.Error == nil || r.Error.Reason != "cancelled" {
		t.Errorf("got error %+v, want cancelled", r.Error)
	}
	if want := map[string]string{"a.ts": "modified"}; !cmp.Equal(kinds(r), want) {
		t.Errorf("rows %v, want %v", kinds(r), want)
	}
}

func TestAViolationOfThePolicyFailsTheStepAndRestorePutsTheTreeBack(t *testing.T) {
	for name, restore := range map[string]bool{"Fail": false, "Restore": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.ts": "one\n", "vendor/v.ts": "v\n"}, []string{"**/*.ts"}, stepFormat, stepFix)
			spec := restoring()
			if !restore {
				spec.OnViolation = policy.Fail
			}
			w.config.Policy = allow(t, spec)
			w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
				tr.Write("vendor/v.ts", "touched\n")
				tr.Write("vendor/new.ts", "made\n")
				return appending("x\n")(tr, c)
			})
			r := w.run()
			if r.Error == nil || r.Error.Reason != "policy-violation" {
				t.Fatalf("got error %+v, want policy-violation", r.Error)
			}
			if got := w.held("a.ts"); got != "one\nx\n" {
				t.Errorf("a.ts holds %q: what the policy allows stays", got)
			}
			wantV, wantNew := "touched\n", "made\n"
			if restore {
				wantV, wantNew = "v\n", ""
			}
			if got := w.held("vendor/v.ts"); got != wantV {
				t.Errorf("vendor/v.ts holds %q, want %q", got, wantV)
			}
			if got := w.held("vendor/new.ts"); got != wantNew {
				t.Errorf("vendor/new.ts holds %q, want %q", got, wantNew)
			}
		})
	}
}

func TestOnlyRunsOneStepAndSaysSo(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepFormat, stepFix)
	one := 1
	w.config.Only = &one
	w.tool("fmt", appending("x\n"))
	r := w.ok()
	got := []string{}
	for _, s := range r.Steps {
		got = append(got, s.State)
	}
	if want := []string{report.StepSkipped, report.StepSucceeded, report.StepSkipped}; !cmp.Equal(got, want) {
		t.Errorf("steps are %v, want %v", got, want)
	}
	if got := w.held("a.ts"); got != "one\nx\n" {
		t.Errorf("a.ts holds %q", got)
	}
}

func TestASecondRunOnItsOwnResultChangesNothing(t *testing.T) {
	w := newWorld(t, files(), []string{"*.ts"}, stepFormat)
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		for _, p := range c.Paths {
			tr.Write(p, "formatted\n")
		}
		return Outcome{}
	})
	w.ok()
	before := maps.Clone(w.tree.Files())
	if err := w.state.Clear(); err != nil {
		t.Fatal(err)
	}
	r := w.ok()
	if len(r.Changes) != 0 {
		t.Errorf("the second run has rows %v", kinds(r))
	}
	if diff := cmp.Diff(before, w.tree.Files()); diff != "" {
		t.Errorf("the second run changed the tree:\n%s", diff)
	}
}

func TestAFileThatChangesOutsideEveryStepIsAStrayAndIsNotFollowed(t *testing.T) {
	w := newWorld(t, map[string]string{"a.ts": "one\n", "b.md": "b\n"}, []string{"*"}, stepFormat)
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		tr.Write("b.md", "outside the scope\n")
		return Outcome{}
	})
	r := w.ok()
	if want := []report.Stray{{Path: "b.md", Kind: "content"}}; !cmp.Equal(r.Strays, want) {
		t.Errorf("strays %v, want %v", r.Strays, want)
	}
	if len(r.Changes) != 0 {
		t.Errorf("rows %v, want none", kinds(r))
	}
}

func TestReadLinesKeepsTheTextUnderItsLabelOnce(t *testing.T) {
	w := newWorld(t, files(), acquired, `{"name":"r","readLines":{"path":"a.ts","start":1,"label":"l"}}`, `{"name":"s","readLines":{"path":"b.ts","start":1,"label":"l"}}`)
	r := w.run()
	if want := map[string]string{"l": "one"}; !cmp.Equal(r.Reads, want) {
		t.Errorf("reads %v, want %v", r.Reads, want)
	}
	if r.Error == nil || r.Error.Reason != "label" {
		t.Errorf("got error %+v, want label", r.Error)
	}
}

func TestTheDiffBringsTheAcquiredTreeToThePresentOne(t *testing.T) {
	const edited = "@@\n-b\n+bb\n"
	for _, tt := range []struct {
		name, patch string
		want        map[string]string // kinds of rows
	}{
		{
			"a file deleted and made anew, another moved",
			"*** Delete File: a.ts\n*** Add File: a.ts\n+anew\n*** Update File: b.ts\n*** Move to: c.ts\n" + edited + "*** Delete File: d.ts\n",
			map[string]string{"a.ts": "added", "c.ts": "renamed", "d.ts": "deleted"},
		},
		{
			"a file moved over a deleted one",
			"*** Delete File: a.ts\n*** Update File: b.ts\n*** Move to: a.ts\n" + edited,
			map[string]string{"a.ts": "renamed"},
		},
		{
			"the same, and a new one in its place",
			"*** Delete File: a.ts\n*** Update File: b.ts\n*** Move to: a.ts\n*** Add File: b.ts\n+anew\n",
			map[string]string{"a.ts": "renamed", "b.ts": "added"},
		},
		{
			"a chain that ends over a deleted one",
			"*** Delete File: a.ts\n*** Update File: b.ts\n*** Move to: a.ts\n*** Update File: d.ts\n*** Move to: b.ts\n",
			map[string]string{"a.ts": "renamed", "b.ts": "renamed"},
		},
		{
			"a chain that ends where nothing was",
			"*** Update File: a.ts\n*** Move to: c.ts\n*** Update File: b.ts\n*** Move to: a.ts\n" + edited + "*** Update File: d.ts\n*** Move to: b.ts\n",
			map[string]string{"a.ts": "renamed", "b.ts": "renamed", "c.ts": "renamed"},
		},
		{
			"a swap",
			"*** Update File: a.ts\n*** Move to: c.ts\n*** Update File: b.ts\n*** Move to: a.ts\n" + edited + "*** Update File: c.ts\n*** Move to: b.ts\n",
			map[string]string{"a.ts": "renamed", "b.ts": "renamed"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			patch := strings.ReplaceAll("*** Begin Patch\n"+tt.patch+"*** End Patch\n", "\n", `\n`)
			w := newWorld(t, files(), acquired, `{"name":"p","applyPatch":{"patch":"`+patch+`"}}`, stepWrite)
			w.config.Policy = allow(t, policy.Spec{Write: policy.Axis{Allow: []string{"**", "**/.fettle-*"}}})
			r := w.ok()
			if got := kinds(r); !maps.Equal(got, tt.want) {
				t.Fatalf("rows %v, want %v", got, tt.want)
			}
			w.wantApplied(r.Diff)
		})
	}
}

// wantApplied wants git to make the present tree of the files at the beginning by a diff.
func (w *world) wantApplied(diff string) {
	t := w.t
	t.Helper()
	dir := t.TempDir()
	for path, text := range files() {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	apply := exec.Command("git", "apply")
	apply.Dir, apply.Stdin = dir, strings.NewReader(diff)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
	for path, e := range w.tree.Files() {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || string(got) != e.Data {
			t.Errorf("%s holds %q (error %v), want %q", path, got, err, e.Data)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(w.tree.Files()) {
		t.Errorf("got %d files, want %d (error %v)", len(entries), len(w.tree.Files()), err)
	}
}

func TestRequiredContainmentThatCannotBeHadFailsTheStepBeforeItsToolStarts(t *testing.T) {
	w := newWorld(t, files(), acquired, stepFormat)
	w.config.Containment = reread.Require
	w.tool("fmt", func(*treemem.Tree, Call) Outcome { t.Error("the tool was started"); return Outcome{} })
	r := w.run()
	if r.Error == nil || r.Error.Reason != "containment" {
		t.Errorf("got error %+v, want containment", r.Error)
	}
}
