package glob

// Region is what lies in a scope and, if there is one, in a selector: what an in-place
// invocation may create and what its envelope covers but for recorded renames (spec
// §11.2, §12.3). An acquisition is a region without selector. It is immutable and safe
// for concurrent use.
type Region struct {
	entries  []Entry // of the scope, then of the selector
	scope    int     // how many are of the scope
	selected bool
	offsets  []int // where the sets of each entry start in a Cursor; one more for the end
	pairs    []pair
}

// pair is a scope entry and a selector entry that overlap; others share no path, and so
// none below any directory.
type pair struct {
	scope, selector int // indices of entries
	meets           meeting
}

// NewRegion returns the region of a scope and a selector; a nil selector is none.
func NewRegion(scope, selector Entries) *Region {
	r := &Region{scope: len(scope), selected: selector != nil, offsets: []int{0}}
	r.entries = append(append(r.entries, scope...), selector...)
	for i := range r.entries {
		r.offsets = append(r.offsets, r.offsets[i]+r.entries[i].words())
	}
	for i := range r.scope {
		for j := r.scope; j < len(r.entries); j++ {
			if m := meet(&r.entries[i], &r.entries[j]); m.at(0, 0) {
				r.pairs = append(r.pairs, pair{scope: i, selector: j, meets: m})
			}
		}
	}
	return r
}

// Scope returns the entries of the scope.
func (r *Region) Scope() Entries { return Entries(r.entries[:r.scope:r.scope]) }

// Selector returns the entries of the selector, nil if there is none.
func (r *Region) Selector() Entries {
	if !r.selected {
		return nil
	}
	return Entries(r.entries[r.scope:])
}

// Match says whether path is matched by scope and selector. It doesn't allocate.
func (r *Region) Match(path string) bool {
	return r.Scope().Match(path) && (!r.selected || r.Selector().Match(path))
}

// Below says whether one path strictly below dir can match a scope entry and, if there
// is a selector, an entry of it (spec §5.5). For the directories of a walk use a Cursor.
func (r *Region) Below(dir string) bool { return r.At(dir).Below() }

// Starts returns where the enumeration of the region starts (spec §5.6).
func (r *Region) Starts() []Start { return Starts(r.Scope(), r.Selector()) }
