package glob

import (
	"slices"
	"testing"
)

func TestDenyListReadsStarsWithoutTheDotRule(t *testing.T) {
	tests := []struct {
		name, entry, path string
		want              bool
	}{
		{"a hidden file by *", "**/*.key", "src/.b.key", true},
		{"a hidden folder by **", "**/*.key", ".x/a.key", true},
		{"a hidden folder by *", "*/a", ".x/a", true},
		{"a literal dot stays one", ".a*", "a", false},
		{"a literal covers itself", "dist", "dist", true},
		{"a literal covers what lies below", "dist", "dist/.x/y", true},
		{"a literal stops at a segment border", "dist", "distx/y", false},
		{"a pattern covers no more than it matches", "dist/*", "dist/a/b", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := mustEntry(t, tt.entry).AsDeny()
			if got := e.Match(tt.path); got != tt.want {
				t.Errorf("%q as deny on %q: got %v; want %v", tt.entry, tt.path, got, tt.want)
			}
			if e.String() != tt.entry {
				t.Errorf("got text %q; want %q", e, tt.entry)
			}
		})
	}
}

func TestAllowListKeepsTheDotRuleOfPatternsOnly(t *testing.T) {
	tests := []struct {
		name, entry, path string
		want              bool
	}{
		{"a pattern opens nothing hidden", "src/**", "src/.x", false},
		{"a prefix rule covers hidden things", "src", "src/.x/y", true},
		{"a prefix rule covers itself", "src", "src", true},
		{"a prefix rule covers nothing above", "src/a", "src", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustEntry(t, tt.entry).AsAllow().Match(tt.path); got != tt.want {
				t.Errorf("%q as allow on %q: got %v; want %v", tt.entry, tt.path, got, tt.want)
			}
		})
	}
}

func TestReadingAnEntryInAListLeavesItAsItWas(t *testing.T) {
	e := mustEntry(t, "a")
	_, _ = e.AsDeny(), e.AsAllow()
	if e.Match("a/b") || e.AsDeny().AsDeny().String() != "a" || !e.AsDeny().AsAllow().Match("a/b") {
		t.Errorf("the literal changed by being read in a list")
	}
}

func TestExclusionCoversFilesAndWholeDirectories(t *testing.T) {
	tests := []struct {
		name, entry, path  string
		wantFile, wantsDir bool
	}{
		{"a literal covers its path", "dist", "dist", true, true},
		{"and what lies below", "dist", "dist/x", true, true},
		{"a trailing ** reached", "**/node_modules/**", "pkg/node_modules", true, true},
		{"and passed", "**/node_modules/**", "pkg/node_modules/.bin", true, true},
		{"a trailing ** not reached", "**/node_modules/**", "pkg", false, false},
		{"a pattern that matches the name covers no directory", "dist/*", "dist/x", true, false},
		{"a ** in the middle covers no directory", "dist/**/x", "dist", false, false},
		{"** alone", "**", ".x", true, true},
		{"the root by ** alone", "**", ".", true, true},
		{"the root by nothing else", "*/**", ".", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := NewExclusion(mustEntries(t, tt.entry))
			if got := x.CoversDir(tt.path); got != tt.wantsDir {
				t.Errorf("directory %q: got %v; want %v", tt.path, got, tt.wantsDir)
			}
			if got := x.At(tt.path).CoversWhole(); got != tt.wantsDir {
				t.Errorf("cursor at %q: got %v; want %v", tt.path, got, tt.wantsDir)
			}
			if tt.path == "." {
				return
			}
			if got := x.CoversFile(tt.path); got != tt.wantFile {
				t.Errorf("file %q: got %v; want %v", tt.path, got, tt.wantFile)
			}
		})
	}
}

func TestTwoEntriesThatCoverADirectoryTogetherDoNotCoverItWholly(t *testing.T) {
	x := NewExclusion(mustEntries(t, "d/*", "d/*/**/*"))
	if x.CoversDir("d") {
		t.Errorf("got d covered; want one entry to cover it alone")
	}
}

func TestExclusionIsCarriedAlongAWalk(t *testing.T) {
	x := NewExclusion(mustEntries(t, DefaultExclude()...))
	pkg := x.At(".").Enter([]byte("pkg"), ExclusionCursor{})
	modules := pkg.Enter([]byte("node_modules"), ExclusionCursor{})
	if pkg.CoversWhole() || !modules.CoversWhole() {
		t.Errorf("got pkg %v, node_modules %v; want false, true", pkg.CoversWhole(), modules.CoversWhole())
	}
	if pkg.CoversFile([]byte("a.ts")) || !modules.CoversFile([]byte("a.ts")) {
		t.Errorf("files: got %v, %v; want false, true", pkg.CoversFile([]byte("a.ts")), modules.CoversFile([]byte("a.ts")))
	}
}

func TestZeroExclusionExcludesNothing(t *testing.T) {
	var x Exclusion
	inner := x.At(".").Enter([]byte("a"), ExclusionCursor{})
	if x.CoversFile("a") || x.CoversDir(".") || inner.CoversFile([]byte("a")) || inner.CoversWhole() {
		t.Errorf("the zero Exclusion excludes something")
	}
	if dir, ok := x.Outermost("a/b"); ok {
		t.Errorf("outermost: got %q; want none", dir)
	}
	if NewExclusion(nil).CoversFile("a") {
		t.Errorf("an empty list excludes something")
	}
}

func TestOutermostExcludedDirectoryIsTheFirstFromTheRoot(t *testing.T) {
	x := NewExclusion(mustEntries(t, "**/node_modules/**", "a/b/c"))
	tests := []struct{ dir, want string }{
		{"p/node_modules/q/node_modules", "p/node_modules"},
		{"node_modules", "node_modules"},
		{"a/b/c/d", "a/b/c"},
		{"a/b", ""},
		{".", ""},
	}
	for _, tt := range tests {
		got, ok := x.Outermost(tt.dir)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, %v; want %q", tt.dir, got, ok, tt.want)
		}
	}
	if got, ok := NewExclusion(Everything()).Outermost("a"); got != "." || !ok {
		t.Errorf("everything excluded: got %q, %v; want the root", got, ok)
	}
}

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
