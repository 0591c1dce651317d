package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/report"
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
