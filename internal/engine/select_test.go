package engine

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestSelectingNothingIsRefusedUnlessSomethingCouldBeGenerated(t *testing.T) {
	plain := format("ts")
	generator := generating(scoped(format("ts"), "gen/**"))
	anywhere := with(generating(format("ts")), func(d *CapabilityDeclaration) { d.Mode, d.Scope = Delta, nil })
	for _, tc := range []struct {
		name       string
		formats    []CapabilityDeclaration
		paths      []string
		wantRefuse bool
	}{
		{"no generator", []CapabilityDeclaration{plain}, []string{"gen/a.ts"}, true},
		{"a generator whose scope overlaps", []CapabilityDeclaration{plain, generator}, []string{"docs/x", "gen/*.ts"}, false},
		{"a generator elsewhere", []CapabilityDeclaration{plain, generator}, []string{"src/*"}, true},
		{"a generator without scope", []CapabilityDeclaration{anywhere}, []string{"src/*"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := registry(t, Declaration{ID: "p", Formats: tc.formats})
			_, err := r.Plan(Query{Kind: Format, Files: []string{"a.ts"}, Selector: selector(t, tc.paths...), Policy: refuses{}})
			if got := fault.Is(err, fault.BadArgument, fault.ReasonNoMatch); got != tc.wantRefuse {
				t.Errorf("Plan = %v, want a refusal: %v", err, tc.wantRefuse)
			}
			if _, err := r.Plan(Query{Kind: Lint, Files: []string{"a.ts"}, Selector: selector(t, tc.paths...), Policy: refuses{}}); err == nil {
				t.Error("a generating format excused a lint")
			}
		})
	}
}

func TestSelectorsPassTheirDoors(t *testing.T) {
	for _, tc := range []struct {
		name       string
		paths      []string
		wantKind   fault.Kind
		wantReason fault.Reason
	}{
		{"an empty list", []string{}, fault.BadArgument, fault.ReasonType},
		{"a path out of the root", []string{"a", "../b"}, fault.PathRefused, fault.ClassEscape},
		{"a brace", []string{"*.{a,b}"}, fault.BadArgument, fault.ClassBrace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := ParseSelector(tc.paths, depth); !fault.Is(err, tc.wantKind, tc.wantReason) {
				t.Errorf("ParseSelector = %v, want %s (%s)", err, tc.wantKind, tc.wantReason)
			}
		})
	}
	if s, err := ParseSelector(nil, depth); s != nil || err != nil {
		t.Errorf("ParseSelector(nil) = %v, %v, want none", s, err)
	}
	same(t, "entries", selector(t, "b/*", "./a", "app/[id]", "b//*").Strings(), []string{"a", "app/[id]", "b/*"})
}
