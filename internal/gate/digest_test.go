package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

func TestCanonicalJSON(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   any
		want string
	}{
		{"keys in byte order, no space", map[string]any{"b": 1, "a": []any{true, nil, "x"}, "B": map[string]any{}, "ä": 0}, `{"B":{},"a":[true,null,"x"],"b":1,"ä":0}`},
		{"only what must be is escaped", "<&>é\u2028\x7f\"\\/\b\f\n\r\t\x01", "\"<&>é\u2028\x7f\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\""},
		{"large numbers are exact", json.RawMessage(`{"n":12345678901234567890}`), `{"n":12345678901234567890}`},
		{"fields in byte order, whatever the struct says", struct {
			Z int `json:"z"`
			A int `json:"a"`
		}{1, 2}, `{"a":2,"z":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Canonical(tc.in)
			if err != nil || string(got) != tc.want {
				t.Errorf("Canonical = %s, %v, want %s", got, err, tc.want)
			}
		})
	}
	if _, err := Canonical(func() {}); err == nil {
		t.Error("a function has a JSON form")
	}
}

func FuzzCanonicalJSON(f *testing.F) {
	f.Add(`{"b":[1,2.50,{"x":"\u2028"}],"a":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		once, err := Canonical(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Canonical(json.RawMessage(once))
		if err != nil || string(once) != string(twice) {
			t.Errorf("%q has the forms %s and %s, %v", text, once, twice, err)
		}
	})
}

func payload() Payload {
	return Payload{
		Step: "fix", Index: 2, Args: map[string]any{"fix": true}, Targets: []string{"b", "a"},
		MayCreate: []Create{{Scope: "src/**"}},
		Engines:   []Engine{{EngineID: "e", Groups: []string{"ts"}, Mode: engine.InPlace, Scope: []string{"src/**"}, Needs: []engine.Need{}}},
		Plan:      "sha256:p", Workspace: "sha256:w",
	}
}

func TestTheDigestOfAPayloadIsOfItsCanonicalJSON(t *testing.T) {
	const doc = `{"args":{"fix":true},"engines":[{"capability":0,"engineId":"e","groups":["ts"],"mode":"InPlace","needs":[],"scope":["src/**"]}],` +
		`"index":2,"mayCreate":[{"scope":"src/**"}],"plan":"sha256:p","step":"fix","targets":["a","b"],"workspace":"sha256:w"}`
	sum := sha256.Sum256([]byte(doc))
	want := "sha256:" + hex.EncodeToString(sum[:])
	if got, err := payload().Digest(); got != want || err != nil {
		t.Errorf("digest = %s, %v, want %s", got, err, want)
	}
}

func TestEveryFieldOfAPayloadCounts(t *testing.T) {
	digest := func(change func(*Payload)) string {
		p := payload()
		change(&p)
		d, err := p.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	seen := map[string]string{digest(func(*Payload) {}): "nothing"}
	for name, change := range map[string]func(*Payload){
		"step": func(p *Payload) { p.Step = "x" }, "index": func(p *Payload) { p.Index = 3 }, "args": func(p *Payload) { p.Args = nil },
		"targets": func(p *Payload) { p.Targets = p.Targets[:1] }, "mayCreate": func(p *Payload) { p.MayCreate[0].Selector = "a" },
		"no mayCreate": func(p *Payload) { p.MayCreate = nil }, "an empty mayCreate": func(p *Payload) { p.MayCreate = []Create{} },
		"engine": func(p *Payload) { p.Engines[0].EngineID = "f" }, "capability": func(p *Payload) { p.Engines[0].Capability = 1 },
		"groups": func(p *Payload) { p.Engines[0].Groups = nil }, "mode": func(p *Payload) { p.Engines[0].Mode = engine.Delta },
		"scope": func(p *Payload) { p.Engines[0].Scope = nil }, "needs": func(p *Payload) { p.Engines[0].Needs = []engine.Need{engine.NeedMkdir} },
		"plan": func(p *Payload) { p.Plan = "" }, "workspace": func(p *Payload) { p.Workspace = "" },
	} {
		d := digest(change)
		if other, twice := seen[d]; twice {
			t.Errorf("changing %s gives the digest of changing %s", name, other)
		}
		seen[d] = name
	}
	if digest(func(p *Payload) { p.Targets = []string{"a", "b", "b"} }) != digest(func(*Payload) {}) {
		t.Error("the order of targets counts")
	}
}

func TestEnginesDescribeInvocations(t *testing.T) {
	got := Engines([]engine.Invocation{{EngineID: "e", Capability: 3, Mode: engine.Filter}, {EngineID: "f", Groups: []string{""}, Scope: list(t, glob.Scope, []string{"b", "a"}), Needs: []engine.Need{engine.NeedDelete}}})
	if got[0].Scope != nil || got[0].Groups == nil || got[0].Needs == nil || got[0].Capability != 3 {
		t.Errorf("an invocation without scope = %+v", got[0])
	}
	if strings.Join(got[1].Scope, " ") != "a b" || got[1].Groups[0] != "" || got[1].Needs[0] != engine.NeedDelete {
		t.Errorf("an invocation with scope = %+v", got[1])
	}
	if Engines(nil) == nil {
		t.Error("no engines are null in JSON")
	}
}

// rows yields files, and then an error if there is one.
func rows(err error, files ...WorkspaceFile) iter.Seq2[WorkspaceFile, error] {
	return func(yield func(WorkspaceFile, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
		if err != nil {
			yield(WorkspaceFile{}, err)
		}
	}
}

func TestTheDigestOfAWorkspaceIsOfPathsAndContents(t *testing.T) {
	a, b := WorkspaceFile{Path: "a\"", SHA256: sha256.Sum256([]byte("x"))}, WorkspaceFile{Path: "b", SHA256: sha256.Sum256(nil)}
	doc := `[["a\"","` + hex.EncodeToString(a.SHA256[:]) + `"],["b","` + hex.EncodeToString(b.SHA256[:]) + `"]]`
	want, err := Digest(json.RawMessage(doc))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := WorkspaceDigest(rows(nil, a, b)); got != want || err != nil {
		t.Errorf("digest = %s, %v, want that of the canonical JSON, %s", got, err, want)
	}
	empty, _ := Digest([]any{})
	if got, _ := WorkspaceDigest(rows(nil)); got != empty {
		t.Errorf("digest of nothing = %s, want %s", got, empty)
	}
	if _, err := WorkspaceDigest(rows(nil, b, a)); err == nil {
		t.Error("files in the wrong order have a digest")
	}
	broken := errors.New("broken")
	if _, err := WorkspaceDigest(rows(broken, a)); !errors.Is(err, broken) {
		t.Errorf("a file that can't be read: %v, want %v", err, broken)
	}
}

func TestADecisionIsAboutTheDigestThatItNames(t *testing.T) {
	yes, no := Decision{Digest: "now", Approved: true, By: "ann"}, Decision{Digest: "now", By: "bob", Note: "not on Friday"}
	old := Decision{Digest: "before", Approved: true}
	for _, tc := range []struct {
		name      string
		decisions []Decision
		want      Outcome
		wantBy    Decision
	}{
		{"nobody has decided", nil, Pending, Decision{}},
		{"an approval of another digest is void", []Decision{old}, Void, old},
		{"a decline of another digest is void", []Decision{{Digest: "before"}}, Void, Decision{Digest: "before"}},
		{"an approval", []Decision{old, yes}, Approved, yes},
		{"the first approval counts", []Decision{yes, {Digest: "now", Approved: true}}, Approved, yes},
		{"a void one later changes nothing", []Decision{yes, old}, Approved, yes},
		{"a decline outweighs", []Decision{yes, no}, Declined, no},
		{"whatever comes after", []Decision{no, yes}, Declined, no},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, by := Judge("now", tc.decisions); got != tc.want || by != tc.wantBy {
				t.Errorf("Judge = %v, %+v, want %v, %+v", got, by, tc.want, tc.wantBy)
			}
		})
	}
	err := Declination(no)
	if !fault.Is(err, fault.GateDeclined, "") || !strings.Contains(err.Error(), "bob") || !strings.Contains(err.Error(), "not on Friday") {
		t.Errorf("Declination = %v, want GateDeclined with who and why", err)
	}
}
