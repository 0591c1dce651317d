package linediff

import "bytes"

// change is a maximal run of lines of one text that lines of the other replace; either
// run may be empty. Positions are line numbers from 0.
type change struct {
	a, b       int // where the runs start
	lenA, lenB int
}

// patience bounds the distance that is looked for at once: of two stretches that differ
// more, what is unique in both is matched first. A longer script is then possible.
const patience = 512

// script returns the changes that turn the lines of before into those of after, where a
// line ends with \n alone, as git has it.
func script(before, after [][]byte) []change {
	t := newInterner(len(before))
	d := &differ{goneA: make([]bool, len(before)), goneB: make([]bool, len(after))}
	d.a, d.b = t.all(before), t.all(after)
	for side := range 2 {
		d.reach[side] = make([]int32, 2*patience+3)
		d.once[side] = make([]int32, len(t.lines))
		forget(d.once[side], d.a)
		forget(d.once[side], d.b)
	}
	d.split(0, len(d.a), 0, len(d.b))
	return d.changes()
}

func (t *interner) all(list [][]byte) []int32 {
	seq := make([]int32, len(list))
	for i, line := range list {
		seq[i] = t.add(line)
	}
	return seq
}

// gitLines cuts text behind every \n.
func gitLines(text []byte) [][]byte {
	list := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		end := next(text, '\n', 0)
		end = min(end+1, len(text))
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}

// differ marks the lines that aren't common.
type differ struct {
	a, b         []int32
	goneA, goneB []bool
	reach        [2][]int32 // forward and backward, by diagonal
	once         [2][]int32 // in a and b, by symbol; all none between uses
}

// box is a stretch of both texts: lines [a0, a1) and [b0, b1).
type box struct{ a0, a1, b0, b1 int }

// split marks the lines of one box, and of the boxes it falls into, in constant stack.
func (d *differ) split(a0, a1, b0, b1 int) {
	todo := []box{{a0, a1, b0, b1}}
	for len(todo) > 0 {
		x := d.shrink(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if x.a0 == x.a1 || x.b0 == x.b1 {
			d.mark(x)
			continue
		}
		if i, j, ok := d.middle(x); ok {
			todo = append(todo, box{x.a0, i, x.b0, j}, box{i, x.a1, j, x.b1})
			continue
		}
		if anchors := d.anchors(x); len(anchors) > 0 {
			for _, at := range anchors {
				todo = append(todo, box{x.a0, at[0], x.b0, at[1]})
				x.a0, x.b0 = at[0]+1, at[1]+1
			}
			todo = append(todo, x)
			continue
		}
		d.mark(x)
	}
}

// shrink leaves out what the stretches begin and end with.
func (d *differ) shrink(x box) box {
	for x.a0 < x.a1 && x.b0 < x.b1 && d.a[x.a0] == d.b[x.b0] {
		x.a0, x.b0 = x.a0+1, x.b0+1
	}
	for x.a0 < x.a1 && x.b0 < x.b1 && d.a[x.a1-1] == d.b[x.b1-1] {
		x.a1, x.b1 = x.a1-1, x.b1-1
	}
	return x
}

func (d *differ) mark(x box) {
	for i := x.a0; i < x.a1; i++ {
		d.goneA[i] = true
	}
	for j := x.b0; j < x.b1; j++ {
		d.goneB[j] = true
	}
}

// changes collects the marks.
func (d *differ) changes() []change {
	var list []change
	i, j := 0, 0
	for i < len(d.a) || j < len(d.b) {
		c := change{a: i, b: j}
		for i < len(d.a) && d.goneA[i] {
			i++
		}
		for j < len(d.b) && d.goneB[j] {
			j++
		}
		c.lenA, c.lenB = i-c.a, j-c.b
		if c.lenA+c.lenB > 0 {
			list = append(list, c)
			continue
		}
		i, j = i+1, j+1
	}
	return list
}
