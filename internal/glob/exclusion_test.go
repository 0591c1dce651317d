package glob

import "testing"

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
