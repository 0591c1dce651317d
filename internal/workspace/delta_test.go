package workspace

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

func parseDelta(t *testing.T, raw string) Delta {
	t.Helper()
	d, err := ParseDelta([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeltaIsReadAsItWasSent(t *testing.T) {
	d := parseDelta(t, ` { "changed" : { "a\/b" : "x\r\n\u00e9\ud83d\ude00\"" , "a\/b" : "\ud800" },
		"added": {"n": "\udc00\ud800x"}, "deleted": [ "p" , "p\\q" ], "renamed": {"r": "s"},
		"diagnostics": [{"message": "} \" ]", "line": 3}] }`)
	want := Delta{
		Changed:     []TextAt{{"a/b", "x\r\né😀\""}, {"a/b", "\xed\xa0\x80"}},
		Added:       []TextAt{{"n", "\xed\xb0\x80\xed\xa0\x80x"}},
		Deleted:     []string{"p", `p\q`},
		Renamed:     []Rename{{"r", "s"}},
		Diagnostics: []byte(`[{"message": "} \" ]", "line": 3}]`),
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got %q, want %q", d, want)
	}
	for _, raw := range []string{`{}`, `{"changed": null, "deleted": [], "added": {}, "renamed":{}}`, ` {"diagnostics":[]} `} {
		if d := parseDelta(t, raw); !d.Empty() {
			t.Errorf("%s claims %+v, want nothing", raw, d)
		}
	}
}

func TestADeltaOfAnotherShapeIsTheEnginesError(t *testing.T) {
	for _, raw := range []string{
		``, `x`, `null`, `[]`, `"x"`, `{"changed": {"a": "b"}`, `{"changed": {"a": "b"}} x`,
		`{"changed": []}`, `{"changed": "x"}`, `{"changed": {"a": 1}}`, `{"changed": {"a": null}}`,
		`{"changed": {"a": ["b"]}}`, `{"added": 3}`, `{"deleted": {}}`, `{"deleted": [1]}`, `{"deleted": [["a"]]}`,
		`{"renamed": ["a"]}`, `{"renamed": {"a": {}}}`, `{"change": {}}`, `{"deleted": [], "deleted": []}`,
	} {
		if d, err := ParseDelta([]byte(raw)); !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) {
			t.Errorf("%s: got %+v, %v, want engine-error", raw, d, err)
		}
	}
}

func FuzzParseDeltaAgreesWithTheStandardLibrary(f *testing.F) {
	f.Add(`{"changed":{"a":"\u0041\n"},"added":{},"deleted":["x"],"renamed":{"a":"b"},"diagnostics":[{}]}`)
	f.Add(`{"deleted":["\ud83d\ude00"], "diagnostics": {"a": [1.5e3, true, null, "]"]}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		d, err := ParseDelta([]byte(raw))
		if err != nil {
			return
		}
		var want struct {
			Changed, Added, Renamed map[string]string
			Deleted                 []string
			Diagnostics             any
		}
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatalf("%s: taken, but encoding/json says %v", raw, err)
		}
		for _, pair := range []struct {
			got  []TextAt
			want map[string]string
		}{{d.Changed, want.Changed}, {d.Added, want.Added}} {
			for _, e := range pair.got {
				if isUTF8(e.Path, e.Text) && len(pair.got) == len(pair.want) && pair.want[e.Path] != e.Text {
					t.Fatalf("%s: %q is %q, want %q", raw, e.Path, e.Text, pair.want[e.Path])
				}
			}
		}
		if len(d.Deleted) != len(want.Deleted) {
			t.Fatalf("%s: %d deleted, want %d", raw, len(d.Deleted), len(want.Deleted))
		}
		for i, p := range d.Deleted {
			if isUTF8(p) && p != want.Deleted[i] {
				t.Fatalf("%s: deleted %q, want %q", raw, p, want.Deleted[i])
			}
		}
	})
}

// isUTF8 tells texts that encoding/json hands over as they are.
func isUTF8(list ...string) bool {
	all := strings.Join(list, " ")
	return utf8.ValidString(all) && !strings.ContainsRune(all, utf8.RuneError)
}

func entries(t *testing.T, list ...string) glob.Entries {
	t.Helper()
	parsed, err := glob.ParseEntries(list, glob.Scope, 32)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Spec §8.11, in the order of its numbers: the first rule that is broken decides.
func TestTheFirstBrokenRuleOfADeltaDecides(t *testing.T) {
	all := Remit{Paths: []string{"a.ts", "b.ts", "src/c.ts"}}
	tests := []struct {
		name  string
		remit Remit
		raw   string
		kind  fault.Kind
		want  fault.Reason
		path  string
	}{
		{"a read-only invocation claims", Remit{Paths: all.Paths, ReadOnly: true}, `{"changed":{"../x":"1\n"}}`, fault.StepFailed, fault.ReasonReadOnly, ""},
		{"an invocation without paths claims", Remit{}, `{"changed":{"../x":"1\n"}}`, fault.BadArgument, fault.ReasonNoMatch, ""},
		{"a path of any field is refused first", all, `{"changed":{"q":"x","q":"y"},"renamed":{"a.ts":"/b"}}`, fault.StepFailed, fault.ClassNotRelative, "/b"},
		{"half a surrogate pair in a path", all, `{"deleted":["\ud800"]}`, fault.StepFailed, fault.ClassBadSegment, "\xed\xa0\x80"},
		{"a path twice in one field", all, `{"changed":{"a.ts":"x","b.ts":"y"," a.ts":"z"}}`, fault.StepFailed, fault.ReasonDuplicate, "a.ts"},
		{"twice deleted", all, `{"deleted":["b.ts","a.ts","b.ts"]}`, fault.StepFailed, fault.ReasonDuplicate, "b.ts"},
		{"twice a source", all, `{"renamed":{"a.ts":"x","a.ts":"y"}}`, fault.StepFailed, fault.ReasonDuplicate, "a.ts"},
		{"twice a destination", all, `{"renamed":{"a.ts":"x","b.ts":"x"}}`, fault.StepFailed, fault.ReasonDuplicate, "x"},
		{"changed outside the paths", Remit{Paths: []string{"a.ts"}}, `{"changed":{"b.ts":"x"}}`, fault.StepFailed, fault.ReasonOutsidePaths, "b.ts"},
		{"deleted outside the paths", Remit{Paths: []string{"a.ts"}}, `{"deleted":["b.ts"]}`, fault.StepFailed, fault.ReasonOutsidePaths, "b.ts"},
		{"renamed from outside the paths", Remit{Paths: []string{"a.ts"}}, `{"renamed":{"b.ts":"x"}}`, fault.StepFailed, fault.ReasonOutsidePaths, "b.ts"},
		{"added outside the scope", Remit{Paths: all.Paths, Scope: entries(t, "src/**")}, `{"added":{"n.ts":"x"}}`, fault.StepFailed, fault.ReasonOutsideScope, "n.ts"},
		{"renamed outside the selector", Remit{Paths: all.Paths, Selector: entries(t, "src/**")}, `{"renamed":{"a.ts":"n.ts"}}`, fault.StepFailed, fault.ReasonOutsideScope, "n.ts"},
		{"without scope nothing hidden", all, `{"added":{".n.ts":"x"}}`, fault.StepFailed, fault.ReasonOutsideScope, ".n.ts"},
		{"confinement before collisions", Remit{Paths: []string{"a.ts"}}, `{"added":{"b.ts":"x"},"deleted":["b.ts"]}`, fault.StepFailed, fault.ReasonOutsidePaths, "b.ts"},
		{"added and deleted", all, `{"added":{"b.ts":"x"},"deleted":["b.ts"]}`, fault.StepFailed, fault.ReasonCollision, "b.ts"},
		{"changed and renamed away", all, `{"changed":{"a.ts":"x"},"renamed":{"a.ts":"n"}}`, fault.StepFailed, fault.ReasonCollision, "a.ts"},
		{"changed and deleted", all, `{"changed":{"a.ts":"x"},"deleted":["a.ts"]}`, fault.StepFailed, fault.ReasonCollision, "a.ts"},
		{"a swap", all, `{"renamed":{"a.ts":"b.ts","b.ts":"a.ts"}}`, fault.StepFailed, fault.ReasonCollision, "b.ts"},
		{"renamed onto a deleted one", all, `{"renamed":{"a.ts":"b.ts"},"deleted":["b.ts"]}`, fault.StepFailed, fault.ReasonCollision, "b.ts"},
		{"renamed and deleted", all, `{"renamed":{"a.ts":"n.ts"},"deleted":["a.ts"]}`, fault.StepFailed, fault.ReasonCollision, "a.ts"},
		{"all collisions before what exists", all, `{"renamed":{"a.ts":"b.ts"},"changed":{"src/c.ts":"x"},"deleted":["src/c.ts"]}`, fault.StepFailed, fault.ReasonCollision, "src/c.ts"},
		{"renamed onto a file", all, `{"renamed":{"a.ts":"b.ts"}}`, fault.StepFailed, fault.ReasonExists, "b.ts"},
		{"added over a file", all, `{"added":{"logo.png":"x","b.ts":"x"}}`, fault.StepFailed, fault.ReasonExists, "b.ts"},
		{"added under a name that is no text", all, `{"added":{"logo.png":"\u0000"}}`, fault.StepFailed, fault.ReasonNonText, "logo.png"},
		{"added where the disk has something", all, `{"added":{"foreign.ts":"x"}}`, fault.StepFailed, fault.ReasonExistsOnDisk, "foreign.ts"},
		{"half a surrogate pair", all, `{"changed":{"a.ts":"\ud800"}}`, fault.StepFailed, fault.ReasonNonText, "a.ts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t, map[string]string{"a.ts": "1\n", "b.ts": "2\n", "src/c.ts": "3\n"}, "foreign.ts")
			was := x.dump()
			_, _, err := x.w.ApplyDelta(x.env, tt.remit, parseDelta(t, tt.raw))
			e := fault.As(err)
			if e == nil || e.Kind != tt.kind || e.Reason != tt.want || e.Path != tt.path || e.Hint == "" {
				t.Fatalf("got %v, want %s %s of %q with a hint", err, tt.kind, tt.want, tt.path)
			}
			if now := x.dump(); now != was {
				t.Errorf("a refused delta changed the workspace:\n%s", now)
			}
		})
	}
}

func TestADeltaIsAppliedAsAWhole(t *testing.T) {
	x := newFixture(t, map[string]string{"a.ts": "1\n", "b.ts": "\xEF\xBB\xBF2\r\n", "c.ts": "3\n", "d.ts": "4\n"})
	d := parseDelta(t, `{"renamed":{"a.ts":"n.ts"},"added":{"a.ts":"new\n","m.ts":"m\n"},"deleted":["c.ts"],
		"changed":{"n.ts":"renamed\n","b.ts":"two\n","m.ts":"M\n","d.ts":"4\n"}}`)
	next, dropped, err := x.w.ApplyDelta(x.env, Remit{Paths: x.w.Paths()}, d)
	if err != nil || dropped != 1 {
		t.Fatalf("dropped %d, %v, want 1", dropped, err)
	}
	x.w = next
	for path, want := range map[string]string{"a.ts": "new\n", "b.ts": "\xEF\xBB\xBFtwo\n", "d.ts": "4\n", "m.ts": "M\n", "n.ts": "renamed\n"} {
		if got := x.text(path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if got, want := x.w.Paths(), []string{"a.ts", "b.ts", "d.ts", "m.ts", "n.ts"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got := x.w.Renames()["n.ts"]; got != "a.ts" {
		t.Errorf("n.ts comes from %q, want a.ts", got)
	}
}

func TestAGeneratorWithoutPathsMayAdd(t *testing.T) {
	x := newFixture(t, nil)
	next, _, err := x.w.ApplyDelta(x.env, Remit{Generates: true}, parseDelta(t, `{"added":{"n.ts":"x"}}`))
	if err != nil || next.Len() != 1 {
		t.Errorf("got %v, want one file", err)
	}
}

func TestADeltaObeysTheBounds(t *testing.T) {
	x := newFixture(t, map[string]string{"a.ts": "1\n"})
	x.env.Bounds.MaxFiles = 1
	_, _, err := x.w.ApplyDelta(x.env, Remit{Paths: x.w.Paths()}, parseDelta(t, `{"added":{"n.ts":"x"}}`))
	if !fault.Is(err, fault.WorkspaceBounds, fault.ReasonMaxFiles) {
		t.Errorf("got %v, want maxFiles", err)
	}
	_, _, err = x.w.ApplyDelta(x.env, Remit{Paths: x.w.Paths()}, parseDelta(t, `{"deleted":["`+strings.Repeat("d/", 32)+`a"]}`))
	if !fault.Is(err, fault.StepFailed, fault.ClassDepth) {
		t.Errorf("got %v, want depth", err)
	}
}
