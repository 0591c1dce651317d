package reread

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// Advisory holds the four sets of spec §14, each sorted.
type Advisory struct {
	ClaimedUnchanged    []string
	ChangedUnclaimed    []string
	ClaimedUnauthorized []string
	Unparseable         []string
}

// Empty says whether the engine's account and the disk agree.
func (a Advisory) Empty() bool {
	return len(a.ClaimedUnchanged)+len(a.ChangedUnclaimed)+len(a.ClaimedUnauthorized)+len(a.Unparseable) == 0
}

// compare sets what is claimed against what changed (sorted), by path alone.
func (c claims) compare(changed []string, authorized func(path string) bool) Advisory {
	a := Advisory{Unparseable: slices.Sorted(maps.Keys(c.unparseable))}
	for _, path := range slices.Sorted(maps.Keys(c.paths)) {
		_, found := slices.BinarySearch(changed, path)
		switch {
		case !authorized(path):
			a.ClaimedUnauthorized = append(a.ClaimedUnauthorized, path)
		case !found:
			a.ClaimedUnchanged = append(a.ClaimedUnchanged, path)
		}
	}
	for _, path := range changed {
		if !c.paths[path] {
			a.ChangedUnclaimed = append(a.ChangedUnclaimed, path)
		}
	}
	return a
}

// warning is the one warning of spec §14.
func (a Advisory) warning(engine string) diagnostic.Diagnostic {
	var parts []string
	for _, set := range []struct {
		name  string
		paths []string
	}{
		{"claimedUnchanged", a.ClaimedUnchanged}, {"changedUnclaimed", a.ChangedUnclaimed},
		{"claimedUnauthorized", a.ClaimedUnauthorized}, {"unparseable", a.Unparseable},
	} {
		if len(set.paths) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%s)", set.name, len(set.paths), some(set.paths)))
		}
	}
	return diagnostic.Diagnostic{
		Severity: diagnostic.Warning,
		Reason:   "advisory",
		EngineID: engine,
		Message:  "what the engine says it did isn't what the disk says: " + strings.Join(parts, ", "),
	}
}

// some names the first of a list.
func some(paths []string) string {
	const few = 3
	list := printable(strings.Join(paths[:min(few, len(paths))], ", "))
	if len(paths) > few {
		list += ", …"
	}
	return list
}
