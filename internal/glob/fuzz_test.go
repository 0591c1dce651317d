package glob

import (
	"path"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/pathdoor"
)

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
