package blocks

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// op says what an edit does with a line.
type op byte

const (
	keepLine   op = ' '
	removeLine op = '-'
	addLine    op = '+'
)

// span is a stretch of observed lines and what an edit makes of it.
type span struct {
	edit       int // number of the pair or hunk, from 1
	start, end int // observed lines, end excluded
	// lines are those of both sides in order. Kept and removed lines stand for the
	// observed lines from start to end, one by one; only added ones have a text.
	lines iter.Seq2[op, []byte]
	// oldMarker and newMarker say that a diff marks the last line of the old or the
	// new side as having no newline (§ 8.4).
	oldMarker, newMarker bool
}

// arrange orders spans by start, end and number. Where one begins before the preceding
// one has ended, it returns the two and how many were placed before (§ 7.5).
func arrange(spans []span) (overlap *EditError) {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(a.start-b.start, a.end-b.end, a.edit-b.edit)
	})
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return &EditError{Edit: spans[i].edit, OtherEdit: spans[i-1].edit, Proposed: len(spans), Applied: i}
		}
	}
	return nil
}

// render returns the file with arranged spans replaced (§ 9).
func render(file fileLines, spans []span) []byte {
	r := renderer{file: file, dominant: dominant(file.data), out: make([]byte, 0, len(file.data))}
	next := 0
	for _, s := range spans {
		r.copy(next, s.start)
		r.span(s)
		next = s.end
	}
	r.copy(next, file.len())
	r.flush()
	return r.out
}

// renderer writes lines. The last one is held back until it is known whether another
// follows.
type renderer struct {
	file     fileLines
	dominant string
	out      []byte

	held struct {
		text []byte
		end  string
		kept bool
		any  bool
	}
	added [][]byte // new lines of the present run
}

// copy writes the lines of the file from lo to hi as they are.
func (r *renderer) copy(lo, hi int) {
	if lo == hi {
		return
	}
	r.terminate()
	r.out = append(r.out, r.file.data[r.file.starts[lo]:r.file.starts[hi-1]]...)
	r.keep(hi - 1)
}

// span writes the new side of s. A change run, that is a row of removed and added
// lines, is written at its end, when the lines it removes are known.
func (r *renderer) span(s span) {
	next, removed, written := s.start, 0, false
	endRun := func() {
		for j, text := range r.added {
			r.hold(text, r.newEnd(next, removed, j), false)
		}
		next += removed
		removed, r.added = 0, r.added[:0]
	}
	for op, text := range s.lines {
		switch op {
		case removeLine:
			removed++
		case addLine:
			r.added = append(r.added, text)
			written = true
		case keepLine:
			endRun()
			r.keep(next)
			next++
			written = true
		}
	}
	endRun()
	if written && s.end == r.file.len() {
		r.endOfFile(s)
	}
}

// newEnd returns the terminator of the j-th added line of a run that begins at the
// observed line at and removes that many (§ 9.2). It is never empty.
func (r *renderer) newEnd(at, removed, j int) string {
	line := -1
	switch {
	case removed > 0:
		line = at + min(j, removed-1)
	case at > 0:
		line = at - 1
	case at < r.file.len():
		line = at
	}
	if line >= 0 {
		if end := terminator(r.file.raw(line)); end != "" {
			return end
		}
	}
	return r.dominant
}

// endOfFile settles whether the last line of a span that reaches the end of the file is
// terminated (§ 9.4).
func (r *renderer) endOfFile(s span) {
	data := r.file.data
	terminated := len(data) == 0 || endsInLF(data)
	switch {
	case s.newMarker:
		r.held.end = ""
	case r.held.kept, s.oldMarker, terminated:
	default:
		r.held.end = ""
	}
}

// keep writes line i of the file.
func (r *renderer) keep(i int) {
	r.hold(r.file.text(i), terminator(r.file.raw(i)), true)
}

// hold makes a line the last one.
func (r *renderer) hold(text []byte, end string, kept bool) {
	r.terminate()
	r.held.text, r.held.end, r.held.kept, r.held.any = text, end, kept, true
}

// terminate writes the held line, which turns out not to be the last, so that nothing
// is ever glued to it (§ 9.3).
func (r *renderer) terminate() {
	if !r.held.any {
		return
	}
	if r.held.end == "" {
		r.held.end = r.dominant
	}
	r.flush()
}

func (r *renderer) flush() {
	if r.held.any {
		r.out = append(append(r.out, r.held.text...), r.held.end...)
	}
	r.held.any = false
}

// texts returns the texts of lines from lo to hi.
func texts(lines fileLines, lo, hi int) [][]byte {
	out := make([][]byte, 0, hi-lo)
	for i := lo; i < hi; i++ {
		out = append(out, lines.text(i))
	}
	return out
}

// commonLines returns how many lines two sections have in common at their beginning
// and, of the rest, at their end (§ 9.1).
func commonLines(a, b [][]byte) (first, last int) {
	shorter := min(len(a), len(b))
	for first < shorter && bytes.Equal(a[first], b[first]) {
		first++
	}
	for last < shorter-first && bytes.Equal(a[len(a)-1-last], b[len(b)-1-last]) {
		last++
	}
	return first, last
}
