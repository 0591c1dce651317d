package adapter

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// gnuReader reads lines as compilers print them:
//
//	path:line: message
//	path:line:column: severity: message
//	path:line.column-line.column: message, and parts of that
//
// Without a severity it is an error. Every other line is passed over.
type gnuReader struct {
	collector *collector
}

func newGNU(c *collector) lineReader { return &gnuReader{collector: c} }

// The path is as short as it can be, so that colons in a message aren't taken for it; a
// line that starts with space is what a tool says about the one before.
var gnuLine = regexp.MustCompile(`^(\S|\S.*?\S):(\d+)(?:[:.](\d+))?(?:-(?:(\d+)[:.])?(\d+))?:(?:\s(.*))?$`)

var gnuSeverity = regexp.MustCompile(`^([A-Za-z]+(?: error)?)\s*:\s+(.*)$`)

func (g *gnuReader) line(text string) {
	m := gnuLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	f := diagnostic.Diagnostic{Path: m[1], Severity: diagnostic.Error, Message: m[6], Line: number(m[2]), Column: number(m[3])}
	f.EndLine, f.EndColumn = number(m[4]), number(m[5])
	if m[3] == "" {
		f.EndLine, f.EndColumn = f.EndColumn, 0 // path:line-line
	}
	if s := gnuSeverity.FindStringSubmatch(f.Message); s != nil {
		// A single letter is too little to tell from the start of a sentence.
		if sev, ok := severity(s[1]); ok && len(s[1]) > 1 {
			f.Severity, f.Message = sev, s[2]
		}
	}
	if strings.TrimSpace(f.Message) == "" {
		return
	}
	g.collector.add(f)
}

func (g *gnuReader) end() {}
