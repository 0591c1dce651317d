package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestStepsAreParsedStrictly(t *testing.T) {
	for _, tc := range []struct {
		name, step string
		wantKind   fault.Kind
		wantReason fault.Reason
		wantIn     string
	}{
		{"an unknown step", `{"frobnicate": {}}`, fault.UnknownStep, "", "frobnicate"},
		{"a step in other letters", `{"Check": {}}`, fault.UnknownStep, "", "Check"},
		{"no step", `{"name": "x"}`, fault.UnknownStep, "", "none"},
		{"two steps in one", `{"check": {}, "write": {}}`, fault.UnknownStep, "", "check and write"},
		{"no object", `[1]`, fault.BadArgument, fault.ReasonType, ""},
		{"arguments that are no object", `{"check": 3}`, fault.BadArgument, fault.ReasonType, ""},
		{"a name that is no text", `{"name": 3, "check": {}}`, fault.BadArgument, fault.ReasonType, "name"},
		{"gates without mode", `{"gates": {}, "check": {}}`, fault.BadArgument, fault.ReasonMissing, "mode"},
		{"an unknown gate setting", `{"gates": {"mode": "Never", "by": "x"}, "check": {}}`, fault.BadArgument, fault.ReasonUnknownArgument, "by"},
		{"check takes nothing", `{"check": {"paths": ["a"]}}`, fault.BadArgument, fault.ReasonUnknownArgument, "paths"},
		{"an unknown argument counts before a missing one", `{"edit": {"file": "a"}}`, fault.BadArgument, fault.ReasonUnknownArgument, "file"},
		{"a missing argument counts before a wrong type", `{"edit": {"path": 3}}`, fault.BadArgument, fault.ReasonMissing, "edits"},
		{"a null is absent", `{"applyPatch": {"patch": null}}`, fault.BadArgument, fault.ReasonMissing, "patch"},
		{"readLines needs start", `{"readLines": {"path": "a"}}`, fault.BadArgument, fault.ReasonMissing, "start"},
		{"a line is a whole number", `{"readLines": {"path": "a", "start": 1.5}}`, fault.BadArgument, fault.ReasonType, "start"},
		{"end is a number", `{"readLines": {"path": "a", "start": 1, "end": "2"}}`, fault.BadArgument, fault.ReasonType, "end"},
		{"edits is a list", `{"edit": {"path": "a", "edits": {}}}`, fault.BadArgument, fault.ReasonType, "edits"},
		{"an edit is an object", `{"edit": {"path": "a", "edits": ["x"]}}`, fault.BadArgument, fault.ReasonType, "edits"},
		{"an edit needs replace", `{"edit": {"path": "a", "edits": [{"find": "x"}]}}`, fault.BadArgument, fault.ReasonMissing, "replace"},
		{"an edit has nothing else", `{"edit": {"path": "a", "edits": [{"find": "x", "replace": "", "all": true}]}}`, fault.BadArgument, fault.ReasonUnknownArgument, "all"},
		{"paths is a list", `{"format": {"paths": "a"}}`, fault.BadArgument, fault.ReasonType, "paths"},
		{"fix is true or false", `{"lint": {"fix": "yes"}}`, fault.BadArgument, fault.ReasonType, "fix"},
		{"run needs scope", `{"run": {"command": ["x"]}}`, fault.BadArgument, fault.ReasonMissing, "scope"},
		{"passing paths has nothing else", `{"run": {"command": ["x"], "scope": ["a"], "passPaths": {"how": "x"}}}`, fault.BadArgument, fault.ReasonType, "passPaths"},
		{"a deadline is a duration", `{"run": {"command": ["x"], "scope": ["a"], "deadline": "soon"}}`, fault.BadArgument, fault.ReasonType, "deadline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseStep([]byte(tc.step))
			got := fault.As(err)
			if got == nil || got.Kind != tc.wantKind || got.Reason != tc.wantReason || !strings.Contains(got.Error(), tc.wantIn) {
				t.Errorf("ParseStep = %v, want %s (%s) with %q", err, tc.wantKind, tc.wantReason, tc.wantIn)
			}
		})
	}
}

func TestAStepIsWrittenAsItWasRead(t *testing.T) {
	for _, step := range []string{
		`{"name":"a","readLines":{"path":"x","start":2,"end":3,"label":"l"}}`,
		`{"name":"a","edit":{"path":"x","edits":[{"find":"f","replace":""}]}}`,
		`{"name":"a","applyPatch":{"patch":"p"}}`,
		`{"name":"a","blocks":{"message":""}}`,
		`{"name":"a","blocks":{"messageFrom":{"configMapKeyRef":{"name":"n","key":"k"}},"editFormat":"none"}}`,
		`{"name":"a","write":{"paths":["x"]}}`,
		`{"name":"a","gates":{"mode":"Always"},"format":{}}`,
		`{"name":"a","lint":{"paths":["x"],"fix":true}}`,
		`{"name":"a","check":{}}`,
		`{"name":"a","publish":{"git":{"branch":"b"}}}`,
		`{"name":"a","run":{"image":"i","access":"Mount","writes":"InPlace","scope":["s"],"needs":["delete"],"command":["c"],"args":["d"],` +
			`"passPaths":{"as":"None"},"exitCodes":{"findings":[1]},"diagnostics":{"format":"GNU"},"deadline":"1m0s","network":"Allowed","resources":{"limits":{}},"paths":["p"]}}`,
	} {
		parsed, err := ParseStep([]byte(step))
		if err != nil {
			t.Errorf("ParseStep(%s): %v", step, err)
			continue
		}
		written, err := json.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		_ = json.Unmarshal(written, &got)
		_ = json.Unmarshal([]byte(step), &want)
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("written as %s, want %s", g, w)
		}
	}
	if s, _ := ParseStep([]byte(`{"write":{}}`)); s.Name != "write" {
		t.Errorf("a step without name is called %q, want write", s.Name)
	}
}

func TestAListOfStepsNamesTheOneThatIsWrong(t *testing.T) {
	_, err := ParseSteps([]json.RawMessage{[]byte(`{"check":{}}`), []byte(`{"name":"b","edit":{"path":"x"}}`)})
	if e := fault.As(err); e == nil || e.Step == nil || *e.Step != (fault.Step{Index: 1, Name: "b"}) {
		t.Errorf("ParseSteps = %v, want a refusal of step 2, b", err)
	}
}

func FuzzParseStep(f *testing.F) {
	f.Add([]byte(`{"name":"a","edit":{"path":"x","edits":[{"find":"f","replace":""}]}}`))
	f.Add([]byte(`{"run":{"command":["x"],"scope":["a"],"deadline":"1m","resources":{}}}`))
	f.Add([]byte(`{"readLines":{"path":"a","start":1,"end":null}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		step, err := ParseStep(raw)
		if err != nil {
			if fault.As(err) == nil {
				t.Errorf("an error that is no refusal: %v", err)
			}
			return
		}
		written, err := json.Marshal(step)
		if err != nil {
			t.Fatalf("write %q: %v", raw, err)
		}
		again, err := ParseStep(written)
		if err != nil {
			t.Fatalf("read what was written of %q: %v", raw, err)
		}
		twice, _ := json.Marshal(again)
		if string(written) != string(twice) {
			t.Errorf("%s was read and written as %s", written, twice)
		}
	})
}
