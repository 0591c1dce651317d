package linediff

import "sort"

// anchors returns pairs of lines that occur exactly once on either side of a box, as
// many as can be matched without crossing.
func (d *differ) anchors(x box) [][2]int {
	onceA, onceB := d.once[0], d.once[1]
	locate(onceA, d.a, x.a0, x.a1)
	locate(onceB, d.b, x.b0, x.b1)
	defer forget(onceA, d.a[x.a0:x.a1])
	defer forget(onceB, d.b[x.b0:x.b1])
	var chain []link // ends of increasing chains, by their position in b
	var links []link
	for i := x.a0; i < x.a1; i++ {
		s := d.a[i]
		if onceA[s] < 0 || onceB[s] < 0 { // none or several
			continue
		}
		l := link{a: i, b: int(onceB[s]), before: -1, at: len(links)}
		place := sort.Search(len(chain), func(k int) bool { return chain[k].b >= l.b })
		if place > 0 {
			l.before = chain[place-1].at
		}
		links = append(links, l)
		if place == len(chain) {
			chain = append(chain, l)
		} else {
			chain[place] = l
		}
	}
	if len(chain) == 0 {
		return nil
	}
	pairs := make([][2]int, len(chain))
	for k, at := len(pairs)-1, chain[len(chain)-1].at; k >= 0; k-- {
		pairs[k] = [2]int{links[at].a, links[at].b}
		at = links[at].before
	}
	return pairs
}

// link is a matched line that knows the one before it in its chain.
type link struct{ a, b, before, at int }

// Positions of a symbol that doesn't occur, or occurs more than once.
const (
	none    = -1
	several = -2
)

// locate notes for the symbols of a stretch where their only occurrence is.
func locate(at []int32, seq []int32, from, to int) {
	for i := from; i < to; i++ {
		if s := seq[i]; at[s] == none {
			at[s] = int32(i)
		} else {
			at[s] = several
		}
	}
}

func forget(at []int32, stretch []int32) {
	for _, s := range stretch {
		at[s] = none
	}
}
