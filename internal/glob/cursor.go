package glob

import "unsafe"

// Cursor is a directory as a Region sees it: the positions that its entries have reached
// there. A walk that carries one along judges each name once, whatever the depth. No
// method changes its Cursor.
type Cursor struct {
	region *Region
	at     []uint64 // the sets of all entries, one after the other
}

// At returns the cursor of a directory; "." is the root.
func (r *Region) At(dir string) Cursor {
	c := Cursor{region: r, at: make([]uint64, r.size())}
	spare := Cursor{region: r, at: make([]uint64, r.size())}
	for i := range r.entries {
		copy(c.set(i), r.entries[i].reach(segments(dir), c.set(i), spare.set(i)))
	}
	return c
}

// Enter returns the cursor of the directory name in c's directory. It uses the memory of
// reuse, a cursor of the same region that nobody needs any more; with the zero Cursor it
// allocates.
func (c Cursor) Enter(name []byte, reuse Cursor) Cursor {
	inner := Cursor{region: c.region, at: reuse.at}
	if len(inner.at) != len(c.at) {
		inner.at = make([]uint64, len(c.at))
	}
	for i := range c.region.entries {
		c.region.entries[i].advance(c.set(i), inner.set(i), view(name))
	}
	return inner
}

// Match says whether the file name in c's directory lies in the region. It doesn't
// allocate.
func (c Cursor) Match(name []byte) bool {
	r := c.region
	return c.anyEnds(0, r.scope, view(name)) && (!r.selected || c.anyEnds(r.scope, len(r.entries), view(name)))
}

// MatchEntry says whether entry i of the region's scope matches the file name in c's
// directory.
func (c Cursor) MatchEntry(i int, name []byte) bool { return c.anyEnds(i, i+1, view(name)) }

// Below says whether a path strictly below c's directory can lie in the region (spec
// §5.5). It doesn't allocate.
func (c Cursor) Below() bool {
	if c.region.selected {
		return c.somePairMeets()
	}
	for i := range c.region.entries {
		if c.region.entries[i].open(c.set(i)) {
			return true
		}
	}
	return false
}

// coversWhole says whether some entry matches whatever lies in c's directory.
func (c Cursor) coversWhole() bool {
	for i := range c.region.entries {
		if c.region.entries[i].covered(c.set(i)) {
			return true
		}
	}
	return false
}

func (r *Region) size() int { return r.offsets[len(r.entries)] }

func (c Cursor) set(i int) positions {
	return c.at[c.region.offsets[i]:c.region.offsets[i+1]]
}

func (c Cursor) anyEnds(from, to int, name string) bool {
	for i := from; i < to; i++ {
		if c.region.entries[i].ends(c.set(i), name) {
			return true
		}
	}
	return false
}

func (c Cursor) somePairMeets() bool {
	for i := range c.region.pairs {
		p := &c.region.pairs[i]
		if p.meets.reached(c.set(p.scope), c.set(p.selector)) {
			return true
		}
	}
	return false
}

// view is name as a string without a copy. Names come from a directory in a buffer that
// is reused; no method of this file keeps one past its call, which is what makes it safe,
// and a copy per name would be most of the cost of a walk.
func view(name []byte) string { return unsafe.String(unsafe.SliceData(name), len(name)) }
