package linediff

// common returns the length of a longest common subsequence of both sequences, which it
// uses up. Where the work would go beyond the bound it returns how many lines both have
// in any order instead, and false.
func (p *symbols) common(work int) (length int, exact bool) {
	length = p.trim()
	for range 8 { // what ends agree on may have been a symbol's last use on one side
		if !p.drop() {
			break
		}
		length += p.trim()
	}
	if len(p.a) < len(p.b) {
		p.a, p.b = p.b, p.a
	}
	if len(p.b) == 0 {
		return length, true
	}
	occurs := newOccurrences(p.a, p.kinds)
	effort := 0 // of the bit-parallel way, in word steps
	for _, s := range p.b {
		effort += min(occurs.words, occurs.count(s))
	}
	if d := distance(p.a, p.b, effort/16+4*(len(p.a)+len(p.b))); d >= 0 {
		return length + (len(p.a)+len(p.b)-d)/2, true
	}
	if len(p.b) > work/occurs.words {
		return length + p.anyOrder(), false
	}
	return length + occurs.lcs(p.b), true
}

// trim cuts what both sequences begin and end with and returns its length.
func (p *symbols) trim() int {
	head := 0
	for head < min(len(p.a), len(p.b)) && p.a[head] == p.b[head] {
		head++
	}
	p.a, p.b = p.a[head:], p.b[head:]
	tail := 0
	for tail < min(len(p.a), len(p.b)) && p.a[len(p.a)-1-tail] == p.b[len(p.b)-1-tail] {
		tail++
	}
	p.a, p.b = p.a[:len(p.a)-tail], p.b[:len(p.b)-tail]
	return head + tail
}

// drop leaves out the symbols that occur in one sequence only; it reports whether there
// were any.
func (p *symbols) drop() bool {
	inA, inB := make([]bool, p.kinds), make([]bool, p.kinds)
	for _, s := range p.a {
		inA[s] = true
	}
	for _, s := range p.b {
		inB[s] = true
	}
	was := len(p.a) + len(p.b)
	p.a, p.b = filter(p.a, inB), filter(p.b, inA)
	return len(p.a)+len(p.b) < was
}

func filter(list []int32, keep []bool) []int32 {
	kept := list[:0]
	for _, s := range list {
		if keep[s] {
			kept = append(kept, s)
		}
	}
	return kept
}

// anyOrder returns how many symbols both sequences share, whatever their order.
func (p *symbols) anyOrder() int {
	left := make([]int32, p.kinds)
	for _, s := range p.a {
		left[s]++
	}
	shared := 0
	for _, s := range p.b {
		if left[s] > 0 {
			left[s]--
			shared++
		}
	}
	return shared
}

// distance returns how many insertions and deletions turn a into b (the greedy
// algorithm of Myers), or -1 if finding out takes more steps than budget.
func distance(a, b []int32, budget int) int {
	n, m := len(a), len(b)
	reach := make([]int32, 66) // on diagonal k at k+offset: how far in a
	offset := 32
	for d := 0; d <= n+m; d++ {
		if d >= offset {
			wider := make([]int32, 4*len(reach))
			shift := len(wider)/2 - offset
			copy(wider[shift:], reach)
			reach, offset = wider, offset+shift
		}
		for k := -d + 2*max(0, d-m); k <= d-2*max(0, d-n); k += 2 {
			var x int
			if k == -d || (k != d && reach[offset+k-1] < reach[offset+k+1]) {
				x = int(reach[offset+k+1])
			} else {
				x = int(reach[offset+k-1]) + 1
			}
			from := x
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			reach[offset+k] = int32(x)
			if x >= n && x-k >= m {
				return d
			}
			if budget -= 1 + x - from; budget < 0 {
				return -1
			}
		}
	}
	return n + m
}
