package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestUnavailablePolicyRefusesEverything(t *testing.T) {
	var zero Policy
	cause := errors.New("withdrawn")
	policies := map[string]*Policy{
		"nil": nil, "zero": &zero, "no layer": New(), "an undetermined layer": New(mustLayer(t, []byte(open)), nil), "named": NotAvailable(cause),
	}
	want := Verdict{Reason: Unavailable}
	for name, p := range policies {
		if p.Available() || p.Restores() {
			t.Errorf("%s: got available or restoring; want neither", name)
		}
		for _, got := range []Verdict{p.CanRead("a"), p.CanWrite("a"), p.CanMkdir("a"), p.CanWrite(".git")} {
			if got != want {
				t.Errorf("%s: got %+v; want %+v", name, got, want)
			}
		}
	}
	if got := policies["named"].Cause(); !errors.Is(got, cause) {
		t.Errorf("cause: got %v; want %v", got, cause)
	}
	if got := policies["nil"].Cause(); got != nil {
		t.Errorf("cause of nil: got %v; want none", got)
	}
}

func TestEmptyAllowListAllowsNothing(t *testing.T) {
	p := mustPolicy(t, `{"read": {"allow": []}, "write": {"allow": []}}`)
	want := Verdict{Reason: NotAllowed}
	if got := p.CanRead("a"); got != want {
		t.Errorf("CanRead: got %+v; want %+v", got, want)
	}
	if got := p.CanWrite("a"); got != want {
		t.Errorf("CanWrite: got %+v; want %+v", got, want)
	}
}

func TestSomeLayerThatRestoresIsEnough(t *testing.T) {
	if mustPolicy(t, `{}`, `{"onViolation": "Fail"}`).Restores() {
		t.Errorf("no layer restores; got true")
	}
	if !mustPolicy(t, `{"onViolation": "Restore"}`, `{}`).Restores() {
		t.Errorf("the first layer restores; got false")
	}
}

func TestDirectoryIsAllowedWhereSomethingBelowItIs(t *testing.T) {
	tests := []struct {
		name, policy, dir string
		want              Verdict
	}{
		{"an ancestor of a pattern's prefix", `{"write": {"allow": ["a/b/*.ts"]}}`, "a", Verdict{true, Allowed, "a/b/*.ts"}},
		{"the first rule that covers or reaches", `{"write": {"allow": ["x", "a/b", "a"]}}`, "a", Verdict{true, Allowed, "a/b"}},
		{"a sibling of a prefix rule", `{"write": {"allow": ["a/b"]}}`, "a/c", Verdict{Reason: NotAllowed}},
		{"below a prefix rule, hidden", `{"write": {"allow": ["a"]}}`, "a/.x/y", Verdict{true, Allowed, "a"}},
		{"a hidden directory that a pattern doesn't enter", `{"write": {"allow": ["a/**/*.ts"]}}`, "a/.x", Verdict{Reason: NotAllowed}},
		{"a later layer refuses", `{"write": {"allow": ["a"]}}|{"write": {"allow": ["b"]}}`, "a", Verdict{Reason: NotAllowed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustPolicy(t, strings.Split(tt.policy, "|")...).CanMkdir(tt.dir); got != tt.want {
				t.Errorf("got %+v; want %+v", got, tt.want)
			}
		})
	}
	if got := mustPolicy(t, `{"write": {"allow": ["a/b"]}}`).CanWrite("a"); got.Allowed {
		t.Errorf("CanWrite of an ancestor: got %+v; want it refused", got)
	}
}

func TestDecodeRefusesWhatNoRuleNames(t *testing.T) {
	tests := []struct {
		name, json string
		wantReason fault.Reason
		wantPath   string
	}{
		{"an unknown key", `{"exec": {}}`, fault.ReasonUnknownKey, "exec"},
		{"an unknown key of an axis", `{"read": {"permit": []}}`, fault.ReasonUnknownKey, "read.permit"},
		{"a key in another case", `{"Write": {}}`, fault.ReasonUnknownKey, "Write"},
		{"no object", `[]`, fault.ReasonType, ""},
		{"null", `null`, fault.ReasonType, ""},
		{"no JSON", `{`, fault.ReasonType, ""},
		{"an axis that is no object", `{"write": ["src"]}`, fault.ReasonType, "write"},
		{"a list that is none", `{"write": {"allow": "src"}}`, fault.ReasonType, "write.allow"},
		{"an item that is no string", `{"read": {"deny": [1]}}`, fault.ReasonType, "read.deny"},
		{"an item that is null", `{"read": {"deny": [null]}}`, fault.ReasonType, "read.deny"},
		{"onViolation that is no string", `{"onViolation": 1}`, fault.ReasonType, "onViolation"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode([]byte(tt.json))
			e := fault.As(err)
			if e == nil || e.Kind != fault.InvalidPipeline || e.Reason != tt.wantReason || e.Path != tt.wantPath || e.Hint == "" {
				t.Errorf("got %v; want InvalidPipeline (%s) at %q with a hint", err, tt.wantReason, tt.wantPath)
			}
		})
	}
}

func TestDecodeTakesNullAsAbsent(t *testing.T) {
	spec, err := Decode([]byte(`{"read": null, "write": {"allow": null, "deny": []}, "onViolation": null}`))
	if err != nil || spec.Write.Allow != nil || spec.Write.Deny == nil || spec.OnViolation != "" {
		t.Errorf("got %+v, %v; want no allow list, an empty deny list", spec, err)
	}
}

func TestRefusedRuleSaysWhereItStands(t *testing.T) {
	_, err := Parse([]Spec{{}, {Write: Axis{Deny: []string{"a", "b/{c}"}}}}, maxDepth)
	e := fault.As(err)
	if e == nil || e.Path != "b/{c}" || !strings.Contains(e.Message, "write.deny[1]") {
		t.Errorf("got %v; want the rule and write.deny[1]", err)
	}
	_, err = Parse([]Spec{{Read: Axis{Allow: []string{"a/b/c"}}}}, 2)
	if !fault.Is(err, fault.InvalidPipeline, fault.ClassDepth) {
		t.Errorf("got %v; want InvalidPipeline (depth)", err)
	}
	_, err = Parse([]Spec{{OnViolation: "restore"}}, maxDepth)
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) {
		t.Errorf("got %v; want InvalidPipeline (type)", err)
	}
}

func TestRefusalNamesReasonRuleAndWayOut(t *testing.T) {
	tests := []struct {
		verdict    Verdict
		wantReason fault.Reason
		wantText   string
	}{
		{Verdict{Reason: Unavailable}, fault.ClassPolicyUnavailable, "no policy"},
		{Verdict{Reason: Mandatory, Rule: ".git"}, fault.ClassPolicy, ".git"},
		{Verdict{Reason: Denied, Rule: "**/*.key"}, fault.ClassPolicy, "**/*.key"},
		{Verdict{Reason: NotAllowed}, fault.ClassPolicy, "no rule"},
	}
	for _, tt := range tests {
		e := fault.As(tt.verdict.Refusal("a/b", Writing))
		if e == nil || e.Kind != fault.PathRefused || e.Reason != tt.wantReason || e.Path != "a/b" || e.Hint == "" {
			t.Errorf("%s: got %v; want PathRefused (%s) with a hint", tt.verdict.Reason, e, tt.wantReason)
			continue
		}
		if !strings.Contains(e.Message, tt.wantText) || !strings.Contains(e.Message, string(Writing)) {
			t.Errorf("%s: message %q lacks %q or the action", tt.verdict.Reason, e.Message, tt.wantText)
		}
	}
	if err := (Verdict{Allowed: true, Reason: Default}).Refusal("a", Reading); err != nil {
		t.Errorf("allowed: got %v; want nil", err)
	}
}

func TestSourceIsAskedAnewForEachOperation(t *testing.T) {
	current := mustPolicy(t, open)
	source := Source(func() *Policy { return current })
	if !source().CanWrite("src/a").Allowed {
		t.Fatalf("got the first operation refused")
	}
	current = nil
	if got := source().CanWrite("src/a"); got.Reason != Unavailable {
		t.Errorf("after withdrawal: got %+v; want policy-unavailable", got)
	}
	if p := mustPolicy(t, open); Fixed(p)() != p {
		t.Errorf("a fixed source gave another policy")
	}
}

func FuzzVerdictIsConsistentAndAlwaysHasAReason(f *testing.F) {
	f.Add("src/**", "**/*.key", "src", "src/a.key", false)
	f.Add(".git", "a", "**", ".git/x", true)
	f.Fuzz(func(t *testing.T, allow, deny, second, path string, withAllow bool) {
		if path == "" || path[0] == '/' || path[len(path)-1] == '/' || strings.Contains(path, "//") {
			return
		}
		first := Spec{Read: Axis{Deny: []string{deny}}, Write: Axis{Deny: []string{deny}}}
		if withAllow {
			first.Read.Allow, first.Write.Allow = []string{allow}, []string{allow}
		}
		p, err := Parse([]Spec{first, {Write: Axis{Allow: []string{second}}}}, maxDepth)
		if err != nil {
			if e := fault.As(err); e == nil || e.Kind != fault.InvalidPipeline || e.Reason == "" {
				t.Fatalf("got %v; want InvalidPipeline with a reason", err)
			}
			return
		}
		read, write, mkdir := p.CanRead(path), p.CanWrite(path), p.CanMkdir(path)
		for _, v := range []Verdict{read, write, mkdir} {
			needsRule := v.Reason == Denied || v.Reason == Allowed || v.Reason == Mandatory
			if v.Reason == "" || needsRule != (v.Rule != "") || v.Allowed != (v.Reason == Allowed || v.Reason == Default) {
				t.Fatalf("%q: inconsistent verdict %+v", path, v)
			}
		}
		if write.Allowed && !mkdir.Allowed {
			t.Fatalf("%q: writing allowed by %+v, but as directory %+v", path, write, mkdir)
		}
	})
}
