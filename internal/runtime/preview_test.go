package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPreviewSaysWhatEachStepWouldDoAndChangesNothing(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepFormat, stepPatch, stepWrite, stepFix, stepCheck)
	before := w.tree.Snapshot()
	p, err := PreviewOf(t.Context(), w.config)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) != 6 {
		t.Fatalf("got %d steps, want 6: %s", len(p.Steps), asJSON(t, p))
	}
	format := p.Steps[1].Invocations[0]
	if want := []string{"b.ts", "d.ts"}; !cmp.Equal(format.Paths, want) {
		t.Errorf("format would be given %v, want %v", format.Paths, want)
	}
	if want := []string{"a.ts"}; !cmp.Equal(format.Withheld, want) {
		t.Errorf("format would be withheld %v, want %v", format.Withheld, want)
	}
	if want := []string{"a.ts", "b.ts", "c.ts", "d.ts", "n.ts"}; !cmp.Equal(p.Steps[3].Targets, want) {
		t.Errorf("write concerns %v, want %v", p.Steps[3].Targets, want)
	}
	fix := p.Steps[4].Invocations[0]
	if want := []string{"a.ts", "c.ts", "n.ts"}; !cmp.Equal(fix.Paths, want) {
		t.Errorf("after the write lint would be given %v, want %v", fix.Paths, want)
	}
	if diff := cmp.Diff(before, w.tree.Snapshot()); diff != "" {
		t.Errorf("the preview changed the tree:\n%s", diff)
	}
	if w.state.saves != 0 {
		t.Error("the preview wrote state")
	}
}

func TestAPreviewEndsAtTheStepThatWouldFail(t *testing.T) {
	w := newWorld(t, files(), acquired, `{"name":"e","edit":{"path":"a.ts","edits":[{"find":"nowhere","replace":"x"}]}}`, stepFormat)
	p, err := PreviewOf(t.Context(), w.config)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) != 1 || p.Steps[0].Problem == nil || p.Steps[0].Problem.Reason != "not-found" {
		t.Errorf("got %s, want one step with the problem not-found", asJSON(t, p.Steps))
	}
}
