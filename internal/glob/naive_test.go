package glob

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// naive is an independent matcher of spec §5.2: recursion over segments, and the
// standard library for one segment. It is exponential.
func naive(pattern, name []string, hidden bool) bool {
	if len(pattern) == 0 {
		return len(name) == 0
	}
	if pattern[0] == "**" {
		if naive(pattern[1:], name, hidden) {
			return true
		}
		return len(name) > 0 && (hidden || name[0][0] != '.') && naive(pattern, name[1:], hidden)
	}
	if len(name) == 0 || !hidden && name[0][0] == '.' && pattern[0][0] != '.' {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && naive(pattern[1:], name[1:], hidden)
}

func naiveMatch(e Entry, name string) bool {
	return naive(strings.Split(e.String(), "/"), strings.Split(name, "/"), e.hidden)
}

// universe is every path of at most two segments whose names have at most three of the
// characters a, b and dot, and those of three segments that start with one of four names:
// every two entries of smallEntries that overlap do so in it.
func universe() []string {
	var names []string
	for _, x := range []string{"", "a", "b", "."} {
		for _, y := range []string{"", "a", "b", "."} {
			for _, z := range []string{"a", "b", "."} {
				names = append(names, x+y+z)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	paths := slices.Clone(names)
	for _, a := range names {
		for _, b := range names {
			paths = append(paths, a+"/"+b)
			if !slices.Contains(smallDirs, a) {
				continue
			}
			for _, c := range names {
				paths = append(paths, a+"/"+b+"/"+c)
			}
		}
	}
	return paths
}

var smallDirs = []string{"a", "b", ".a", "ab"}

// smallEntries is every pattern of one or two of these segments, as it is and as a deny
// list reads it.
func smallEntries(t *testing.T) []Entry {
	segments := []string{"**", "*", "a", ".a", "a*", "*a", ".*", "*.a", "a*b", "b*a", "*b*"}
	var entries []Entry
	for _, first := range segments {
		list := []Entry{mustPattern(t, first)}
		for _, second := range segments {
			list = append(list, mustPattern(t, first+"/"+second))
		}
		for _, e := range list {
			hidden := e
			hidden.hidden = true
			entries = append(entries, e, hidden)
		}
	}
	return entries
}

func TestMatchOverlapAndBelowAreExactOnASmallUniverse(t *testing.T) {
	paths, entries := universe(), smallEntries(t)
	matches := make([][]bool, len(entries))
	for i, e := range entries {
		matches[i] = make([]bool, len(paths))
		for k, p := range paths {
			matches[i][k] = naiveMatch(e, p)
			if got := e.Match(p); got != matches[i][k] {
				t.Fatalf("%q (hidden %v) on %q: got %v; the naive matcher says %v", e, e.hidden, p, got, matches[i][k])
			}
		}
	}
	for i, a := range entries {
		for j, b := range entries {
			checkPair(t, a, b, paths, matches[i], matches[j])
		}
	}
}

// checkPair compares Overlap and Region.Below with what matches in the universe.
func checkPair(t *testing.T, a, b Entry, paths []string, inA, inB []bool) {
	t.Helper()
	overlap, below := false, map[string]bool{}
	for k, p := range paths {
		if inA[k] && inB[k] {
			overlap = true
			if i := strings.IndexByte(p, '/'); i >= 0 {
				below[p[:i]] = true
			}
		}
	}
	if got := Overlap(a, b); got != overlap {
		t.Fatalf("%q (hidden %v) with %q (hidden %v): got overlap %v; want %v", a, a.hidden, b, b.hidden, got, overlap)
	}
	region := NewRegion(Entries{a}, Entries{b})
	for _, dir := range smallDirs {
		if got := region.Below(dir); got != below[dir] {
			t.Fatalf("%q (hidden %v) and %q (hidden %v) below %q: got %v; want %v", a, a.hidden, b, b.hidden, dir, got, below[dir])
		}
	}
}

// addSeeds gives a fuzz target pairs of entries and paths.
func addSeeds(f *testing.F) {
	for _, raw := range []string{"**", "*", "src/**/*.ts", "**/.*", "*a*a*b", "a/**/b/**/c", ".x/*", "a", "**/a/**"} {
		for _, p := range []string{"a", ".x/a", "src/x/.y.ts", "a/b/c", "aaab", "src/x/y.ts"} {
			f.Add(raw, p)
		}
	}
}

// fuzzed returns a pattern and a path to try it on, if both are valid and small enough
// for the naive matcher.
func fuzzed(raw, name string) (Entry, string, bool) {
	if len(raw) > 24 || len(name) > 24 {
		return Entry{}, "", false
	}
	e, err := ParsePattern(raw)
	if err != nil {
		return Entry{}, "", false
	}
	p, err := pathdoor.Facade(name, maxDepth)
	return e, p, err == nil
}

func FuzzMatchAgreesWithANaiveMatcher(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, raw, name string) {
		e, p, ok := fuzzed(raw, name)
		if !ok {
			return
		}
		for _, e := range []Entry{e, e.AsDeny(), e.AsAllow()} {
			if len(e.segs) != len(strings.Split(e.text, "/")) {
				continue // a literal that covers what lies below has tests of its own
			}
			if got, want := e.Match(p), naiveMatch(e, p); got != want {
				t.Fatalf("%q (hidden %v) on %q: got %v; the naive matcher says %v", e, e.hidden, p, got, want)
			}
		}
	})
}

func FuzzMatchOverlapAndBelowAgree(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, raw, name string) {
		e, p, ok := fuzzed(raw, name)
		if !ok {
			return
		}
		literal := newEntry(strings.Split(p, "/"))
		matched := e.Match(p)
		if literal.literal {
			if got := Overlap(e, literal); got != matched {
				t.Fatalf("overlap of %q with the literal %q: got %v; match says %v", e, p, got, matched)
			}
			if got := Overlap(literal, e); got != matched {
				t.Fatalf("overlap of the literal %q with %q: got %v; match says %v", p, e, got, matched)
			}
		}
		cursor := NewRegion(Entries{e}, nil).At(".")
		for rest := p; ; {
			if matched && !cursor.Below() {
				t.Fatalf("%q matches %q; got not satisfiable above %q", e, p, rest)
			}
			segment, behind, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			cursor, rest = cursor.Enter([]byte(segment), Cursor{}), behind
		}
		if got := cursor.Match([]byte(path.Base(p))); got != matched {
			t.Fatalf("cursor of %q on %q: got %v; match says %v", e, p, got, matched)
		}
	})
}

func FuzzOverlapIsSymmetricAndReflexive(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, rawA, rawB string) {
		a, err := ParsePattern(rawA)
		if err != nil || len(rawA) > 200 {
			return
		}
		if !Overlap(a, a) {
			t.Fatalf("%q doesn't overlap itself", a)
		}
		b, err := ParsePattern(rawB)
		if err != nil || len(rawB) > 200 {
			return
		}
		if x, y := Overlap(a, b), Overlap(b, a); x != y {
			t.Fatalf("overlap of %q and %q: got %v; the other way %v", a, b, x, y)
		}
	})
}

func FuzzNormalisedFormParsesToItself(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, raw, _ string) {
		for place := Acquire; place <= Policy; place++ {
			e, err := ParseEntry(raw, place, maxDepth)
			if err != nil || pathdoor.Classify(e.String()) != "" || strings.TrimSpace(e.String()) != e.String() {
				continue
			}
			again, err := ParseEntry(e.String(), place, maxDepth)
			if err != nil || again.String() != e.String() || again.IsLiteral() != e.IsLiteral() {
				t.Fatalf("%q gives %q at place %d; parsed again: %q, %v", raw, e, place, again, err)
			}
		}
	})
}
