package glob

import "math/bits"

// Overlap says whether one path, of at least one segment, is matched by both a and b
// (spec §5.4). The answer is exact and symmetric.
func Overlap(a, b Entry) bool {
	return meet(&a, &b).at(0, 0)
}

// meeting says for each pair of positions of two entries whether one non-empty rest of
// a path is matched by what is left of both.
type meeting struct {
	rows  []uint64 // per position of a, a set of positions of b
	words int
}

func (m meeting) at(i, j int) bool { return m.rows[i*m.words+j>>6]&(1<<(j&63)) != 0 }

func (m meeting) set(i, j int) { m.rows[i*m.words+j>>6] |= 1 << (j & 63) }

// reached says whether some position of a set of a meets one of a set of b.
func (m meeting) reached(a, b positions) bool {
	for w, word := range a {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			for k, other := range b {
				if m.rows[i*m.words+k]&other != 0 {
					return true
				}
			}
		}
	}
	return false
}

func newMeeting(a, b *Entry) meeting {
	return meeting{rows: make([]uint64, (len(a.segs)+1)*b.words()), words: b.words()}
}

// meet fills both tables from the ends of the entries to their starts: common is true
// where the rests share a path that may be empty, the result where it isn't. Positions
// only ever move towards the ends, but where both stay at **, which adds a segment and
// changes nothing else.
func meet(a, b *Entry) meeting {
	common, longer := newMeeting(a, b), newMeeting(a, b)
	for i := len(a.segs); i >= 0; i-- {
		for j := len(b.segs); j >= 0; j-- {
			empty, more := step(a, b, i, j, common, longer)
			if empty || more {
				common.set(i, j)
			}
			if more {
				longer.set(i, j)
			}
		}
	}
	return longer
}

// step says of positions i and j whether their rests share the empty path, and whether
// they share a longer one, given the answers for later positions.
func step(a, b *Entry, i, j int, common, longer meeting) (empty, more bool) {
	if i == len(a.segs) && j == len(b.segs) {
		return true, false
	}
	starA := i < len(a.segs) && a.segs[i].double
	starB := j < len(b.segs) && b.segs[j].double
	if starA {
		empty, more = common.at(i+1, j), longer.at(i+1, j)
	}
	if starB {
		empty, more = empty || common.at(i, j+1), more || longer.at(i, j+1)
	}
	switch {
	case i == len(a.segs) || j == len(b.segs):
	case starA && starB:
		more = more || empty
	case starA:
		more = more || a.runsOver(b, j) && common.at(i, j+1)
	case starB:
		more = more || b.runsOver(a, i) && common.at(i+1, j)
	default:
		more = share(a, b, i, j) && common.at(i+1, j+1)
	}
	return empty, more
}

// runsOver says whether a ** of e can consume a name that segment j of other matches.
func (e *Entry) runsOver(other *Entry, j int) bool { return e.hidden || !other.segs[j].dot }

// share says whether some name is matched by segment i of a and segment j of b, neither
// being **. A name may start with a dot only if both allow it. Where neither segment
// starts with a literal dot a name without one exists if any does: either a first
// character is given, or both start with a star, and then any character may go before.
func share(a, b *Entry, i, j int) bool {
	s, t := &a.segs[i], &b.segs[j]
	if s.dot && !t.dot && !b.hidden || t.dot && !s.dot && !a.hidden {
		return false
	}
	if !s.star {
		return t.match(s.text)
	}
	if !t.star {
		return s.match(t.text)
	}
	return intersect(s.text, t.text)
}

// intersect says whether two wildcard strings match a common string: a product walk
// from their ends. next[j] is the answer for the rests s[i+1:] and t[j:].
func intersect(s, t string) bool {
	next, here := make([]bool, len(t)+1), make([]bool, len(t)+1)
	for i := len(s); i >= 0; i-- {
		for j := len(t); j >= 0; j-- {
			starS, starT := i < len(s) && s[i] == '*', j < len(t) && t[j] == '*'
			switch {
			case i == len(s) && j == len(t):
				here[j] = true
			case starS:
				here[j] = next[j] || j < len(t) && here[j+1]
			case starT:
				here[j] = here[j+1] || i < len(s) && next[j]
			default:
				here[j] = i < len(s) && j < len(t) && s[i] == t[j] && next[j+1]
			}
		}
		next, here = here, next
	}
	return next[0]
}
