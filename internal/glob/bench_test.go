package glob

import (
	"strings"
	"testing"
)

// typical is the scope of an engine and the paths of a real tree.
var (
	typicalScope = []string{"**/*.ts", "**/*.tsx", "src/**/*.js", "package.json", "packages/*/src/**"}
	typicalPaths = []string{
		"src/app/components/button/button.component.test.ts", "README.md", "packages/core/src/internal/scheduler/queue.go",
		"a/rather/long/path/that/leads/nowhere/in/particular/index.html", ".github/workflows/ci.yml", "package.json",
	}
)

func TestMatchingAndBelowDoNotAllocate(t *testing.T) {
	scope := mustEntries(t, typicalScope...)
	region := NewRegion(scope, mustEntries(t, "src/**", "packages/**"))
	dir := region.At("src/app")
	inner := dir.Enter([]byte("x"), Cursor{})
	exclusion := NewExclusion(mustEntries(t, DefaultExclude()...)).At("src")
	name := []byte("a-name-that-is-longer-than-thirty-two-bytes.test.ts")
	deep := strings.TrimSuffix(strings.Repeat("*/", 200), "/")
	wide := mustPattern(t, deep)
	calls := map[string]func(){
		"Entry.Match":                 func() { scope[0].Match(typicalPaths[0]) },
		"Entry.Match of 200 segments": func() { wide.Match(deep) },
		"Entry.Below":                 func() { scope[0].Below(typicalPaths[0]) },
		"Entries.Match":               func() { scope.Match(typicalPaths[0]) },
		"Entries.Below":               func() { scope.Below(typicalPaths[3]) },
		"Region.Match":                func() { region.Match(typicalPaths[0]) },
		"Cursor.Match":                func() { dir.Match(name) },
		"Cursor.MatchEntry":           func() { dir.MatchEntry(0, name) },
		"Cursor.Below":                func() { dir.Below() },
		"Cursor.Enter with reuse":     func() { inner = dir.Enter(name, inner) },
		"ExclusionCursor.CoversFile":  func() { exclusion.CoversFile(name) },
		"ExclusionCursor.CoversWhole": func() { exclusion.CoversWhole() },
	}
	for what, call := range calls {
		if got := testing.AllocsPerRun(100, call); got != 0 {
			t.Errorf("%s: got %v allocations; want 0", what, got)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, raw := range []string{"src/app/main.ts", "**/*.ts", "src/**/test/**/*.ts", "*a*b*c*d*/**"} {
		e := mustEntry(b, raw)
		b.Run(strings.ReplaceAll(raw, "/", "|"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.Match(typicalPaths[i%len(typicalPaths)])
			}
		})
	}
}

func BenchmarkEntriesMatch(b *testing.B) {
	scope := mustEntries(b, typicalScope...)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		scope.Match(typicalPaths[i%len(typicalPaths)])
	}
}

func BenchmarkCursorMatch(b *testing.B) {
	c := NewRegion(mustEntries(b, typicalScope...), nil).At("packages/core/src")
	name := []byte("scheduler_test.go")
	b.ReportAllocs()
	for b.Loop() {
		c.Match(name)
	}
}

func BenchmarkCursorEnter(b *testing.B) {
	c := NewRegion(mustEntries(b, typicalScope...), nil).At("packages/core")
	name, inner := []byte("src"), Cursor{}
	b.ReportAllocs()
	for b.Loop() {
		inner = c.Enter(name, inner)
	}
}
