package blocks

import (
	"bytes"
	"iter"
)

// hunk is one hunk of a git_diff body (§§ 8.1-8.4).
type hunk struct {
	stated int // the line number of its header
	body   fileLines
	lines  lineRange // body lines from the first hunk line to the last, markers between them included
	old    int       // number of context and removed lines

	oldMarker, newMarker bool // a side's last line has no newline
}

// maxStated is where the numbers of headers saturate.
const maxStated = 1 << 40

// parseHunks cuts a body into hunks.
func parseHunks(body fileLines) ([]hunk, *Error) {
	next, err := skipPreamble(body)
	if err != nil {
		return nil, err
	}
	var hunks []hunk
	for next < body.len() {
		header := next
		for next++; next < body.len() && !isHeader(body.text(next)); next++ {
		}
		h, err := parseHunk(body, lineRange{header, next}, len(hunks))
		if err != nil {
			return nil, err
		}
		hunks = append(hunks, h)
	}
	if len(hunks) == 0 {
		return nil, malformed(0, 0, "there is no hunk: a hunk begins with @@ -LINE +LINE @@")
	}
	for i, h := range hunks {
		if h.lines.lo == h.lines.hi {
			err := malformed(len(hunks), 0, "a hunk needs at least one line that begins with a minus, a plus or a space")
			err.Edit.Edit = i + 1
			return nil, err
		}
	}
	return hunks, nil
}

// skipPreamble returns the line of the first header. Blank lines and Git's file headers
// may stand before it (§ 8.2).
func skipPreamble(body fileLines) (int, *Error) {
	for i := range body.len() {
		text := body.text(i)
		switch {
		case isHeader(text):
			return i, nil
		case bytes.IndexFunc(text, isNotSpace) < 0:
		case bytes.HasPrefix(text, []byte("diff --git ")), bytes.HasPrefix(text, []byte("index ")),
			bytes.HasPrefix(text, []byte("--- ")), bytes.HasPrefix(text, []byte("+++ ")):
		default:
			return 0, malformed(0, i+1, "a hunk begins with @@ -LINE +LINE @@; before the first only file headers and blank lines may stand")
		}
	}
	return body.len(), nil
}

// parseHunk reads the lines of one hunk (§§ 8.3, 8.4). in begins with its header; done
// hunks come before it.
func parseHunk(body fileLines, in lineRange, done int) (hunk, *Error) {
	stated, _ := parseHeader(body.text(in.lo))
	h := hunk{stated: stated, body: body, lines: lineRange{in.lo + 1, lastHunkLine(body, in) + 1}}
	previous := byte(0) // the sign of the line before, 0 if that is no hunk line
	for i := in.lo + 1; i < in.hi; i++ {
		sign := signOf(body.text(i))
		if sign == emptySign && i < h.lines.hi {
			sign = ' '
		}
		rule := ""
		switch sign {
		case emptySign:
		case markerSign:
			if previous == 0 {
				rule = `"\ No newline at end of file" directly follows the line that it is about`
			}
			h.mark(previous)
			sign = 0
		case ' ', '-', '+':
			if h.oldMarker && sign != '+' || h.newMarker && sign != '-' {
				rule = `no line of the same side may follow "\ No newline at end of file"`
			}
			if sign != '+' {
				h.old++
			}
		default:
			rule = "a line of a hunk begins with a minus, a plus or a space"
		}
		if rule != "" {
			return hunk{}, malformed(done, i+1, rule)
		}
		previous = sign
	}
	return h, nil
}

// mark notes a no-newline marker behind a line with this sign.
func (h *hunk) mark(sign byte) {
	h.oldMarker = h.oldMarker || sign == '-' || sign == ' '
	h.newMarker = h.newMarker || sign == '+' || sign == ' '
}

// ops yields the lines of the hunk; an empty line between hunk lines is context.
func (h hunk) ops() iter.Seq2[op, []byte] {
	return func(yield func(op, []byte) bool) {
		for i := h.lines.lo; i < h.lines.hi; i++ {
			text := h.body.text(i)
			sign := signOf(text)
			if sign == markerSign {
				continue
			}
			if sign == emptySign {
				sign, text = ' ', []byte(" ")
			}
			if !yield(op(sign), text[1:]) {
				return
			}
		}
	}
}

// oldLines returns the texts of the context and removed lines.
func (h hunk) oldLines() [][]byte {
	out := make([][]byte, 0, h.old)
	for op, text := range h.ops() {
		if op != addLine {
			out = append(out, text)
		}
	}
	return out
}

// Signs of lines that aren't hunk lines.
const (
	emptySign   byte = 0
	markerSign  byte = '\\'
	foreignSign byte = '?'
)

// signOf says what kind of line of a hunk a text is: one of ' ', '-', '+' or above.
func signOf(text []byte) byte {
	switch {
	case len(text) == 0:
		return emptySign
	case text[0] == ' ', text[0] == '-', text[0] == '+':
		return text[0]
	case bytes.HasPrefix(text, []byte(`\ `)):
		return markerSign
	}
	return foreignSign
}

// lastHunkLine returns the last hunk line behind a header, or the header's line.
func lastHunkLine(body fileLines, in lineRange) int {
	for i := in.hi - 1; i > in.lo; i-- {
		if s := signOf(body.text(i)); s == ' ' || s == '-' || s == '+' {
			return i
		}
	}
	return in.lo
}

func isHeader(text []byte) bool {
	_, ok := parseHeader(text)
	return ok
}

// parseHeader reads a hunk header and returns its stated line (§ 8.1).
func parseHeader(text []byte) (stated int, ok bool) {
	rest := bytes.TrimLeft(text, "@")
	if len(text)-len(rest) < 2 {
		return 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(" -")); !ok {
		return 0, false
	}
	if stated, rest, ok = cutRange(rest); !ok {
		return 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(" +")); !ok {
		return 0, false
	}
	if _, rest, ok = cutRange(rest); !ok {
		return 0, false
	}
	return stated, bytes.HasPrefix(rest, []byte(" @@"))
}

// cutRange cuts "digits" or "digits,digits" off and returns the first number.
func cutRange(text []byte) (n int, rest []byte, ok bool) {
	n, rest, ok = cutNumber(text)
	if !ok || len(rest) == 0 || rest[0] != ',' {
		return n, rest, ok
	}
	_, rest, ok = cutNumber(rest[1:])
	return n, rest, ok
}

func cutNumber(text []byte) (n int, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		n = min(10*n+int(text[i]-'0'), maxStated)
	}
	return n, text[i:], i > 0
}
