package enumerate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// For random trees, regions, exclusions and depths an enumeration finds exactly the
// regular files that the globs match one by one, in order, and lists no directory twice.
func TestEnumerationAgreesWithMatchingEveryPath(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 56))
		m := memory(t, randomTree(rng))
		q := Query{
			Region:   glob.NewRegion(entries(t, randomGlobs(rng, 1)), nil),
			Exclude:  exclusion(t, randomGlobs(rng, 0)...),
			MaxDepth: 1 + rng.IntN(5),
		}
		if rng.IntN(2) == 0 {
			q.Region = glob.NewRegion(entries(t, randomGlobs(rng, 1)), entries(t, randomGlobs(rng, 1)))
		}
		got, err := run(t, m, q)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, wantDeep := expected(m.Snapshot(), q)
		if !slices.Equal(got.Files, want) || !slices.IsSorted(got.Files) {
			t.Fatalf("seed %d: scope %q selector %q exclude: found %q, want %q", seed,
				q.Region.Scope().Strings(), q.Region.Selector().Strings(), got.Files, want)
		}
		if (len(got.TooDeep) > 0) != wantDeep {
			t.Fatalf("seed %d: too deep %q, want some: %t", seed, got.TooDeep, wantDeep)
		}
		if d := slices.Compact(slices.Sorted(slices.Values(got.Dirs))); len(d) != len(got.Dirs) {
			t.Fatalf("seed %d: a directory was listed twice: %q", seed, got.Dirs)
		}
	}
}

// expected asks the globs about every path of the tree. Its second result is whether
// some start or directory is too deep to enter and yet not excluded.
func expected(entries map[string]treemem.Entry, q Query) (found []string, deep bool) {
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		depth := strings.Count(path, "/") + 1
		_, covered := q.Exclude.Outermost(path)
		switch entries[path].Kind {
		case tree.Regular:
			if depth <= q.MaxDepth && q.Region.Match(path) && !q.Exclude.CoversFile(path) {
				found = append(found, path)
			}
		case tree.Directory:
			deep = deep || depth == q.MaxDepth && q.Region.Below(path) && !covered && started(q, path)
		}
	}
	return found, deep
}

// started says whether some start lies at, above or below the directory: a selector can
// leave out of the walk what the pair of globs could match.
func started(q Query, dir string) bool {
	for _, s := range q.Region.Starts() {
		if s.Kind == glob.Walk && (s.Path == "." || strings.HasPrefix(dir+"/", s.Path+"/") || strings.HasPrefix(s.Path+"/", dir+"/")) {
			return true
		}
	}
	return false
}

var names = []string{"a", "b", "a-b", "a.b", ".c", "ab", "a\xff", "b!"}

func randomTree(rng *rand.Rand) map[string]treemem.Entry {
	entries := map[string]treemem.Entry{}
	dirs := map[string]bool{}
	for range 5 + rng.IntN(60) {
		var segments []string
		for range 1 + rng.IntN(6) {
			segments = append(segments, names[rng.IntN(len(names))])
		}
		path := strings.Join(segments, "/")
		if dirs[path] || blocked(entries, path) {
			continue
		}
		for i := range segments {
			dirs[strings.Join(segments[:i], "/")] = true
		}
		entries[path] = treemem.Entry{Data: path}
		switch rng.IntN(12) {
		case 0:
			entries[path] = treemem.Entry{Target: "b"}
		case 1:
			entries[path] = treemem.Entry{Kind: tree.Other}
		}
	}
	return entries
}

func blocked(entries map[string]treemem.Entry, path string) bool {
	for i := range len(path) {
		if _, ok := entries[path[:i]]; ok && path[i] == '/' {
			return true
		}
	}
	return false
}

func randomGlobs(rng *rand.Rand, least int) []string {
	segments := []string{"*", "**", "a", "b", "a*", "*b", ".*", ".c", "ab", "a-b"}
	globs := []string{}
	for range least + rng.IntN(4) {
		var g []string
		for range 1 + rng.IntN(4) {
			g = append(g, segments[rng.IntN(len(segments))])
		}
		globs = append(globs, strings.Join(g, "/"))
	}
	return globs
}
