package engine

// Scope is where a capability may touch files: a conjunction of lists of globs. A path
// is in it iff every list has an entry that matches it. One list is what the engine
// declared; a pipeline that narrows adds another, so that narrowing is exact and can
// never widen. The zero Scope declares nothing and holds every path.
type Scope struct {
	lists [][]string
}

// Declared reports whether there is a scope at all.
func (s Scope) Declared() bool { return len(s.lists) > 0 }

// Selector is what the author of a step selected: globs and literals in normalised form,
// deduplicated and sorted (spec §8.6). The zero Selector selects the whole workspace.
type Selector struct {
	entries []string
}

// All reports whether there is no selector.
func (s Selector) All() bool { return s.entries == nil }

// Entries returns the entries in order, nil if there is no selector.
func (s Selector) Entries() []string { return s.entries }
