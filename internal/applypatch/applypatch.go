// Package applypatch is the pure half of the step applyPatch (runtime spec §8.4): it
// parses an envelope into operations, and applies the hunks of one to a decoded text.
//
// It refuses what isn't exactly the format, paths that aren't strictly relative, and
// hunks that don't match exactly one place. It never touches a workspace: whether a file
// is there, and that a patch applies whole or not at all, is its caller's to see to.
package applypatch

import "github.com/fettle-dev/fettle/internal/text"

// Kind is what an operation does.
type Kind uint8

// The kinds of operations.
const (
	Add    Kind = iota + 1 // Path comes to hold Text
	Delete                 // Path goes
	Update                 // Hunks are applied to Path; then it moves to MoveTo, if that is set
)

// Operation is one section of a patch. Paths are workspace paths.
type Operation struct {
	Kind   Kind
	Path   string
	Text   string // of Add: lines, each ended by LF
	MoveTo string // of Update
	Hunks  []Hunk // of Update; none if it only moves
}

// Hunk is a change of consecutive lines; some line of it adds or removes.
type Hunk struct {
	Lines []Line
	At    int // line of the patch that it starts in, from 1
}

// Line is one line of a hunk, without mark and terminator.
type Line struct {
	Mark Mark
	Text string
}

// Mark is the first character of a hunk's line.
type Mark byte

// The marks.
const (
	Context Mark = ' '
	Removed Mark = '-'
	Added   Mark = '+'
)

const marks = " -+"

// Parse returns the operations of a patch, at least one, in order. Errors are
// *fault.Error: BadArgument malformed-patch with the line, or PathRefused with the class
// of the strict door, for paths of at most maxDepth segments.
func Parse(patch string, maxDepth int) ([]Operation, error) {
	p := &parser{maxDepth: maxDepth}
	for line := range text.Lines(patch) {
		p.lines = append(p.lines, text.Content(line))
	}
	p.skipBlank()
	if !p.take(beginPatch) {
		return nil, p.malformed("a patch starts with %s", beginPatch)
	}
	var ops []Operation
	for {
		p.skipBetween()
		if len(ops) > 0 && p.take(endPatch) {
			break
		}
		op, err := p.section()
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	p.skipBlank()
	if !p.done() {
		return nil, p.malformed("nothing follows %s", endPatch)
	}
	return ops, nil
}
