package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// survive runs f and says whether it was killed.
func survive(t *testing.T, f func()) (killed bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errKilled) {
				panic(p)
			}
			killed = true
		}
	}()
	f()
	return false
}

// eventful is a world in which everything happens that a journal is for.
func eventful(t *testing.T) *world {
	w := newWorld(t, files(), []string{"*.ts"}, stepEdit, stepPatch, stepWrite, stepFix, stepFormat, stepCheck)
	w.tool("lint", func(tr *treemem.Tree, c Call) Outcome {
		once(t, tr, c, "linted\n")
		return Outcome{}
	})
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		once(t, tr, c, "formatted\n")
		if err := tr.Write("made.ts", "made by fmt\n"); err != nil {
			t.Error(err)
		}
		if _, err := tr.Stat("other.ts"); err == nil {
			if err := tr.Delete("other.ts"); err != nil {
				t.Error(err)
			}
		}
		return Outcome{}
	})
	w.tool("check", func(*treemem.Tree, Call) Outcome { return Outcome{} })
	return w
}

// once appends a line to files that don't have it yet, as a formatter would.
func once(t *testing.T, tr *treemem.Tree, c Call, line string) {
	for _, p := range c.Paths {
		data, _, err := tr.ReadFile(p, 1<<20, nil)
		if err != nil {
			t.Errorf("the tool was given %s: %v", p, err)
			continue
		}
		if !strings.Contains(string(data), line) {
			if err := tr.Write(p, string(data)+line); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAKillAtEveryCheckpointIsResumedToTheSameResult(t *testing.T) {
	whole := eventful(t)
	want := whole.ok().Comparable()
	wantTree := whole.tree.Files()
	saves := whole.state.saves
	if saves < 10 {
		t.Fatalf("only %d checkpoints: the test proves little", saves)
	}
	for n := 1; n <= saves; n++ {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("checkpoint %d late=%v", n, late), func(t *testing.T) {
				w := eventful(t)
				w.state.dieAt, w.state.late = n, late
				if !survive(t, func() { Run(t.Context(), w.config) }) {
					t.Fatal("the run wasn't killed")
				}
				w.state.revive()
				r, err := Resume(t.Context(), w.config)
				if fault.Is(err, fault.BadArgument, fault.ReasonAbsent) && n == 1 && !late {
					r, err = Run(t.Context(), w.config), nil // nothing was kept yet
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, r.Comparable()); diff != "" {
					t.Errorf("the resumed run's report differs (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(wantTree, w.tree.Files()); diff != "" {
					t.Errorf("the tree differs (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestAKillAtEveryDiskOperationIsResumedToTheSameResult(t *testing.T) {
	whole := eventful(t)
	want := whole.ok().Comparable()
	wantTree := whole.tree.Files()
	ops := len(whole.tree.Ops())
	for n := range ops {
		for _, late := range []bool{false, n+1 < ops} {
			t.Run(fmt.Sprintf("operation %d late=%v", n, late), func(t *testing.T) {
				w := eventful(t)
				w.dieAtOperation(n, late)
				if !survive(t, func() { Run(t.Context(), w.config) }) {
					t.Fatal("the run wasn't killed")
				}
				w.tree.OnOp(nil)
				r, err := Resume(t.Context(), w.config)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, r.Comparable()); diff != "" {
					t.Errorf("the resumed run's report differs (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(wantTree, w.tree.Files()); diff != "" {
					t.Errorf("the tree differs (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// dieAtOperation kills the process at its n-th operation on the tree, before it or, if
// late, right before the one after it.
func (w *world) dieAtOperation(n int, late bool) {
	count := 0
	if late {
		n++
	}
	w.tree.OnOp(func(treemem.Op) error {
		if count++; count > n {
			panic(errKilled)
		}
		return nil
	})
}

func TestAnInterruptedRunIsClosedAndAccountedForBeforeAnother(t *testing.T) {
	w := eventful(t)
	w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
		once(t, tr, Call{Paths: c.Paths[:1]}, "formatted\n")
		panic(errKilled)
	})
	if !survive(t, func() { Run(t.Context(), w.config) }) {
		t.Fatal("the run wasn't killed")
	}
	config := w.config
	config.Plan.Steps, config.Engines, config.Digest = nil, nil, "sha256:other" // the pipeline has changed since
	r, found, err := Recover(t.Context(), config)
	if err != nil || !found {
		t.Fatalf("got found %v, error %v", found, err)
	}
	if r.Error == nil || r.Error.Reason != "crash" {
		t.Errorf("got error %+v, want crash", r.Error)
	}
	last := r.Invocations[len(r.Invocations)-1]
	if last.Engine != "fmt" || last.Ended != report.EndedCrash || last.Changed != 1 {
		t.Errorf("the last invocation is %+v, want fmt, crash, 1 changed", last)
	}
	if got, want := w.held("a.ts"), "two\nlinted\nformatted\n"; got != want {
		t.Errorf("a.ts holds %q, want %q", got, want)
	}
	if got := kinds(r); got["a.ts"] != "modified" || got["n.ts"] != "added" {
		t.Errorf("rows %v lack what happened before the kill", got)
	}
	if err := w.state.Clear(); err != nil {
		t.Fatal(err)
	}
	if _, found, err := Recover(t.Context(), config); found || err != nil {
		t.Errorf("a cleared state: got found %v, error %v", found, err)
	}
}

func TestARunThatFinishedButWasNotClearedIsReportedAgain(t *testing.T) {
	w := eventful(t)
	want := w.ok()
	got, found, err := Recover(t.Context(), w.config)
	if err != nil || !found {
		t.Fatalf("got found %v, error %v", found, err)
	}
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
}

func TestResumeRefusesAnotherPlanAndAnEmptyState(t *testing.T) {
	w := eventful(t)
	if _, err := Resume(t.Context(), w.config); !fault.Is(err, fault.BadArgument, fault.ReasonAbsent) {
		t.Errorf("an empty state: got error %v", err)
	}
	w.state.dieAt = 4
	survive(t, func() { Run(t.Context(), w.config) })
	w.state.revive()
	before := w.tree.Files()
	config := w.config
	config.Digest = "sha256:other"
	if _, err := Resume(t.Context(), config); !fault.Is(err, fault.BadArgument, "") {
		t.Errorf("another plan: got error %v", err)
	}
	if diff := cmp.Diff(before, w.tree.Files()); diff != "" {
		t.Errorf("a refused resume changed the tree:\n%s", diff)
	}
}

func TestAKillInTheMiddleOfARestorationLeavesNoTemporaryAndTellsOfTheViolation(t *testing.T) {
	ops := 0
	for n := 0; n < 12; n++ {
		w := newWorld(t, map[string]string{"a.ts": "one\n", "vendor/v.ts": "v\n"}, []string{"**/*.ts"}, stepFormat)
		w.config.Policy = allow(t, restoring())
		w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
			for path, data := range map[string]string{"vendor/v.ts": "touched\n", "vendor/new.ts": "made\n"} {
				if err := tr.Write(path, data); err != nil {
					t.Error(err)
				}
			}
			return Outcome{}
		})
		w.dieAtOperation(n, false)
		killed := survive(t, func() { Run(t.Context(), w.config) })
		w.tree.OnOp(nil)
		if !killed {
			break
		}
		ops++
		r, found, err := Recover(t.Context(), w.config)
		if err != nil || !found {
			t.Fatalf("operation %d: got found %v, error %v", n, found, err)
		}
		paths := slices.Sorted(func(yield func(string) bool) {
			for p := range w.tree.Files() {
				if !yield(p) {
					return
				}
			}
		})
		if want := []string{"a.ts", "vendor/v.ts"}; !cmp.Equal(paths, want) {
			t.Errorf("operation %d: the tree holds %v, want %v", n, paths, want)
		}
		if got := w.held("vendor/v.ts"); got != "v\n" {
			t.Errorf("operation %d: vendor/v.ts holds %q", n, got)
		}
		if n := violationsIn(r); n != 2 {
			t.Errorf("operation %d: %d violations are told of, want 2: %s", n, n, asJSON(t, r.Diagnostics))
		}
	}
	if ops < 3 {
		t.Errorf("only %d operations were interrupted", ops)
	}
}

func violationsIn(r report.Report) int {
	n := 0
	for _, d := range r.Diagnostics {
		if d.Reason == "policy-violation" || d.Reason == "policy" {
			n++
		}
	}
	return n
}

func TestAToolThatFailedHasFailedForWhoeverGoesOn(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t, files(), acquired, stepFormat, stepFix)
		w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome { return Outcome{Ended: report.EndedEngineError} })
		w.tool("lint", func(*treemem.Tree, Call) Outcome { t.Error("the run went on after a failure"); return Outcome{} })
		w.state.dieAt, w.state.late = n, true
		if !survive(t, func() { Run(t.Context(), w.config) }) {
			if n < 4 {
				t.Errorf("only %d checkpoints", n)
			}
			return
		}
		w.state.revive()
		r, err := Resume(t.Context(), w.config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Error == nil || r.Error.Reason != "engine-error" || r.OK {
			t.Errorf("checkpoint %d: got error %+v, want engine-error", n, r.Error)
		}
	}
}

func TestResumeGoesOnWithTheOneStepThatWasWanted(t *testing.T) {
	w := newWorld(t, files(), acquired, stepFormat, stepFix)
	one := 0
	w.config.Only = &one
	w.tool("fmt", appending("x\n"))
	w.tool("lint", func(*treemem.Tree, Call) Outcome { t.Error("another step was run"); return Outcome{} })
	w.state.dieAt = 2
	if !survive(t, func() { Run(t.Context(), w.config) }) {
		t.Fatal("the run wasn't killed")
	}
	w.state.revive()
	w.config.Only = nil
	r, err := Resume(t.Context(), w.config)
	if err != nil || r.Error != nil {
		t.Fatalf("got %+v, error %v", r.Error, err)
	}
	if got := w.held("a.ts"); got != "one\nx\n" {
		t.Errorf("a.ts holds %q", got)
	}
}

// A failure is named by what couldn't be kept, not by what would have come next.
func TestWhatCannotBeKeptIsWhatFails(t *testing.T) {
	for save, want := range map[int]string{1: "", 2: "bump", 3: "patch", 5: "save"} {
		w := newWorld(t, files(), acquired, stepEdit, stepPatch, stepWrite, stepFormat)
		w.state.full = save
		r := Run(t.Context(), w.config)
		if r.Error == nil || r.Error.Reason != "io" || !strings.Contains(r.Error.Cause, errFull.Error()) {
			t.Fatalf("checkpoint %d: got error %+v, want io", save, r.Error)
		}
		got := ""
		if r.Error.Step != nil {
			got = r.Steps[*r.Error.Step].Name
		}
		if got != want {
			t.Errorf("checkpoint %d: step %q is said to have failed, want %q", save, got, want)
		}
		for _, s := range r.Steps {
			if failed := s.State == report.StepFailed; failed != (s.Name == want) {
				t.Errorf("checkpoint %d: %+v", save, s)
			}
		}
	}
}
