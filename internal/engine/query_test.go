package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// brief renders invocations as "engine/index[groups]: paths", for comparison.
func brief(list []Invocation) []string {
	out := []string{}
	for _, i := range list {
		out = append(out, fmt.Sprintf("%s/%d%v: %s", i.EngineID, i.Capability, i.Groups, strings.Join(i.Paths, " ")))
	}
	return out
}

func skipped(list []Skip) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s %s%v: %d", s.Reason, s.EngineID, s.Groups, s.Paths))
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func scoped(d CapabilityDeclaration, scope ...string) CapabilityDeclaration {
	d.Scope = scope
	return d
}

func generating(d CapabilityDeclaration) CapabilityDeclaration {
	d.Generates = yes()
	return d
}

func TestPlanningOfFormatsAndLints(t *testing.T) {
	files := []string{"Makefile", "a.css", "b.ts", "lib/c.ts", "z.png.txt"}
	for _, tc := range []struct {
		name      string
		engines   []Declaration
		query     Query
		want      []string
		wantSkips []string
	}{
		{
			name:      "the first format of a group wins, groups are sorted",
			engines:   []Declaration{{ID: "p", Formats: []CapabilityDeclaration{format("ts", "css"), format("*")}}, {ID: "q", Formats: []CapabilityDeclaration{format("ts", "")}}},
			query:     Query{Kind: Format},
			want:      []string{"p/1[ txt]: Makefile z.png.txt", "p/0[css ts]: a.css b.ts lib/c.ts"},
			wantSkips: []string{},
		},
		{
			name:      "every lint of a group runs, at the place of its first group",
			engines:   []Declaration{{ID: "p", Lints: []CapabilityDeclaration{lint("ts")}}, {ID: "q", Lints: []CapabilityDeclaration{lint("css", "ts")}}},
			query:     Query{Kind: Lint},
			want:      []string{"q/0[css ts]: a.css b.ts lib/c.ts", "p/0[ts]: b.ts lib/c.ts"},
			wantSkips: []string{"no-capability []: 1", "no-capability [txt]: 1"},
		},
		{
			name:      "generating capabilities come last, without group",
			engines:   []Declaration{{ID: "p", Formats: []CapabilityDeclaration{generating(scoped(format("css"), "lib/**", "*.css")), format("css")}}},
			query:     Query{Kind: Format},
			want:      []string{"p/1[css]: a.css", "p/0[]: a.css lib/c.ts"},
			wantSkips: []string{"no-capability []: 1", "no-capability [ts]: 2", "no-capability [txt]: 1"},
		},
		{
			name:      "an invocation whose files all lie outside its scope is dispatched",
			engines:   []Declaration{{ID: "p", Formats: []CapabilityDeclaration{scoped(format("css"), "src/**")}}},
			query:     Query{Kind: Format, Selector: selector(t, "*.css")},
			want:      []string{"p/0[css]: "},
			wantSkips: []string{},
		},
		{
			name:      "an invocation that the policy leaves nothing is skipped",
			engines:   []Declaration{{ID: "p", Formats: []CapabilityDeclaration{format("css"), format("ts")}}},
			query:     Query{Kind: Format, Selector: selector(t, "**/*.ts", "*.css"), Policy: refuses{write: []string{"a.css", "b.ts"}}},
			want:      []string{"p/1[ts]: lib/c.ts"},
			wantSkips: []string{"write-denied p[css]: 1"},
		},
		{
			name:      "what only reads needs reading alone",
			engines:   []Declaration{{ID: "p", Lints: []CapabilityDeclaration{lint("css"), lint("ts")}}},
			query:     Query{Kind: Lint, Selector: selector(t, "**/*.ts", "*.css"), Policy: refuses{write: files, read: []string{"a.css", "b.ts"}}},
			want:      []string{"p/1[ts]: lib/c.ts"},
			wantSkips: []string{"read-denied p[css]: 1"},
		},
		{
			name:      "a fixing lint needs both",
			engines:   []Declaration{{ID: "p", Lints: []CapabilityDeclaration{lint("ts")}}},
			query:     Query{Kind: Lint, Fix: true, Selector: selector(t, "**/*.ts"), Policy: refuses{read: []string{"b.ts"}}},
			want:      []string{"p/0[ts]: lib/c.ts"},
			wantSkips: []string{},
		},
		{
			name:    "a selection stage that suppresses is recorded",
			engines: []Declaration{{ID: "p", Formats: []CapabilityDeclaration{format("ts"), format("ts"), format("css")}}},
			query: Query{Kind: Format, Selector: selector(t, "**/*.ts", "*.css"), Stages: []Stage{
				func(Question, []Candidate) ([]Candidate, error) { return nil, nil },
			}},
			want:      []string{"p/2[css]: a.css"},
			wantSkips: []string{"suppressed-by-selection [ts]: 2"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.query.Files = files
			s := plan(t, registry(t, tc.engines...), tc.query)
			same(t, "invocations", brief(s.Invocations), tc.want)
			same(t, "skips", skipped(s.Skips), tc.wantSkips)
		})
	}
}

func TestACapabilityWithoutScopeTakesHiddenFilesToo(t *testing.T) {
	filter := with(format("json"), func(d *CapabilityDeclaration) { d.Mode, d.Scope = Filter, nil })
	r := registry(t, Declaration{ID: "p", Formats: []CapabilityDeclaration{filter}})
	s := plan(t, r, Query{Kind: Format, Files: []string{".x/a.json", "b.json"}})
	same(t, "invocations", brief(s.Invocations), []string{"p/0[json]: .x/a.json b.json"})
	if got := s.Invocations[0].OutsideScope; got != 0 {
		t.Errorf("OutsideScope = %d, want 0: none is declared", got)
	}
	if r := s.Invocations[0].Region(); r.Match(".x/a.json") || !r.Match("b.json") {
		t.Error("the region of an undeclared scope isn't **")
	}
}

func TestOutsideScopeIsCountedOverTheGroupsWon(t *testing.T) {
	r := registry(t, Declaration{ID: "p", Lints: []CapabilityDeclaration{scoped(lint("ts", "js"), "src/**")}})
	s := plan(t, r, Query{Kind: Lint, Files: []string{"a.js", "a.md", "b.ts", "src/c.ts"}})
	if got := s.Invocations[0].OutsideScope; got != 2 {
		t.Errorf("OutsideScope = %d, want 2: a.js and b.ts", got)
	}
}

func TestOnlyAFixableLintFixes(t *testing.T) {
	stuck := with(lint("ts"), func(d *CapabilityDeclaration) { d.Fixable = no() })
	r := registry(t, Declaration{ID: "p", Formats: []CapabilityDeclaration{format("ts")}, Lints: []CapabilityDeclaration{lint("ts"), stuck}, Checks: []CapabilityDeclaration{check("ts")}})
	for _, tc := range []struct {
		name         string
		kind         Kind
		fix          bool
		wantFix      []bool
		wantReadOnly []bool
	}{
		{"a format writes", Format, false, []bool{false}, []bool{false}},
		{"a lint without fix reads", Lint, false, []bool{false, false}, []bool{true, true}},
		{"a lint with fix writes if it can fix", Lint, true, []bool{true, false}, []bool{false, true}},
		{"a check reads", Check, false, []bool{false}, []bool{true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := plan(t, r, Query{Kind: tc.kind, Fix: tc.fix, Files: []string{"a.ts"}})
			for i, inv := range s.Invocations {
				if inv.Fix != tc.wantFix[i] || inv.ReadOnly != tc.wantReadOnly[i] {
					t.Errorf("invocation %d: fix %v, read-only %v, want %v, %v", i, inv.Fix, inv.ReadOnly, tc.wantFix[i], tc.wantReadOnly[i])
				}
			}
			if len(s.Invocations) != len(tc.wantFix) {
				t.Errorf("%d invocations, want %d", len(s.Invocations), len(tc.wantFix))
			}
		})
	}
}

func TestChecksMeetTheGroupsOfTheWholeWorkspace(t *testing.T) {
	r := registry(t,
		Declaration{ID: "tsc", Checks: []CapabilityDeclaration{check("ts"), check("py")}},
		Declaration{ID: "all", Checks: []CapabilityDeclaration{check("*")}})
	var asked []Question
	s := plan(t, r, Query{Kind: Check, Files: []string{"a.ts", "b.css", "c.ts"}, Selector: selector(t, "b.css"), Stages: []Stage{
		func(q Question, c []Candidate) ([]Candidate, error) { asked = append(asked, q); return c, nil },
	}})
	same(t, "invocations", brief(s.Invocations), []string{"tsc/0[ts]: a.ts c.ts", "all/0[css ts]: b.css a.ts c.ts"})
	if len(asked) != 1 || asked[0] != (Question{Kind: Check}) {
		t.Errorf("the stage was asked %+v, want once and without group", asked)
	}
	if s.Invocations[0].Selector != nil {
		t.Error("a check has a selector")
	}
	if got := plan(t, r, Query{Kind: Check, Files: nil}); len(got.Invocations) != 0 {
		t.Errorf("an empty workspace has checks %v", brief(got.Invocations))
	}
}

func TestAStageThatFailsFailsThePlanning(t *testing.T) {
	broken := errors.New("broken")
	fail := []Stage{func(Question, []Candidate) ([]Candidate, error) { return nil, broken }}
	twice := []CapabilityDeclaration{format("ts"), format("ts")}
	generators := []CapabilityDeclaration{generating(format("ts")), generating(format("ts"))}
	checks := []CapabilityDeclaration{check("ts"), check("ts")}
	for name, tc := range map[string]struct {
		engine Declaration
		kind   Kind
	}{
		"of a group":    {Declaration{ID: "e", Formats: twice}, Format},
		"of generators": {Declaration{ID: "e", Formats: generators}, Format},
		"of checks":     {Declaration{ID: "e", Checks: checks}, Check},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := registry(t, tc.engine).Plan(Query{Kind: tc.kind, Files: []string{"a.ts"}, Policy: refuses{}, Stages: fail})
			if !errors.Is(err, broken) {
				t.Errorf("Plan = %v, want %v", err, broken)
			}
		})
	}
}
