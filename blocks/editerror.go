package blocks

import (
	"strconv"
	"strings"
)

// malformed returns the error of an edit body that breaks its grammar. done are the
// edits completed before, bodyLine the line to blame or 0.
func malformed(done, bodyLine int, rule string) *Error {
	hint := rule
	if bodyLine > 0 {
		hint = "line " + strconv.Itoa(bodyLine) + " of the block: " + rule
	}
	return &Error{Code: CodeEditMalformed, Hint: hint, Edit: &EditError{BodyLine: bodyLine, Proposed: done}}
}

// overlapError returns the error of two edits of the same lines; what is a pair or a
// hunk.
func overlapError(e *EditError, what string) *Error {
	err := newError(CodeEditSpanOverlap, "", "merge %ss %d and %d into one: they change the same lines", what, e.OtherEdit, e.Edit)
	err.Edit = e
	return err
}

// maxListedLines bounds the line numbers that a hint spells out.
const maxListedLines = 10

// lineList renders line numbers for a hint.
func lineList(lines []int) string {
	var b strings.Builder
	b.WriteString("lines ")
	for i, n := range lines {
		switch {
		case i == maxListedLines:
			b.WriteString(", …")
			return b.String()
		case i == len(lines)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}
