package glob

import (
	"path"
	"slices"
	"strings"
	"testing"
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
