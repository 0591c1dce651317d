package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Bounds of a narrowing. They are met by scopes that nobody writes by hand: patterns
// with many wildcards each meet in very many ways.
const (
	maxNarrowed = 256     // entries of a narrowed scope, as many as a manifest may list
	maxMeeting  = 200_000 // steps to narrow one scope
)

// errTooMany ends a meeting that would take more than maxMeeting steps.
var errTooMany = errors.New("the patterns meet in too many ways")

// intersect returns a scope that matches exactly the paths that both match, so that a
// narrowed scope is a scope like any other. A nil scope, none declared, matches all.
//
// The grammar is closed under intersection: two patterns meet in finitely many ways,
// each of them a pattern again.
func intersect(scope, within glob.Entries) (glob.Entries, error) {
	if scope == nil {
		return within, nil
	}
	m := &meeting{steps: maxMeeting}
	var both []glob.Entry
	for _, a := range scope {
		for _, b := range within {
			if !glob.Overlap(a, b) {
				continue
			}
			entries, err := m.entries(a, b)
			if errors.Is(err, errTooMany) {
				return nil, tooMany(b.String(), err)
			}
			if err != nil {
				return nil, err
			}
			both = append(both, entries...)
		}
	}
	kept := pruned(glob.NewEntries(both...))
	if len(kept) > maxNarrowed {
		return nil, tooMany("", errTooMany)
	}
	return kept, nil
}

func tooMany(entry string, err error) *fault.Error {
	return fault.New(fault.InvalidPipeline, fault.ReasonBound, entry, "narrowing the engine's scope by it takes more than %d globs", maxNarrowed).
		WithCause(err).WithHint("narrow by fewer globs, with fewer wildcards each")
}

// pruned drops entries that another one covers, as far as their texts show it.
func pruned(entries glob.Entries) glob.Entries {
	kept := make(glob.Entries, 0, len(entries))
	for _, e := range entries {
		byAnother := func(other glob.Entry) bool { return other.String() != e.String() && covers(other, e) }
		if !slices.ContainsFunc(entries, byAnother) {
			kept = append(kept, e)
		}
	}
	return kept
}

// covers reports that a matches whatever b does. Read as a path, b is then matched by a:
// each wildcard of b stands where a has one. A ** of b is no name, so for those patterns
// it says no, right or wrong.
func covers(a, b glob.Entry) bool {
	return !slices.Contains(strings.Split(b.String(), "/"), "**") && a.Match(b.String())
}
