package glob

import (
	"math/bits"
	"strings"
)

// positions is a set of positions of one entry: i is in it when segment i may come
// next, len(segs) when the entry is matched to its end. It is closed: a position at **
// comes with the one behind it, since ** may match no segment.
type positions []uint64

// stackWords is how many words of a set are kept on the stack, for 255 segments.
const stackWords = 4

// words is how many words a set of positions of e has.
func (e *Entry) words() int { return len(e.segs)>>6 + 1 }

// blank returns room for a set of e, in buf if it fits.
func (e *Entry) blank(buf []uint64) positions {
	if n := e.words(); n <= len(buf) {
		return buf[:n]
	}
	return make(positions, e.words())
}

func (e *Entry) add(set positions, i int) {
	set[i>>6] |= 1 << (i & 63)
	if i < len(e.segs) && e.segs[i].double {
		i++
		set[i>>6] |= 1 << (i & 63)
	}
}

func (e *Entry) has(set positions, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }

// start sets at to the positions before the first segment of a path.
func (e *Entry) start(at positions) {
	clear(at)
	e.add(at, 0)
}

// advance sets to to the positions after one more segment of the path.
func (e *Entry) advance(at, to positions, name string) {
	clear(to)
	for w, word := range at {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			if i == len(e.segs) || !e.consumes(i, name) {
				continue
			}
			if !e.segs[i].double {
				i++
			}
			e.add(to, i)
		}
	}
}

// consumes says whether segment i of e matches name as a whole segment of a path.
func (e *Entry) consumes(i int, name string) bool {
	s := &e.segs[i]
	if !e.hidden && !s.dot && len(name) > 0 && name[0] == '.' {
		return false
	}
	return s.double || s.match(name)
}

// reach returns the positions after the segments of dir, in one of the two sets; the root
// is empty.
func (e *Entry) reach(dir string, at, spare positions) positions {
	e.start(at)
	for len(dir) > 0 {
		name := dir
		if i := strings.IndexByte(dir, '/'); i >= 0 {
			name, dir = dir[:i], dir[i+1:]
		} else {
			dir = ""
		}
		e.advance(at, spare, name)
		at, spare = spare, at
	}
	return at
}

// ends says whether e is matched to its end once name, the last segment, is consumed.
func (e *Entry) ends(at positions, name string) bool {
	for w, word := range at {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			if i < len(e.segs) && e.isLast(i) && e.consumes(i, name) {
				return true
			}
		}
	}
	return false
}

// isLast says whether nothing need follow segment i.
func (e *Entry) isLast(i int) bool {
	last := len(e.segs) - 1
	return i == last || i == last-1 && e.segs[last].double
}

// open says whether some position has a segment left: a longer path can match.
func (e *Entry) open(at positions) bool {
	for w, word := range at {
		if w == len(at)-1 {
			word &^= 1 << (len(e.segs) & 63)
		}
		if word != 0 {
			return true
		}
	}
	return false
}

// covered says whether e ends in ** and that segment is reached: e matches everything
// below, as far as dots allow.
func (e *Entry) covered(at positions) bool {
	last := len(e.segs) - 1
	return last >= 0 && e.segs[last].double && e.has(at, last)
}
