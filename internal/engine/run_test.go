package engine

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func codemod() RunDeclaration {
	return RunDeclaration{Scope: []string{"src/**"}, Needs: []Need{NeedRename}, Invoke: Invoke{Command: []string{"codemod"}}}
}

func TestRunStepsAreJudged(t *testing.T) {
	for _, tc := range []struct {
		name       string
		change     func(*RunDeclaration)
		driver     Driver
		wantKind   fault.Kind
		wantReason fault.Reason
	}{
		{"image or command is given", func(d *RunDeclaration) { d.Command = nil }, all, fault.BadArgument, fault.ReasonMissing},
		{"scope is required", func(d *RunDeclaration) { d.Scope = nil }, all, fault.BadArgument, fault.ReasonMissing},
		{"scope isn't empty", func(d *RunDeclaration) { d.Scope = []string{} }, all, fault.BadArgument, fault.ReasonType},
		{"an ambiguous literal is a bad argument", func(d *RunDeclaration) { d.Scope = []string{"a[b]"} }, all, fault.BadArgument, fault.ReasonAmbiguousLiteral},
		{"a path out of the root", func(d *RunDeclaration) { d.Scope = []string{"../*"} }, all, fault.PathRefused, fault.ClassEscape},
		{"an unknown need", func(d *RunDeclaration) { d.Needs = []Need{"fly"} }, all, fault.BadArgument, fault.ReasonType},
		{"writes with Facade", func(d *RunDeclaration) { d.Access, d.Writes = Facade, WritesInPlace }, all, fault.BadArgument, fault.ReasonType},
		{"a way of passing paths", func(d *RunDeclaration) { d.Paths.As = "Fax" }, all, fault.BadArgument, fault.ReasonType},
		{"a need that isn't served", func(*RunDeclaration) {}, Driver{Modes: all.Modes, Accesses: all.Accesses}, fault.StepUnavailable, ""},
		{"an access that isn't served", func(d *RunDeclaration) { d.Access = Facade }, Driver{Needs: all.Needs, Modes: all.Modes, Accesses: []Access{Mount}}, fault.StepUnavailable, ""},
		{"a mode that isn't served", func(*RunDeclaration) {}, Driver{Needs: all.Needs, Accesses: all.Accesses}, fault.StepUnavailable, ""},
		{"an image's own command where images don't run", func(d *RunDeclaration) { d.Command, d.Image = nil, "img" }, Driver{Needs: all.Needs, Modes: all.Modes, Accesses: all.Accesses}, fault.StepUnavailable, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := codemod()
			tc.change(&d)
			_, err := d.Validate(tc.driver, depth)
			if got := fault.As(err); got == nil || got.Kind != tc.wantKind || got.Reason != tc.wantReason {
				t.Errorf("Validate = %v, want %s (%s)", err, tc.wantKind, tc.wantReason)
			}
		})
	}
	image := codemod()
	image.Command, image.Image = nil, "img"
	if _, err := image.Validate(all, depth); err != nil {
		t.Errorf("an image's own command: %v", err)
	}
}

func TestRunIsOneInvocationOfAnAnonymousEngine(t *testing.T) {
	c, err := codemod().Validate(all, depth)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	q := Query{Files: []string{"a.ts", "src/b.ts", "src/c.css"}, Policy: refuses{write: []string{"src/c.css"}}}
	s, err := r.PlanRun("rename", c, q)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "invocations", brief(s.Invocations), []string{"rename/0[]: src/b.ts"})
	inv := s.Invocations[0]
	if inv.Kind != Run || inv.Mode != InPlace || inv.Access != Mount || inv.ReadOnly || inv.OutsideScope != 1 || inv.Needs[0] != NeedRename {
		t.Errorf("invocation = %+v", inv)
	}

	q.Policy = refuses{write: q.Files}
	if s, _ = r.PlanRun("rename", c, q); len(s.Invocations) != 0 || len(s.Skips) != 1 || s.Skips[0].Reason != WriteDenied {
		t.Errorf("a run that the policy leaves nothing: %+v, want it skipped", s)
	}
	q.Files, q.Policy = nil, refuses{}
	if s, _ = r.PlanRun("rename", c, q); len(s.Invocations) != 1 {
		t.Errorf("a run that selects nothing: %+v, want it dispatched", s)
	}
	q.Selector = selector(t, "src/new.ts")
	if _, err := r.PlanRun("rename", c, q); !fault.Is(err, fault.BadArgument, fault.ReasonNoMatch) {
		t.Errorf("a selector that selects nothing: %v, want BadArgument (no-match)", err)
	}
}
