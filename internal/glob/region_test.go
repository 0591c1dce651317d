package glob

import (
	"slices"
	"testing"
)

func TestStartsLieInNoWalk(t *testing.T) {
	tests := []struct {
		name            string
		scope, selector []string
		want            []Start
	}{
		{"nothing to start from", []string{}, nil, []Start{}},
		{"an empty selector", []string{"**"}, []string{}, []Start{}},
		{"a hidden prefix is static", []string{".github/*"}, nil, []Start{{".github", Walk}}},
		{"the root swallows all", []string{"a/b", "c/**", "*.ts"}, nil, []Start{{".", Walk}}},
		{"a name that only starts alike is outside", []string{"src/**", "src-x/*", "src/a/*", "srcs"}, nil,
			[]Start{{"src", Walk}, {"src-x", Walk}, {"srcs", Lookup}}},
		{"a walk passes its own prefix", []string{"src/**", "src"}, nil, []Start{{"src", Walk}}},
		{"lookups below each other are two", []string{"a", "a/b"}, nil, []Start{{"a", Lookup}, {"a/b", Lookup}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := NewRegion(mustEntries(t, tt.scope...), mustEntries(t, tt.selector...)).Starts()
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v; want %v", got, tt.want)
			}
		})
	}
}

func TestRegionNeedsScopeAndSelector(t *testing.T) {
	scope := mustEntries(t, "src/**", "lib/*")
	region := NewRegion(scope, mustEntries(t, "**/*.ts"))
	for path, want := range map[string]bool{"src/a.ts": true, "lib/a.ts": true, "src/a.js": false, "lib/x/a.ts": false, "a.ts": false} {
		if got := region.Match(path); got != want {
			t.Errorf("%q: got %v; want %v", path, got, want)
		}
	}
	if !NewRegion(scope, nil).Match("src/a.js") {
		t.Errorf("without selector: got src/a.js outside; want it inside")
	}
	if r := NewRegion(scope, Entries{}); r.Match("src/a.js") || r.Below(".") || r.At("src").Match([]byte("a")) {
		t.Errorf("an empty selector selects something")
	}
	if got := region.Selector().Strings(); !slices.Equal(got, []string{"**/*.ts"}) || !slices.Equal(region.Scope().Strings(), []string{"lib/*", "src/**"}) {
		t.Errorf("got scope %q, selector %q", region.Scope().Strings(), got)
	}
	if NewRegion(scope, nil).Selector() != nil {
		t.Errorf("got a selector; want none")
	}
}

func TestCursorSaysWhichScopeEntryMatches(t *testing.T) {
	c := NewRegion(mustEntries(t, "src/*.js", "src/*.ts"), nil).At("src")
	if c.MatchEntry(0, []byte("a.ts")) || !c.MatchEntry(1, []byte("a.ts")) || c.MatchEntry(1, []byte(".ts")) {
		t.Errorf("got a wrong entry for src/a.ts or src/.ts")
	}
}

func TestEverythingMatchesWhatIsNotHidden(t *testing.T) {
	if e := Everything(); !e.Match("a/b") || e.Match(".a") || e.Strings()[0] != "**" {
		t.Errorf("got %q with a wrong answer", e.Strings())
	}
}

func TestEntriesOverlapIfOneDoes(t *testing.T) {
	l := mustEntries(t, "lib/*", "src/**")
	if !l.Overlaps(mustEntry(t, "src/a")) || l.Overlaps(mustEntry(t, "x")) {
		t.Errorf("got a wrong overlap")
	}
}
