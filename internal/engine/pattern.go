package engine

import (
	"regexp"

	"github.com/fettle-dev/fettle/internal/fault"
)

// maxPattern bounds an expression in bytes, and so what it costs to match a line.
const maxPattern = 1024

// CompilePattern compiles the expression of FormatPattern: RE2, matched against each line,
// with a group named message and any of path, line, column, endLine, endColumn, severity,
// rule. Errors are *fault.Error of kind InvalidPipeline: bound, type or unknown-key.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
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
