package linediff

import "math/bits"

// occurrences knows where each symbol stands in a sequence, as bits: for the frequent
// ones a whole row each (there are few of them), for the others a list of positions.
type occurrences struct {
	words int        // of a row
	start []int32    // positions of symbol s are at[start[s]:start[s+1]], ascending
	at    []int32    //
	rows  [][]uint64 // of frequent symbols, else nil
}

func newOccurrences(seq []int32, kinds int) *occurrences {
	o := &occurrences{
		words: (len(seq) + 63) / 64,
		start: make([]int32, kinds+1),
		at:    make([]int32, len(seq)),
		rows:  make([][]uint64, kinds),
	}
	for _, s := range seq {
		o.start[s+1]++
	}
	for s := range kinds {
		o.start[s+1] += o.start[s]
	}
	free := append([]int32(nil), o.start...)
	for i, s := range seq {
		o.at[free[s]] = int32(i)
		free[s]++
	}
	for s := range kinds {
		if o.count(int32(s)) < o.words/2 {
			continue
		}
		row := make([]uint64, o.words)
		for _, i := range o.positions(int32(s)) {
			row[i/64] |= 1 << (i % 64)
		}
		o.rows[s] = row
	}
	return o
}

func (o *occurrences) count(s int32) int { return int(o.start[s+1] - o.start[s]) }

func (o *occurrences) positions(s int32) []int32 { return o.at[o.start[s]:o.start[s+1]] }

// lcs returns the length of a longest common subsequence of the sequence and other, by
// the bit-parallel algorithm of Crochemore and others: a zero bit at position i says
// that the subsequence gets longer there, and a row of the usual table costs one
// addition. top keeps a carry from running through words that are all ones.
func (o *occurrences) lcs(other []int32) int {
	v := make([]uint64, o.words)
	for i := range v {
		v[i] = ^uint64(0)
	}
	top := 0 // words from here on are all ones
	for _, s := range other {
		if row := o.rows[s]; row != nil {
			addRow(v, row)
			top = o.words
			continue
		}
		top = addPositions(v, o.positions(s), top)
	}
	zeros := 0
	for _, w := range v {
		zeros += bits.OnesCount64(^w)
	}
	return zeros
}

// addRow makes the step of one symbol of which all occurrences are given as bits.
func addRow(v, row []uint64) {
	var carry, sum uint64
	row = row[:len(v)]
	for len(v) >= 4 && len(row) >= 4 { // unrolled, for a carry chain is slow to loop over
		w0, w1, w2, w3 := v[0], v[1], v[2], v[3]
		m0, m1, m2, m3 := w0&row[0], w1&row[1], w2&row[2], w3&row[3]
		sum, carry = bits.Add64(w0, m0, carry)
		v[0] = sum | (w0 - m0)
		sum, carry = bits.Add64(w1, m1, carry)
		v[1] = sum | (w1 - m1)
		sum, carry = bits.Add64(w2, m2, carry)
		v[2] = sum | (w2 - m2)
		sum, carry = bits.Add64(w3, m3, carry)
		v[3] = sum | (w3 - m3)
		v, row = v[4:], row[4:]
	}
	for i, w := range v {
		match := w & row[i]
		sum, carry = bits.Add64(w, match, carry)
		v[i] = sum | (w - match)
	}
}

// addPositions makes the step of one symbol whose occurrences are few. It returns the
// new top.
func addPositions(v []uint64, positions []int32, top int) int {
	var carry uint64
	word := 0
	for len(positions) > 0 {
		next := int(positions[0] / 64)
		var row uint64
		for len(positions) > 0 && int(positions[0]/64) == next {
			row |= 1 << (positions[0] % 64)
			positions = positions[1:]
		}
		carry = ripple(v, word, min(next, top), carry)
		w := v[next]
		match := w & row
		var sum uint64
		sum, carry = bits.Add64(w, match, carry)
		v[next] = sum | (w - match)
		word = next + 1
		top = max(top, word)
	}
	ripple(v, word, top, carry)
	return top
}

// ripple adds a carry to the words from one up to another where nothing matches, and
// returns what is carried out. Words that are all ones let it through unchanged.
func ripple(v []uint64, from, to int, carry uint64) uint64 {
	for ; carry != 0 && from < to; from++ {
		w := v[from]
		var sum uint64
		sum, carry = bits.Add64(w, 0, carry)
		v[from] = sum | w
	}
	return carry
}
