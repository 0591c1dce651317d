package engine

import (
	"slices"
	"strings"
)

// Group returns the extension group of a path (spec §7.3): what follows the last dot of
// the base name, lower-cased; "" without dot, or when the only dot leads.
func Group(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return ""
	}
	return strings.ToLower(base[dot+1:])
}

// grouped sorts paths into their extension groups; order within a group is kept.
func grouped(paths []string) (groups []string, members map[string][]string) {
	members = map[string][]string{}
	for _, p := range paths {
		g := Group(p)
		if _, known := members[g]; !known {
			groups = append(groups, g)
		}
		members[g] = append(members[g], p)
	}
	slices.Sort(groups)
	return groups, members
}
