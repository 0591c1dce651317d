package glob

import (
	"slices"
	"strings"
)

// StartKind is how an enumeration starts.
type StartKind string

// The two ways to start (spec §5.6).
const (
	Walk   StartKind = "walk"   // the tree at and below the path
	Lookup StartKind = "lookup" // the one path
)

// Start is a place where an enumeration starts. Path is a workspace path, or "." for the
// root. What a walk starts at may turn out to be a file: src/** matches src itself.
type Start struct {
	Path string
	Kind StartKind
}

// Starts returns where an enumeration starts: at the entries of the selector if it isn't
// nil, else at those of the scope (spec §5.6, §12.4). It is sorted by path; no start lies
// in the tree of a walk.
func Starts(scope, selector Entries) []Start {
	from := scope
	if selector != nil {
		from = selector
	}
	walks := map[string]bool{}
	for _, e := range from {
		if !e.literal {
			walks[e.StaticPrefix()] = true
		}
	}
	starts := []Start{}
	for path := range walks {
		if !insideOne(walks, path) {
			starts = append(starts, Start{Path: path, Kind: Walk})
		}
	}
	for _, e := range from {
		if e.literal && !walks[e.text] && !insideOne(walks, e.text) {
			starts = append(starts, Start{Path: e.text, Kind: Lookup})
		}
	}
	slices.SortFunc(starts, func(a, b Start) int { return strings.Compare(a.Path, b.Path) })
	return starts
}

// StaticPrefix returns the leading segments of e without a star: of a literal all, of a
// pattern that starts with one ".", the root.
func (e Entry) StaticPrefix() string {
	var kept []string
	for _, s := range e.segs {
		if s.star || s.double {
			break
		}
		kept = append(kept, s.text)
	}
	if len(kept) == 0 {
		return "."
	}
	return strings.Join(kept, "/")
}

// insideOne says whether a directory strictly above path is in walks.
func insideOne(walks map[string]bool, path string) bool {
	if path == "." {
		return false
	}
	for i := strings.LastIndexByte(path, '/'); i >= 0; i = strings.LastIndexByte(path[:i], '/') {
		if walks[path[:i]] {
			return true
		}
	}
	return walks["."]
}
