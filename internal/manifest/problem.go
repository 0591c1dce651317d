package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Problem is one thing that is wrong with a manifest.
type Problem struct {
	File   string // name of the input
	Line   int    // in the file, from 1; 0 where it isn't known
	Column int    // from 1; 0 where it isn't known
	Object string // kind and name, as far as they are known
	Field  string // as an API server names it: spec.steps[1].edit

	Reason fault.Reason // the word of runtime spec §19, where it has one
	Text   string       // in the words of an API server, the field included
	Hint   string       // what to do, where that can be said

	input    int  // which input of the load it is about
	afterAll bool // it is about the other problems of the object
}

// String renders a problem on one line, without its hint.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Column > 0 {
		fmt.Fprintf(&b, ":%d", p.Column)
	}
	fmt.Fprintf(&b, ": %s", p.Text)
	return b.String()
}

// Problems are all that is wrong with the manifests of one load, by file and line. It is
// the cause of the *fault.Error that Load returns.
type Problems []Problem

// Error renders one problem a line, each with its hint unless there is only one: that one's
// hint is the hint of the error.
func (p Problems) Error() string {
	if len(p) == 1 {
		return p[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems", len(p))
	for _, problem := range p {
		fmt.Fprintf(&b, "\n  %s", problem)
		if problem.Hint != "" {
			fmt.Fprintf(&b, " (%s)", problem.Hint)
		}
	}
	return b.String()
}

// refusal returns the error for problems, or nil if there are none.
func refusal(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.input != b.input {
			return a.input - b.input
		}
		if a.afterAll != b.afterAll {
			if a.afterAll {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool { return a == b })
	hint := problems[0].Hint
	if len(problems) > 1 || hint == "" {
		hint = "fields and rules of each kind: docs/reference/api.md"
	}
	return fault.New(fault.InvalidPipeline, problems[0].Reason, "", "%s", subject(problems)).
		WithCause(Problems(problems)).WithHint("%s", hint)
}

// subject names what has the problems.
func subject(problems []Problem) string {
	objects := map[string]bool{}
	for _, p := range problems {
		objects[p.Object] = true
	}
	if len(objects) == 1 && problems[0].Object != "" {
		return problems[0].Object
	}
	return "manifests"
}

// problem returns a problem with a field of the document.
func (d *document) problem(field string, reason fault.Reason, text, hint string) Problem {
	line, column := d.locate(field)
	if line == 0 {
		line = d.firstLine
	}
	return Problem{
		File: d.input.Name, Line: line, Column: column, Field: field, input: d.order,
		Reason: reason, Text: printable(text), Hint: printable(hint),
	}
}

// problemAtLine returns a problem with a line of the document, as a parser gives it.
func (d *document) problemAtLine(line string, reason fault.Reason, text, hint string) Problem {
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 {
		n = 1
	}
	return Problem{
		File: d.input.Name, Line: d.firstLine + n - 1, input: d.order,
		Reason: reason, Text: printable(text), Hint: hint,
	}
}

// printable escapes what could break a line or command a terminal: keys and values of a
// manifest are quoted in messages.
func printable(text string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
