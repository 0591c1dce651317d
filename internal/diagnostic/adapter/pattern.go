package adapter

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
)

// maxPattern bounds an expression in bytes, and so what it costs to match a line.
const maxPattern = 1024

// compile checks the expression of a Pattern: RE2, matched against each line, with a
// group named message and any of path, line, column, endLine, endColumn, severity, rule.
func compile(pattern string) (*regexp.Regexp, error) {
	const hint = "write an RE2 expression with named groups, such as (?P<path>[^:]+):(?P<line>[0-9]+): (?P<message>.*)"
	if pattern == "" || len(pattern) > maxPattern {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonBound, "", "a pattern of diagnostics has 1 to %d bytes, not %d", maxPattern, len(pattern)).WithHint(hint)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "the pattern of diagnostics is no regular expression").WithCause(err).WithHint(hint)
	}
	seen := map[string]bool{}
	for _, name := range re.SubexpNames() {
		switch name {
		case "":
			continue
		case "path", "line", "column", "endLine", "endColumn", "severity", "message", "rule":
		default:
			return nil, fault.New(fault.InvalidPipeline, fault.ReasonUnknownKey, "", "the pattern of diagnostics has a group named %q", name).WithHint(hint)
		}
		seen[name] = true
	}
	if !seen["message"] {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "the pattern of diagnostics has no group named message").WithHint(hint)
	}
	return re, nil
}

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
