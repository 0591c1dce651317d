package plan

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
)

func TestAPlanIsJudgedBeforeItRuns(t *testing.T) {
	for _, tc := range []struct {
		name, steps string
		wantKind    fault.Kind
		wantReason  fault.Reason
		wantStep    int
	}{
		{"a line is counted from one", `[{"readLines": {"path": "a", "start": 0}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"an end, too", `[{"readLines": {"path": "a", "start": 1, "end": 0}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"readLines has a path", `[{"readLines": {"path": "", "start": 1}}]`, fault.BadArgument, fault.ReasonMissing, 0},
		{"edit has a path", `[{"edit": {"path": "", "edits": [{"find": "a", "replace": ""}]}}]`, fault.BadArgument, fault.ReasonMissing, 0},
		{"edits isn't empty", `[{"edit": {"path": "a", "edits": []}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"find isn't empty", `[{"edit": {"path": "a", "edits": [{"find": "x", "replace": ""}, {"find": "", "replace": ""}]}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"a patch is there", `[{"applyPatch": {"patch": ""}}]`, fault.BadArgument, fault.ReasonMissing, 0},
		{"a patch is well formed", `[{"applyPatch": {"patch": "*** Begin Patch\nhello\n*** End Patch"}}]`, fault.BadArgument, fault.ReasonMalformedPatch, 0},
		{"paths of a patch take the strict door", `[{"applyPatch": {"patch": "*** Begin Patch\n*** Delete File: /a\n*** End Patch"}}]`, fault.PathRefused, fault.ClassNotRelative, 0},
		{"a message comes from somewhere", `[{"blocks": {}}]`, fault.BadArgument, fault.ReasonMissing, 0},
		{"and from one place only", `[{"blocks": {"message": "x", "messageFrom": {}}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"paths of write take their door", `[{"write": {"paths": ["../x"]}}]`, fault.PathRefused, fault.ClassEscape, 0},
		{"paths of format are patterns of the grammar", `[{"write": {}}, {"format": {"paths": ["*.{a,b}"]}}]`, fault.BadArgument, fault.ClassBrace, 1},
		{"paths of lint aren't empty", `[{"lint": {"paths": []}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"scope of run isn't empty", `[{"run": {"command": ["x"], "scope": []}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"scope of run isn't ambiguous", `[{"run": {"command": ["x"], "scope": ["a?"]}}]`, fault.BadArgument, fault.ReasonAmbiguousLiteral, 0},
		{"paths of run take their door", `[{"run": {"command": ["x"], "scope": ["a"], "paths": ["~x"]}}]`, fault.PathRefused, fault.ClassHome, 0},
		{"a gate mode is known", `[{"check": {}, "gates": {"mode": "Sometimes"}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"the first step that is wrong counts", `[{"lint": {"paths": []}}, {"write": {"paths": ["../x"]}}]`, fault.BadArgument, fault.ReasonType, 0},
		{"arguments count before the order", `[{"edit": {"path": "a", "edits": [{"find": "x", "replace": ""}]}}, {"check": {}}, {"lint": {"paths": []}}]`, fault.BadArgument, fault.ReasonType, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Validate(Plan{Steps: steps(t, tc.steps)}, rules(t))
			got := fault.As(err)
			if got == nil || got.Kind != tc.wantKind || got.Reason != tc.wantReason || got.Step == nil || got.Step.Index != tc.wantStep {
				t.Errorf("Validate = %v, want %s (%s) in step %d", err, tc.wantKind, tc.wantReason, tc.wantStep)
			}
		})
	}
}

func TestAStepWithoutArgumentsIsUnknown(t *testing.T) {
	if _, err := Validate(Plan{Steps: []Step{{Name: "x"}}}, rules(t)); !fault.Is(err, fault.UnknownStep, "") {
		t.Errorf("Validate = %v, want UnknownStep", err)
	}
}

func TestStepsNeedEnginesOfTheirKind(t *testing.T) {
	renames := capability(engine.InPlace)
	renames.Needs = []engine.Need{engine.NeedRename}
	formats := engine.Declaration{ID: "p", Formats: []engine.CapabilityDeclaration{renames}}
	for _, tc := range []struct {
		name, steps string
		engines     []engine.Declaration
		driver      engine.Driver
		wantKind    fault.Kind
		wantIn      string
	}{
		{"format without formats", `[{"format": {}}]`, nil, everything, fault.EngineRequired, "formats"},
		{"lint without lints", `[{"lint": {}}]`, []engine.Declaration{formats}, everything, fault.EngineRequired, "lints"},
		{"check without checks", `[{"check": {}}]`, []engine.Declaration{formats}, everything, fault.EngineRequired, "checks"},
		{"a hole is no engine", `[{"format": {}}]`, []engine.Declaration{formats}, engine.Driver{Modes: everything.Modes, Accesses: everything.Accesses}, fault.EngineRequired, "p formats[0]"},
		{"arguments count before engines", `[{"format": {"paths": []}}]`, nil, everything, fault.BadArgument, "paths"},
		{"a mode that isn't implemented", `[{"format": {}}]`, []engine.Declaration{{ID: "q", Formats: []engine.CapabilityDeclaration{capability(engine.Filter)}}}, engine.Driver{Modes: []engine.Mode{engine.InPlace}, Accesses: everything.Accesses}, fault.StepUnavailable, "q formats[0]: mode Filter"},
		{"a need of run that isn't served", `[{"run": {"command": ["x"], "scope": ["a"], "needs": ["rename"]}}]`, nil, engine.Driver{Modes: everything.Modes, Accesses: everything.Accesses}, fault.StepUnavailable, "rename"},
		{"run needs no engine", `[{"run": {"command": ["x"], "scope": ["a"]}}]`, nil, everything, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Validate(Plan{Steps: steps(t, tc.steps)}, Rules{Engines: registry(t, tc.driver, tc.engines...), MaxDepth: depth})
			if tc.wantKind == "" {
				if err != nil {
					t.Errorf("Validate = %v, want no error", err)
				}
				return
			}
			if got := fault.As(err); got == nil || got.Kind != tc.wantKind || !strings.Contains(got.Error(), tc.wantIn) {
				t.Errorf("Validate = %v, want %s with %q", err, tc.wantKind, tc.wantIn)
			}
		})
	}
}

func TestStepsThatAreNotImplementedAreUnavailable(t *testing.T) {
	r := rules(t)
	r.Lacks = map[Kind]string{KindBlocks: "wait for it", KindFormat: "wait for it"}
	_, err := Validate(Plan{Steps: steps(t, `[{"write": {}}, {"blocks": {"message": "x"}}]`)}, r)
	if got := fault.As(err); got == nil || got.Kind != fault.StepUnavailable || got.Hint != "wait for it" || got.Step.Index != 1 {
		t.Errorf("Validate = %v, want StepUnavailable in step 1 with its hint", err)
	}
	r.Engines = registry(t, everything)
	if _, err := Validate(Plan{Steps: steps(t, `[{"format": {}}]`)}, r); !fault.Is(err, fault.EngineRequired, "") {
		t.Errorf("Validate = %v, want EngineRequired before StepUnavailable", err)
	}
}

func TestTheOrderOfSteps(t *testing.T) {
	const edit, write = `{"name": "e", "edit": {"path": "a", "edits": [{"find": "x", "replace": ""}]}}`, `{"write": {"paths": ["b"]}}`
	filters := Rules{MaxDepth: depth, Engines: registry(t, everything, engine.Declaration{
		ID:      "f",
		Formats: []engine.CapabilityDeclaration{capability(engine.Filter), capability(engine.InPlace)},
		Lints:   []engine.CapabilityDeclaration{lintCapability(engine.Delta)},
		Checks:  []engine.CapabilityDeclaration{checkCapability()},
	})}
	for _, tc := range []struct {
		name, steps string
		rules       Rules
		want        []Warning
	}{
		{"a narrowed write saves, as far as a plan can tell", "[" + edit + "," + write + `,{"check":{}}]`, rules(t), nil},
		{"each in-place step names the nearest", "[" + edit + "," + edit + `,{"format":{}},{"lint":{}}]`, rules(t), []Warning{{Step: 2, After: 1}, {Step: 3, After: 1}}},
		{"a Filter beside an in-place format", `[{"format":{}},{"format":{}}]`, filters, []Warning{{Step: 1, After: 0}}},
		{"a Delta lint that fixes", `[{"lint":{"fix":true}},{"check":{}}]`, filters, []Warning{{Step: 1, After: 0}}},
		{"a Delta lint that only looks", `[{"lint":{}},{"check":{}}]`, filters, nil},
		{"a Delta lint isn't in place", "[" + edit + `,{"lint":{}}]`, filters, nil},
		{"a write in between ends it", "[" + edit + `,{"format":{}},` + write + `,{"lint":{}}]`, rules(t), []Warning{{Step: 1, After: 0}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Validate(Plan{Steps: steps(t, tc.steps)}, tc.rules)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tc.want) {
				t.Fatalf("warnings = %+v, want %+v", got, tc.want)
			}
			for i, w := range got {
				if w.Step != tc.want[i].Step || w.After != tc.want[i].After || !strings.Contains(w.Message, "write step") {
					t.Errorf("warning %d = %+v, want %+v and what to do", i, w, tc.want[i])
				}
			}
		})
	}
}

func TestAnUnsavedCheckNamesBothSteps(t *testing.T) {
	_, err := Validate(Plan{Steps: steps(t, `[{"name":"bump","edit":{"path":"a","edits":[{"find":"x","replace":""}]}},{"format":{}},{"name":"types","check":{}}]`)}, rules(t))
	if !fault.Is(err, fault.BadArgument, fault.ReasonUnsaved) {
		t.Fatalf("Validate = %v, want BadArgument (unsaved)", err)
	}
	for _, want := range []string{"step 3 types", "step 1 bump", "write step"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %q in it", err, want)
		}
	}
}
