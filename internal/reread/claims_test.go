package reread

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Spec §14: a malformed advisory delta never fails anything; it is named.
func TestMalformedClaimsAreNamed(t *testing.T) {
	tests := []struct {
		name            string
		raw             string
		wantPaths       []string
		wantUnparseable []string
	}{
		{"nothing", ``, nil, []string{"delta"}},
		{"no JSON", `{"changed"`, nil, []string{"delta"}},
		{"no object", `["a"]`, nil, []string{"delta"}},
		{"null is a delta without claims", `null`, nil, nil},
		{"an empty delta", `{}`, nil, nil},
		{"a field that is null is absent", `{"changed": null, "deleted": null}`, nil, nil},
		{"other fields are no business of ours", `{"diagnostics": 5, "Changed": {"a": "b"}}`, nil, nil},
		{"all fields", `{"changed": {"a": "x"}, "added": {"b": ""}, "deleted": ["c"], "renamed": {"d": "e"}}`, []string{"a", "b", "c", "d", "e"}, nil},
		{"each malformed field is named, the others count",
			`{"changed": ["a"], "added": {"b": 1}, "deleted": {"c": ""}, "renamed": {"d": "e"}}`,
			[]string{"d", "e"}, []string{"added", "changed", "deleted"}},
		{"null isn't a text, a path or a destination",
			`{"changed": {"a": null}, "deleted": [null], "renamed": {"d": null}}`, nil, []string{"changed", "deleted", "renamed"}},
		{"paths that don't normalise", `{"deleted": ["../a", "/b", "~c", "", "d\u0000"]}`, nil, []string{"", "../a", "/b", "d\x00", "~c"}},
		{"paths are normalised and count once", `{"deleted": ["./a//b", "a\\b"], "changed": {"a/b": ""}}`, []string{"a/b"}, nil},
		{"a trailing value is no JSON", `{} {}`, nil, []string{"delta"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := decodeClaims([]byte(tt.raw), 32)
			if got := slices.Sorted(maps.Keys(c.paths)); !slices.Equal(got, tt.wantPaths) {
				t.Errorf("paths %q, want %q", got, tt.wantPaths)
			}
			if got := slices.Sorted(maps.Keys(c.unparseable)); !slices.Equal(got, tt.wantUnparseable) {
				t.Errorf("unparseable %q, want %q", got, tt.wantUnparseable)
			}
		})
	}
}

func TestTheFourSetsOfAnAdvisoryComparison(t *testing.T) {
	c := decodeClaims([]byte(`{"deleted": ["same", "lied", "outside", "outside-and-changed", "../x"], "added": 1}`), 32)
	got := c.compare([]string{"outside-and-changed", "same", "silent"}, func(path string) bool { return path[0] != 'o' })
	want := Advisory{
		ClaimedUnchanged:    []string{"lied"},
		ChangedUnclaimed:    []string{"silent"},
		ClaimedUnauthorized: []string{"outside", "outside-and-changed"},
		Unparseable:         []string{"../x", "added"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Empty() || !(Advisory{}).Empty() {
		t.Error("Empty is wrong")
	}
}

func FuzzClaims(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"changed":{"a":"b"}}`, `{"deleted":["a","../b"]}`, `{"renamed":{"a":"b"},"added":[]}`,
		`{"changed":{"\ud800":"x"}}`, `{"deleted":["` + "\xff" + `"]}`, `{"changed":{"a":{"b":[]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := decodeClaims(raw, 8)
		if !json.Valid(raw) && !c.unparseable["delta"] {
			t.Errorf("%q isn't JSON and isn't named as malformed", raw)
		}
		for path := range c.paths {
			again := claims{paths: map[string]bool{}, unparseable: map[string]bool{}}
			again.add("./"+path, 8)
			if !again.paths[path] {
				t.Errorf("%q gave %q, which isn't a normalised path", raw, path)
			}
		}
		a := c.compare(nil, func(string) bool { return true })
		if len(a.ClaimedUnchanged) != len(c.paths) || len(a.Unparseable) != len(c.unparseable) {
			t.Errorf("%q: got %+v for %d paths and %d malformed", raw, a, len(c.paths), len(c.unparseable))
		}
	})
}
