package linediff

// middle returns a point that a shortest way through a box passes, found from both ends
// at once (Myers, linear space); false if it is longer than patience. The box's ends
// differ, so the point splits it into smaller boxes.
func (d *differ) middle(x box) (i, j int, ok bool) {
	n, m := x.a1-x.a0, x.b1-x.b0
	a, b := d.a[x.a0:x.a1], d.b[x.b0:x.b1]
	delta := n - m // diagonal k of one way is delta-k of the other
	odd := delta&1 != 0
	forward, backward := frontier(d.reach[0]), frontier(d.reach[1])
	forward.start()
	backward.start()
	for steps := 0; steps <= patience; steps++ {
		for k := -steps; k <= steps; k += 2 {
			at := forward.enter(k, n, m)
			for at >= 0 && at < n && at-k < m && a[at] == b[at-k] {
				at++
			}
			forward.set(k, at)
			if odd && backward.meets(delta-k, at, n, steps-1) {
				return x.a0 + at, x.b0 + at - k, true
			}
		}
		for k := -steps; k <= steps; k += 2 {
			at := backward.enter(k, n, m)
			for at >= 0 && at < n && at-k < m && a[n-1-at] == b[m-1-(at-k)] {
				at++
			}
			backward.set(k, at)
			if !odd && forward.meets(delta-k, at, n, steps) {
				return x.a1 - at, x.b1 - (at - k), true
			}
		}
	}
	return 0, 0, false
}

// frontier holds by diagonal how far the ways of some number of steps get in a, or
// nowhere for a diagonal that none of them reaches inside the box.
type frontier []int32

const (
	nowhere = -1
	zero    = patience + 1 // index of diagonal 0
)

// start forgets everything but that diagonal 0 can be entered at its beginning.
func (f frontier) start() {
	for i := range f {
		f[i] = nowhere
	}
	f[zero+1] = 0
}

func (f frontier) set(k, at int) { f[zero+k] = int32(at) }

// enter is the furthest point at which a way enters diagonal k from its neighbours.
func (f frontier) enter(k, n, m int) int {
	at := nowhere
	if down := int(f[zero+k+1]); down != nowhere && down-k <= m {
		at = down
	}
	if right := int(f[zero+k-1]); right != nowhere && right < n {
		at = max(at, right+1)
	}
	return at
}

// meets reports whether these ways, of so many steps at most, reach on their diagonal k
// a point that a way from the other end, which gets as far as at, has reached too.
func (f frontier) meets(k, at, n, steps int) bool {
	return at != nowhere && -steps <= k && k <= steps && f[zero+k] != nowhere && at+int(f[zero+k]) >= n
}
