package glob

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestKindOfARefusalDependsOnThePlace(t *testing.T) {
	const (
		lexical   = "~/x*"
		pattern   = "a/?*"
		void      = "*/.."
		literal   = "../x"
		deep      = "a/b/c"
		ambiguous = "a/[id]"
	)
	type want struct {
		kind   fault.Kind
		reason fault.Reason
	}
	declared := map[string]want{
		lexical:   {fault.InvalidPipeline, fault.ClassHome},
		pattern:   {fault.InvalidPipeline, fault.ClassQuestionMark},
		void:      {fault.InvalidPipeline, fault.ClassEmpty},
		literal:   {fault.InvalidPipeline, fault.ClassEscape},
		deep:      {fault.InvalidPipeline, fault.ClassDepth},
		ambiguous: {fault.InvalidPipeline, fault.ReasonAmbiguousLiteral},
	}
	argument := map[string]want{
		lexical:   {fault.PathRefused, fault.ClassHome},
		pattern:   {fault.BadArgument, fault.ClassQuestionMark},
		void:      {fault.BadArgument, fault.ClassEmpty},
		literal:   {fault.PathRefused, fault.ClassEscape},
		deep:      {fault.PathRefused, fault.ClassDepth},
		ambiguous: {},
	}
	acquire := map[string]want{
		lexical:   argument[lexical],
		pattern:   argument[pattern],
		void:      argument[void],
		literal:   argument[literal],
		deep:      {fault.WorkspaceBounds, fault.ReasonMaxDepth},
		ambiguous: {},
	}
	runScope := map[string]want{
		lexical:   argument[lexical],
		pattern:   argument[pattern],
		void:      argument[void],
		literal:   argument[literal],
		deep:      argument[deep],
		ambiguous: {fault.BadArgument, fault.ReasonAmbiguousLiteral},
	}
	places := map[Place]map[string]want{
		Scope: declared, Exclude: declared, Policy: declared, Paths: argument, Acquire: acquire, RunScope: runScope,
	}
	for place, wants := range places {
		for raw, want := range wants {
			_, err := ParseEntry(raw, place, 2)
			if want.kind == "" {
				if err != nil {
					t.Errorf("place %d, %q: got %v; want it allowed", place, raw, err)
				}
				continue
			}
			e := fault.As(err)
			if e == nil || e.Kind != want.kind || e.Reason != want.reason || e.Path != raw || e.Hint == "" {
				t.Errorf("place %d, %q: got %v; want %s (%s) with the raw path and a hint", place, raw, err, want.kind, want.reason)
			}
		}
	}
}

func TestEveryPatternClassHasAHint(t *testing.T) {
	for _, raw := range []string{"*\\", "a**", "*?", "*[", "*{", "*!", "*^", "*/.."} {
		_, err := ParsePattern(raw)
		if e := fault.As(err); e == nil || e.Hint == "" || e.Message == "" {
			t.Errorf("%q: got %v; want a rule and a hint", raw, err)
		}
	}
}

func TestAmbiguousLiteralIsOfferedAPatternAndAPrefix(t *testing.T) {
	tests := []struct{ name, raw, wantHint string }{
		{"a class in the middle", "app/[id]/page.tsx", "write app/*/page.tsx, or the prefix app"},
		{"braces in a hidden segment", "a/.{b,c}", "write a/.*, or the prefix a"},
		{"nothing plain before it", "{a,b}", "write *"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseEntry(tt.raw, Scope, maxDepth)
			if e := fault.As(err); e == nil || e.Hint != tt.wantHint {
				t.Errorf("got %v; want hint %q", err, tt.wantHint)
			}
		})
	}
}

func TestFirstFaultOfTheFirstFaultySegmentDecides(t *testing.T) {
	tests := []struct {
		name, raw string
		want      fault.Reason
	}{
		{"the segment further left", "a?/**b", fault.ClassQuestionMark},
		{"double star before the others of a segment", "?**", fault.ClassDoubleStar},
		{"the leftmost character of a segment", "*^!{[?", fault.ClassCaret},
		{"a segment that .. removes isn't judged", "a?/../*", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParsePattern(tt.raw)
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v; want no error", err)
				}
				return
			}
			if e := fault.As(err); e == nil || e.Reason != tt.want {
				t.Errorf("got %v; want %s", err, tt.want)
			}
		})
	}
}

func TestEntriesAreSortedByBytesWithoutDuplicates(t *testing.T) {
	list := mustEntries(t, "b", "a/./x", "*", "é", "a//x", "Z")
	want := []string{"*", "Z", "a/x", "b", "é"}
	if got := list.Strings(); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
}

func TestAbsentListStaysAbsentAndAnEmptyOneEmpty(t *testing.T) {
	if got, err := ParseEntries(nil, Paths, maxDepth); got != nil || err != nil {
		t.Errorf("nil: got %v, %v; want nil", got, err)
	}
	if got, err := ParseEntries([]string{}, Paths, maxDepth); got == nil || len(got) != 0 || err != nil {
		t.Errorf("empty: got %v, %v; want an empty list", got, err)
	}
}

func TestListStopsAtItsFirstRefusal(t *testing.T) {
	_, err := ParseEntries([]string{"a", "../b", "?*"}, Paths, maxDepth)
	if !fault.Is(err, fault.PathRefused, fault.ClassEscape) {
		t.Errorf("got %v; want the refusal of ../b", err)
	}
}

func TestMaxDepthBoundsLiteralsOnly(t *testing.T) {
	if _, err := ParseEntry("a/*/b/c", Paths, 2); err != nil {
		t.Errorf("a pattern: got %v; want no bound", err)
	}
	if e, err := ParseEntry("a/b", Paths, 2); err != nil || !e.IsLiteral() {
		t.Errorf("a literal at the bound: got %v", err)
	}
}

func TestPatternBeyondTheStackStillMatches(t *testing.T) {
	deep := strings.TrimSuffix(strings.Repeat("*/", 700), "/")
	e := mustPattern(t, deep)
	path := strings.ReplaceAll(deep, "*", "x")
	if !e.Match(path) || e.Match(path+"/x") || e.Match(strings.TrimSuffix(path, "/x")) {
		t.Errorf("700 segments: got a wrong answer")
	}
	if !e.Below("x/x") || e.Below(path) {
		t.Errorf("700 segments: got a wrong answer below")
	}
}
