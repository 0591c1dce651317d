package blocks

// choices has one bit for each pair of an old and a new line.
type choices struct {
	bits []uint64
	cols int
}

func (c choices) at(i, j int) bool {
	n := i*c.cols + j
	return c.bits[n/64]>>(n%64)&1 != 0
}

func (c choices) set(i, j int) {
	n := i*c.cols + j
	c.bits[n/64] |= 1 << (n % 64)
}

// additionFirst says for each old line i and new line j whether the longest common
// subsequence of what follows is no shorter when line j is skipped than when line i is
// (§ 19.2). Only two rows of lengths are held.
func additionFirst(before, after []string) choices {
	c := choices{bits: make([]uint64, (len(before)*len(after)+63)/64), cols: len(after)}
	a, b := intern(before, after)
	below, row := make([]int32, len(b)+1), make([]int32, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if row[j+1] >= below[j] {
				c.set(i, j)
			}
			if a[i] == b[j] {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(row[j+1], below[j])
			}
		}
		below, row = row, below
	}
	return c
}

// intern gives equal lines equal numbers. Lines that only the longer list has share a
// number that the shorter one doesn't use.
func intern(before, after []string) (a, b []int32) {
	short, long := before, after
	if len(after) < len(before) {
		short, long = after, before
	}
	ids := make(map[string]int32, len(short))
	s, l := make([]int32, len(short)), make([]int32, len(long))
	for i, line := range short {
		if _, ok := ids[line]; !ok {
			ids[line] = int32(len(ids) + 1)
		}
		s[i] = ids[line]
	}
	for i, line := range long {
		l[i] = ids[line]
	}
	if len(after) < len(before) {
		return l, s
	}
	return s, l
}
