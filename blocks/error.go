package blocks

import (
	"fmt"
	"strings"
)

// Error is one finding about a message or about what became of it (§ 16.3). Fields
// that don't apply are zero. It unwraps to its Code.
type Error struct {
	Code Code
	// Path is the raw path as it was written, or the target for what was found while
	// resolving and publishing. Empty: no path is concerned.
	Path   string
	Hint   string // what to do next, one sentence
	Token  string // the refused token of an info string, as written
	Detail string // what exactly is wrong, where the hint doesn't say it
	Edit   *EditError
	Line   int // of the block's opening fence in the message, from 1; not part of a report
}

// EditError says what is wrong with the body of an edit block (§§ 7, 8). Numbers count
// from 1 in the order of writing; 0 means that the field doesn't apply.
type EditError struct {
	Edit      int   // the pair or hunk to blame
	OtherEdit int   // the one it overlaps with
	BodyLine  int   // the line of the body to blame
	Matches   int   // how often a SEARCH was found
	Lines     []int // the first line of each match
	Proposed  int   // pairs or hunks; when malformed those completed before
	Applied   int   // those that could be placed (§ 7.8)
}

// Error renders code, path and hint in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Path != "" {
		fmt.Fprintf(&b, ": %q", e.Path)
	}
	if e.Token != "" {
		fmt.Fprintf(&b, ": %q", e.Token)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Hint != "" {
		b.WriteString(": " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// newError returns an error whose hint is formatted as by fmt.Sprintf.
func newError(code Code, path, hint string, args ...any) *Error {
	return &Error{Code: code, Path: path, Hint: fmt.Sprintf(hint, args...)}
}
