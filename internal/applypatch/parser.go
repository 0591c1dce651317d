package applypatch

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// The markers of the format.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	deleteFile = "*** Delete File: "
	updateFile = "*** Update File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
	hunkStart  = "@@"
)

// parser stands before line at of a patch.
type parser struct {
	lines    []string
	at       int
	maxDepth int
}

func (p *parser) section() (Operation, error) {
	line := p.peek()
	switch {
	case strings.HasPrefix(line, addFile):
		return p.add()
	case strings.HasPrefix(line, deleteFile):
		path, err := p.path(deleteFile)
		return Operation{Kind: Delete, Path: path}, err
	case strings.HasPrefix(line, updateFile):
		return p.update()
	case line == endPatch:
		return Operation{}, p.malformed("a patch has at least one section")
	case p.done():
		return Operation{}, p.malformed("a patch ends with %s", endPatch)
	}
	return Operation{}, p.malformed("a section starts with %q, %q or %q", addFile, deleteFile, updateFile)
}

func (p *parser) add() (Operation, error) {
	path, err := p.path(addFile)
	if err != nil {
		return Operation{}, err
	}
	var content strings.Builder
	for strings.HasPrefix(p.peek(), "+") {
		content.WriteString(p.next()[1:] + "\n")
	}
	return Operation{Kind: Add, Path: path, Text: content.String()}, nil
}

func (p *parser) update() (Operation, error) {
	path, err := p.path(updateFile)
	if err != nil {
		return Operation{}, err
	}
	op := Operation{Kind: Update, Path: path}
	if strings.HasPrefix(p.peek(), moveTo) {
		if op.MoveTo, err = p.path(moveTo); err != nil {
			return Operation{}, err
		}
	}
	for strings.HasPrefix(p.peek(), hunkStart) {
		hunk, err := p.hunk()
		if err != nil {
			return Operation{}, err
		}
		op.Hunks = append(op.Hunks, hunk)
	}
	if op.MoveTo == "" && len(op.Hunks) == 0 {
		return Operation{}, p.malformed("an update has a %q or a hunk, which starts with %s", moveTo, hunkStart)
	}
	return op, nil
}

func (p *parser) hunk() (Hunk, error) {
	hunk := Hunk{At: p.at + 1}
	p.next()
	changes := false
	for p.peek() != "" && strings.IndexByte(marks, p.peek()[0]) >= 0 {
		line := p.next()
		mark := Mark(line[0])
		changes = changes || mark != Context
		hunk.Lines = append(hunk.Lines, Line{Mark: mark, Text: line[1:]})
	}
	if !changes {
		return Hunk{}, p.malformed("the hunk of line %d adds and removes nothing", hunk.At)
	}
	return hunk, nil
}

// path takes the path behind marker through the strict door.
func (p *parser) path(marker string) (string, error) {
	path, err := pathdoor.Strict(strings.TrimPrefix(p.next(), marker), p.maxDepth)
	if e := fault.As(err); e != nil {
		e.Message = fmt.Sprintf("line %d of the patch: %s", p.at, e.Message)
	}
	return path, err
}

func (p *parser) done() bool { return p.at == len(p.lines) }

// peek returns the next line, or "" at the end.
func (p *parser) peek() string {
	if p.done() {
		return ""
	}
	return p.lines[p.at]
}

func (p *parser) next() string {
	p.at++
	return p.lines[p.at-1]
}

func (p *parser) take(marker string) bool {
	if p.peek() != marker {
		return false
	}
	p.at++
	return true
}

func (p *parser) skipBlank() {
	for !p.done() && strings.TrimSpace(p.peek()) == "" {
		p.at++
	}
}

// skipBetween skips what may stand between sections.
func (p *parser) skipBetween() {
	p.skipBlank()
	for p.take(endOfFile) {
		p.skipBlank()
	}
}

func (p *parser) malformed(rule string, args ...any) *fault.Error {
	e := fault.New(fault.BadArgument, fault.ReasonMalformedPatch, "", rule, args...)
	e.Message = fmt.Sprintf("line %d of the patch: %s", p.at+1, e.Message)
	return e.WithHint("every line of a hunk starts with +, - or a space, an empty one too; see the format of applyPatch")
}
