package linediff

import (
	"bytes"
	"hash/maphash"
)

// symbols are two texts as sequences of small numbers, one for each distinct line that
// occurs in both; lines of one text only are counted and left out, for no common
// subsequence holds them.
type symbols struct {
	a, b         []int32
	onlyA, onlyB int
	kinds        int // symbols are less than this
}

// pair turns two texts into symbols.
func pair(before, after []byte) symbols {
	var p symbols
	t := newInterner(bytes.Count(before, []byte{'\n'}))
	for line := range lines(before) {
		p.a = append(p.a, t.add(line))
	}
	shared := make([]bool, len(t.lines))
	for line := range lines(after) {
		id := t.find(line)
		if id < 0 {
			p.onlyB++
			continue
		}
		shared[id] = true
		p.b = append(p.b, id)
	}
	p.kinds = len(t.lines)
	kept := p.a[:0]
	for _, id := range p.a {
		if shared[id] {
			kept = append(kept, id)
		}
	}
	p.onlyA = len(p.a) - len(kept)
	p.a = kept
	return p
}

// interner numbers distinct lines. Numbers depend on the order of lines only.
type interner struct {
	lines [][]byte
	slots []int32 // number plus one; a power of two of them, at most half full
	tags  []uint32
	seed  maphash.Seed
}

func newInterner(room int) *interner {
	size := 16
	for size < 2*room {
		size *= 2
	}
	return &interner{
		lines: make([][]byte, 0, room),
		slots: make([]int32, size), tags: make([]uint32, size),
		seed: maphash.MakeSeed(),
	}
}

// look returns the number of a line, or the free slot where it would stand.
func (t *interner) look(line []byte) (id int32, slot int, tag uint32) {
	h := maphash.Bytes(t.seed, line)
	tag = uint32(h >> 32)
	mask := len(t.slots) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if t.slots[i] == 0 {
			return -1, i, tag
		}
		if n := t.slots[i] - 1; t.tags[i] == tag && bytes.Equal(t.lines[n], line) {
			return n, i, tag
		}
	}
}

func (t *interner) find(line []byte) int32 {
	id, _, _ := t.look(line)
	return id
}

func (t *interner) add(line []byte) int32 {
	id, slot, tag := t.look(line)
	if id >= 0 {
		return id
	}
	id = int32(len(t.lines))
	t.lines = append(t.lines, line)
	t.slots[slot], t.tags[slot] = id+1, tag
	if 2*len(t.lines) > len(t.slots) {
		t.grow()
	}
	return id
}

func (t *interner) grow() {
	t.slots, t.tags = make([]int32, 2*len(t.slots)), make([]uint32, 2*len(t.tags))
	for i, line := range t.lines {
		_, slot, tag := t.look(line)
		t.slots[slot], t.tags[slot] = int32(i)+1, tag
	}
}
