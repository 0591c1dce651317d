package glob

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

// maxDepth is the default of spec §1.3.
const maxDepth = 32

func mustPattern(t testing.TB, raw string) Entry {
	t.Helper()
	e, err := ParsePattern(raw)
	if err != nil {
		t.Fatalf("parse pattern %q: %v", raw, err)
	}
	return e
}

func mustEntry(t testing.TB, raw string) Entry {
	t.Helper()
	e, err := ParseEntry(raw, Acquire, maxDepth)
	if err != nil {
		t.Fatalf("parse entry %q: %v", raw, err)
	}
	return e
}

// mustEntries parses a list; nil stays nil.
func mustEntries(t testing.TB, raws ...string) Entries {
	t.Helper()
	list, err := ParseEntries(raws, Acquire, maxDepth)
	if err != nil {
		t.Fatalf("parse entries %q: %v", raws, err)
	}
	return list
}

func TestVectorGlobMatch(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Pattern, Path         string
		Match                 bool
	}
	members := vectortest.Load(t, "runtime", "glob-match", "vectors")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			if got := mustPattern(t, r.Pattern).Match(r.Path); got != r.Match {
				t.Errorf("%q on %q: got %v; want %v", r.Pattern, r.Path, got, r.Match)
			}
		})
	}
}

func TestVectorGlobValidate(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Pattern, Entry, Place string
		Valid                 bool
		Normalized            string
		Reason                fault.Reason
	}
	check := func(t *testing.T, r row, got Entry, err error) {
		t.Helper()
		if r.Valid && (err != nil || got.String() != r.Normalized) {
			t.Errorf("got %q, %v; want %q", got, err, r.Normalized)
		}
		if e := fault.As(err); !r.Valid && (e == nil || e.Reason != r.Reason) {
			t.Errorf("got %q, %v; want reason %s", got, err, r.Reason)
		}
	}
	places := map[string]Place{"acquire": Acquire, "paths": Paths, "scope": Scope, "exclude": Exclude, "policy": Policy}
	members := vectortest.Load(t, "runtime", "glob-validate", "vectors", "entries")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			got, err := ParsePattern(r.Pattern)
			check(t, r, got, err)
		})
	}
	for _, r := range vectortest.Rows[row](t, members, "entries") {
		t.Run(r.ID, func(t *testing.T) {
			place, ok := places[r.Place]
			if !ok {
				t.Fatalf("unknown place %q", r.Place)
			}
			got, err := ParseEntry(r.Entry, place, maxDepth)
			check(t, r, got, err)
		})
	}
}

func TestVectorGlobOverlap(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		PatternA, PatternB    string
		Overlaps              bool
	}
	members := vectortest.Load(t, "runtime", "glob-overlap", "vectors")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			a, b := mustEntry(t, r.PatternA), mustEntry(t, r.PatternB)
			if got := Overlap(a, b); got != r.Overlaps {
				t.Errorf("%q with %q: got %v; want %v", a, b, got, r.Overlaps)
			}
			if got := Overlap(b, a); got != r.Overlaps {
				t.Errorf("%q with %q: got %v; want %v", b, a, got, r.Overlaps)
			}
		})
	}
}

func TestVectorGlobMkdir(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Patterns              []string
		Dir                   string
		Satisfiable           bool
	}
	members := vectortest.Load(t, "runtime", "glob-mkdir", "vectors")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			var scope, selector Entries
			switch len(r.Patterns) {
			case 1:
				scope = mustEntries(t, r.Patterns[0])
				if got := scope.Below(r.Dir); got != r.Satisfiable {
					t.Errorf("%q below %q: got %v; want %v", scope.Strings(), r.Dir, got, r.Satisfiable)
				}
			case 2:
				scope, selector = mustEntries(t, r.Patterns[0]), mustEntries(t, r.Patterns[1])
			default:
				t.Fatalf("%d patterns; want one or two", len(r.Patterns))
			}
			if got := NewRegion(scope, selector).Below(r.Dir); got != r.Satisfiable {
				t.Errorf("region of %q below %q: got %v; want %v", r.Patterns, r.Dir, got, r.Satisfiable)
			}
		})
	}
}

func TestVectorEnumeration(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Scope, Selector       []string
		Starts                []Start
	}
	members := vectortest.Load(t, "runtime", "enumeration", "starts")
	for _, r := range vectortest.Rows[row](t, members, "starts") {
		t.Run(r.ID, func(t *testing.T) {
			got := Starts(mustEntries(t, r.Scope...), mustEntries(t, r.Selector...))
			if !slices.Equal(got, r.Starts) {
				t.Errorf("got %v; want %v", got, r.Starts)
			}
		})
	}
}
