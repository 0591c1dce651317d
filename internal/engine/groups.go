package engine

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/text"
)

// grouped sorts paths into their extension groups; order within a group is kept.
func grouped(paths []string) (groups []string, members map[string][]string) {
	members = map[string][]string{}
	for _, p := range paths {
		g := text.Group(p)
		if _, known := members[g]; !known {
			groups = append(groups, g)
		}
		members[g] = append(members[g], p)
	}
	slices.Sort(groups)
	return groups, members
}
