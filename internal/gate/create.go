package gate

import (
	"cmp"
	"slices"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Invocations returns mayCreate of a format, lint or run step (spec §10.2): of every
// invocation that isn't read-only, each scope entry, paired with each selector entry that
// overlaps it if there is a selector. It is what the façade and the re-read enforce,
// entry by entry, and never nil.
func Invocations(list []engine.Invocation) []Create {
	creates := []Create{}
	for _, inv := range list {
		if inv.ReadOnly {
			continue
		}
		region := inv.Region()
		for _, s := range region.Scope() {
			creates = append(creates, pairs(s, region.Selector())...)
		}
	}
	return sorted(creates)
}

func pairs(scope glob.Entry, selector glob.Entries) []Create {
	if selector == nil {
		return []Create{{Scope: scope.String()}}
	}
	var creates []Create
	for _, c := range selector {
		if glob.Overlap(scope, c) {
			creates = append(creates, Create{Scope: scope.String(), Selector: c.String()})
		}
	}
	return creates
}

// Paths returns mayCreate of a step that makes files at known paths, never nil.
func Paths(paths []string) []Create {
	creates := make([]Create, 0, len(paths))
	for _, p := range paths {
		creates = append(creates, Create{Path: p})
	}
	return sorted(creates)
}

// sorted orders by path, then scope, then selector, each once.
func sorted(creates []Create) []Create {
	slices.SortFunc(creates, func(a, b Create) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Selector, b.Selector))
	})
	return slices.Compact(creates)
}
