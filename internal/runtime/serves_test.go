package runtime

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

func TestARunGoesThroughSeveralProcessesEachServingOneInvocation(t *testing.T) {
	whole := eventful(t)
	want := whole.ok().Comparable()

	w := eventful(t)
	var engines []string
	w.config.Serves = func(report.Next) bool { return false }
	r := w.run()
	for r.Next != nil {
		if r.Error != nil {
			t.Fatalf("the run failed: %s", r.Error.Sentence())
		}
		if len(r.Changes) != 0 {
			t.Error("a run that hasn't ended has rows")
		}
		next := *r.Next
		engines = append(engines, next.Engine)
		w.config.Serves = func(n report.Next) bool { return n == next }
		var err error
		if r, err = Resume(t.Context(), w.config); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"lint", "fmt", "check"}; !cmp.Equal(engines, want) {
		t.Errorf("stopped before %v, want %v", engines, want)
	}
	if diff := cmp.Diff(want, r.Comparable()); diff != "" {
		t.Errorf("the report differs from that of one process (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(whole.tree.Files(), w.tree.Files()); diff != "" {
		t.Errorf("the tree differs:\n%s", diff)
	}
}

// served runs a world through processes that each serve one attempt of one invocation, and
// returns the last report.
func (w *world) served(t *testing.T) report.Report {
	t.Helper()
	w.config.Serves = func(report.Next) bool { return false }
	r := w.run()
	for range 20 {
		if r.Next == nil {
			return r
		}
		next, used := *r.Next, false
		w.config.Serves = func(n report.Next) bool {
			ours := n == next && !used
			used = used || ours
			return ours
		}
		var err error
		if r, err = Resume(t.Context(), w.config); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the run doesn't end")
	return r
}

func TestAnotherAttemptIsLeftToAnotherProcessAndCounts(t *testing.T) {
	for _, tt := range []struct {
		name      string
		failures  int // of the first attempts
		wantCalls int
		wantOK    bool
	}{
		{"the second goes well", 1, 2, true},
		{"as many as the limit go wrong", 2, 3, true},
		{"one more than the limit goes wrong", 3, 3, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, files(), []string{"*.ts"}, stepFormat)
			w.config.Retries = 2
			calls := 0
			w.tool("fmt", func(tr *treemem.Tree, c Call) Outcome {
				once(t, tr, c, fmt.Sprintf("attempt %d\n", c.Attempt))
				if calls++; calls <= tt.failures {
					return Outcome{Ended: report.EndedEngineError}
				}
				return Outcome{}
			})
			r := w.served(t)
			if calls != tt.wantCalls || (r.Error == nil) != tt.wantOK {
				t.Errorf("%d calls, error %+v, want %d calls, ok %v", calls, r.Error, tt.wantCalls, tt.wantOK)
			}
			if got := r.Invocations[0].Attempts; got != tt.wantCalls {
				t.Errorf("the report has %d attempts, want %d", got, tt.wantCalls)
			}
			if kinds(r)["a.ts"] != "modified" {
				t.Errorf("rows %v lack what the attempts did", kinds(r))
			}
		})
	}
}

func TestAnAttemptThatIsLostIsFreeAndLeavesTheRunWhereItIs(t *testing.T) {
	whole := eventful(t)
	want := whole.ok().Comparable()

	w := eventful(t)
	lost := map[string]bool{}
	w.driver.lose = func(c Call) bool {
		first := !lost[c.Name]
		lost[c.Name] = true
		return first
	}
	r := w.served(t)
	if len(lost) != 3 {
		t.Errorf("%d invocations were lost once, want 3", len(lost))
	}
	if diff := cmp.Diff(want, r.Comparable()); diff != "" {
		t.Errorf("the report differs from that of one process (-want +got):\n%s", diff)
	}
}

func TestThatSomebodyRunsTheToolIsDurableBeforeItStarts(t *testing.T) {
	w := newWorld(t, files(), []string{"*.ts"}, stepFormat)
	w.tool("fmt", func(_ *treemem.Tree, c Call) Outcome {
		before, err := w.state.Load()
		if err != nil || before.Entry.Invocation.Attached != 0 {
			t.Errorf("before: %+v, %v, want none attached", before.Entry.Invocation, err)
		}
		if err := c.Attached(); err != nil {
			t.Error(err)
		}
		after, err := w.state.Load()
		if err != nil || after.Entry.Invocation.Attached != 1 {
			t.Errorf("after: %+v, %v, want attempt 1 attached", after.Entry.Invocation, err)
		}
		return Outcome{}
	})
	w.ok()
}

func TestARecoveredRunHasTheCauseThatItIsGiven(t *testing.T) {
	w := newWorld(t, files(), []string{"*.ts"}, stepFormat)
	w.config.Serves = func(report.Next) bool { return false }
	w.run()
	cause := fault.New(fault.StepFailed, fault.ReasonCancelled, "", "somebody cancelled it")
	r, found, err := RecoverBecause(t.Context(), w.config, cause)
	if err != nil || !found || r.Error == nil || r.Error.Reason != "cancelled" || r.Error.Message != cause.Message {
		t.Errorf("got %+v, %v, %v, want the cause that was given", r.Error, found, err)
	}
}

func TestADiffAboveItsLimitIsLeftOutAndSaidToBe(t *testing.T) {
	whole := eventful(t)
	want := whole.ok()
	for _, limit := range []int{len(want.Diff), len(want.Diff) - 1} {
		w := eventful(t)
		w.config.MaxDiff = limit
		r := w.ok()
		if fits := limit == len(want.Diff); fits != (r.Diff == want.Diff) || fits != (len(r.Cut) == 0) || len(r.Changes) != len(want.Changes) {
			t.Errorf("limit %d of %d: got %d bytes, cut %q, %d rows", limit, len(want.Diff), len(r.Diff), r.Cut, len(r.Changes))
		}
	}
}

func TestWhatAStepDoesNotDoIsToldOnceByAllProcessesTogether(t *testing.T) {
	world := func() *world {
		w := newWorld(t, map[string]string{"a.ts": "one\n", "b.md": "two\n"}, []string{"*"}, stepFormat)
		w.tool("fmt", func(*treemem.Tree, Call) Outcome { return Outcome{} })
		return w
	}
	whole := world()
	want := whole.ok().Comparable()
	if len(want.Diagnostics) == 0 {
		t.Fatal("nothing is told: the test proves nothing")
	}
	if diff := cmp.Diff(want, world().served(t).Comparable()); diff != "" {
		t.Errorf("the report differs from that of one process (-want +got):\n%s", diff)
	}
}

func TestNoProcessIsAskedForAToolThatGetsNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.ts": "one\n"}, []string{"*.ts"}, `{"name":"edit","edit":{"path":"a.ts","edits":[{"find":"one","replace":"two"}]}}`, stepFormat)
	w.config.Serves = func(n report.Next) bool {
		t.Errorf("%s is asked for, though its only file isn't saved", n.Engine)
		return false
	}
	if r := w.run(); r.Error != nil || r.Next != nil {
		t.Errorf("the run stopped at %+v, %+v", r.Next, r.Error)
	}
}
