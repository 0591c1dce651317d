package adapter

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// patternReader reads lines that an engine's own expression matches. A severity that is
// absent or says nothing known is an error: what a tool complains of isn't played down.
type patternReader struct {
	pattern   *regexp.Regexp
	collector *collector
}

func (p *patternReader) line(text string) {
	m := p.pattern.FindStringSubmatch(text)
	if m == nil {
		return
	}
	f := diagnostic.Diagnostic{Severity: diagnostic.Error}
	for i, name := range p.pattern.SubexpNames() {
		// Of several groups of one name, the alternatives, the one that matched counts.
		if m[i] == "" {
			continue
		}
		switch name {
		case "path":
			f.Path = m[i]
		case "line":
			f.Line = number(m[i])
		case "column":
			f.Column = number(m[i])
		case "endLine":
			f.EndLine = number(m[i])
		case "endColumn":
			f.EndColumn = number(m[i])
		case "severity":
			if sev, ok := severity(m[i]); ok {
				f.Severity = sev
			}
		case "message":
			f.Message = m[i]
		case "rule":
			f.Rule = m[i]
		}
	}
	if strings.TrimSpace(f.Message) == "" {
		return
	}
	p.collector.add(f)
}

func (p *patternReader) end() {}
