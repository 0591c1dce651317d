package manifest

import (
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

// FuzzLoad: whatever the input, Load returns objects that load again, or one refusal whose
// problems each stand on one line.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"minimal.yaml", "engine.yaml", "policy.yaml", "run.yaml"} {
		f.Add(example(f, name).Data)
	}
	f.Add([]byte(pipeline("  mode: &a [*a]", "  engines: [{ref: a}, {name: a}]")))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems: [1, {kind: List, apiVersion: v1}]\n--- x\n---\n"))
	f.Add([]byte(`{"apiVersion": "fettle.dev/v1alpha1", "kind": "DevEngine", "metadata": {"name": 1e400}, "kind": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		set, err := Load(t.Context(), Input{"fuzz", data})
		if err == nil {
			again := marshalled(t, set)
			if len(again.Data) == 0 {
				return // foreign objects only
			}
			if _, err := Load(t.Context(), again); err != nil {
				t.Errorf("loaded once, not again: %v", err)
			}
			return
		}
		var problems Problems
		if !fault.Is(err, fault.InvalidPipeline, "") || !errors.As(err, &problems) || len(problems) == 0 {
			t.Fatalf("got %v, want InvalidPipeline with problems", err)
		}
		for _, p := range problems {
			if strings.ContainsFunc(p.String()+p.Hint, unprintable) {
				t.Errorf("got %q, want one printable line", p)
			}
		}
	})
}
