package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/text"
)

// randomPattern draws a pattern over few characters, so that patterns often meet.
func randomPattern(r *rand.Rand) string {
	segments := make([]string, 1+r.IntN(4))
	for i := range segments {
		if r.IntN(3) == 0 {
			segments[i] = "**"
			continue
		}
		var b strings.Builder
		for range 1 + r.IntN(4) {
			c := []byte("*a.b")[r.IntN(4)]
			if c == '*' && strings.HasSuffix(b.String(), "*") {
				c = 'b'
			}
			b.WriteByte(c)
		}
		segments[i] = b.String()
		if segments[i] == "." || segments[i] == ".." {
			segments[i] = "a"
		}
	}
	return strings.Join(segments, "/")
}

// randomPath draws a path that some patterns match.
func randomPath(r *rand.Rand) string {
	segments := make([]string, 1+r.IntN(5))
	for i := range segments {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteByte([]byte("a.b")[r.IntN(3)])
		}
		segments[i] = b.String()
		if segments[i] == "." || segments[i] == ".." {
			segments[i] = "b"
		}
	}
	return strings.Join(segments, "/")
}

func entries(t testing.TB, patterns ...string) glob.Entries {
	t.Helper()
	list, err := glob.ParseEntries(patterns, glob.Scope, math.MaxInt)
	if err != nil {
		t.Fatalf("parse %q: %v", patterns, err)
	}
	return list
}

func TestANarrowedScopeMatchesExactlyWhatBothMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	met := 0
	for range 3000 {
		a, b := entries(t, randomPattern(r), randomPattern(r)), entries(t, randomPattern(r), randomPattern(r))
		both, err := intersect(a, b)
		if err != nil {
			t.Fatalf("intersect(%q, %q): %v", a.Strings(), b.Strings(), err)
		}
		for range 60 {
			path := randomPath(r)
			want := a.Match(path) && b.Match(path)
			if got := both.Match(path); got != want {
				t.Fatalf("%q ∩ %q = %q matches %q: %v, want %v", a.Strings(), b.Strings(), both.Strings(), path, got, want)
			}
			if want {
				met++
			}
		}
	}
	if met < 1000 {
		t.Errorf("only %d paths were matched by both: the test shows little", met)
	}
}

func TestHiddenSegmentsMeetHiddenOnesOnly(t *testing.T) {
	a, b := entries(t, "**/.a/**/*a/**"), entries(t, "**/*a/**/.a/**")
	both, err := intersect(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"a/.a/a": true, ".a/.a": false, "a/.a": false, ".a/a": false} {
		if got := both.Match(path); got != want {
			t.Errorf("%q matches %q: %v, want %v", both.Strings(), path, got, want)
		}
	}
}

func FuzzANarrowedScopeNeverWidens(f *testing.F) {
	f.Add("**/*.ts", "src/**", "src/a/b.ts")
	f.Add("*a*", "a*b", "ab")
	f.Add(".x/**/y*", "**", ".x/y")
	f.Fuzz(func(t *testing.T, a, b, path string) {
		ea, err := glob.ParseEntries([]string{a}, glob.Scope, depth)
		if err != nil {
			return
		}
		eb, err := glob.ParseEntries([]string{b}, glob.Scope, depth)
		if err != nil {
			return
		}
		file, err := glob.ParseEntry(path, glob.Paths, depth)
		if err != nil || !file.IsLiteral() {
			return
		}
		both, err := intersect(ea, eb)
		if err != nil {
			return // too many ways
		}
		p := file.String()
		if want := ea.Match(p) && eb.Match(p); both.Match(p) != want {
			t.Errorf("%q ∩ %q = %q matches %q: %v, want %v", a, b, both.Strings(), p, !want, want)
		}
	})
}

func TestArbitrationNeverWidens(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	universe := make([]Candidate, 8)
	for i := range universe {
		universe[i] = Candidate{EngineID: fmt.Sprint("e", i%3), Capability: i}
	}
	for range 2000 {
		given := slices.Clone(universe[:r.IntN(len(universe))])
		asked := false
		wild := func(_ Question, c []Candidate) ([]Candidate, error) {
			asked = true
			answer := make([]Candidate, r.IntN(12))
			for i := range answer {
				answer[i] = universe[r.IntN(len(universe))]
			}
			for i := range c {
				c[i] = Candidate{} // a stage that spoils its argument
			}
			return answer, nil
		}
		left, err := arbitrate([]Stage{wild, wild, wild}, Question{}, given)
		if err != nil {
			t.Fatal(err)
		}
		if asked != (len(given) >= 2) {
			t.Fatalf("a stage was asked: %v, with %d candidates", asked, len(given))
		}
		for i, c := range left {
			if !slices.Contains(given, c) || slices.Contains(left[:i], c) {
				t.Fatalf("of %v is left %v: a stage widened", given, left)
			}
		}
	}
}

func TestAStageCannotSpoilItsCandidates(t *testing.T) {
	given := []Candidate{{"a", 0}, {"b", 0}}
	spoil := func(_ Question, list []Candidate) ([]Candidate, error) {
		answer := slices.Clone(list)
		clear(list)
		return answer, nil
	}
	left, _ := arbitrate([]Stage{spoil, spoil}, Question{}, given)
	if !slices.Equal(left, []Candidate{{"a", 0}, {"b", 0}}) {
		t.Errorf("left = %v, want both", left)
	}
}

func TestAStageReordersAndRemoves(t *testing.T) {
	a, b, c := Candidate{"a", 0}, Candidate{"b", 0}, Candidate{"c", 0}
	reverse := func(_ Question, list []Candidate) ([]Candidate, error) { slices.Reverse(list); return list, nil }
	last := func(_ Question, list []Candidate) ([]Candidate, error) { return list[2:], nil }
	unasked := func(Question, []Candidate) ([]Candidate, error) {
		t.Error("a stage was asked to choose from one")
		return nil, nil
	}
	left, _ := arbitrate([]Stage{reverse, last, unasked}, Question{}, []Candidate{a, b, c})
	if !slices.Equal(left, []Candidate{a}) {
		t.Errorf("left = %v, want a", left)
	}
}

// TestEveryPathOfAnInvocationIsItsDue draws registries, files, selectors and policies and
// holds each invocation to scope, selector, policy and groups, and the whole to be the
// same each time.
func TestEveryPathOfAnInvocationIsItsDue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	exts := []string{"a", "b", "", "*"}
	planned := 0
	for range 600 {
		var d Declaration
		d.ID = "e"
		for range 1 + r.IntN(4) {
			c := scoped(lint(exts[r.IntN(len(exts))]), randomPattern(r), randomPattern(r))
			if r.IntN(4) == 0 {
				c.Generates = yes()
			}
			d.Lints = append(d.Lints, c)
		}
		if r.IntN(3) == 0 {
			d.Narrowing.Scope = []string{"**", randomPattern(r)}
		}
		files := make([]string, 12)
		for i := range files {
			files[i] = randomPath(r)
		}
		slices.Sort(files)
		files = slices.Compact(files)
		q := Query{Kind: Lint, Fix: r.IntN(2) == 0, Files: files, Policy: refuses{read: files[:1], write: files[:len(files)/2]}}
		if r.IntN(2) == 0 {
			q.Selector = selector(t, randomPattern(r), "**")
		}
		reg, err := NewRegistry([]Declaration{d}, all, depth)
		if err != nil {
			continue // narrowed to nothing
		}
		s := plan(t, reg, q)
		for _, inv := range s.Invocations {
			planned += len(inv.Paths)
			declared := entries(t, d.Lints[inv.Capability].Scope...)
			for i, p := range inv.Paths {
				switch {
				case !declared.Match(p) || !inv.Scope.Match(p):
					t.Fatalf("%q is outside the scope %q", p, inv.Scope.Strings())
				case q.Selector != nil && !q.Selector.Match(p):
					t.Fatalf("%q isn't selected by %q", p, q.Selector.Strings())
				case !q.Policy.CanRead(p).Allowed || !inv.ReadOnly && !q.Policy.CanWrite(p).Allowed:
					t.Fatalf("the policy refuses %q", p)
				case !inv.Generating && !slices.Contains(inv.Groups, text.Group(p)):
					t.Fatalf("%q is of no group of %q", p, inv.Groups)
				case slices.Contains(inv.Paths[:i], p):
					t.Fatalf("%q is given twice", p)
				}
			}
			if !slices.IsSorted(inv.Groups) {
				t.Fatalf("groups %q aren't sorted", inv.Groups)
			}
		}
		again := plan(t, reg, q)
		if fmt.Sprint(brief(s.Invocations), skipped(s.Skips)) != fmt.Sprint(brief(again.Invocations), skipped(again.Skips)) {
			t.Fatal("the same query gave another order")
		}
	}
	if planned < 500 {
		t.Errorf("only %d paths were planned: the test shows little", planned)
	}
}
