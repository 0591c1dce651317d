// Package diagnostic holds the one shape of a finding (runtime spec §15), whether an
// engine or the runtime itself made it.
package diagnostic

// Severity of a diagnostic.
type Severity string

// The severities of spec §15. Any error makes a run's result not ok (spec §18).
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Diagnostic is one finding. Path is a workspace path or empty; EngineID is empty for
// the runtime's own. Line, Column, EndLine and EndColumn count from 1; 0 is absent.
type Diagnostic struct {
	Path       string   `json:"path,omitempty"`
	Severity   Severity `json:"severity"`
	Message    string   `json:"message"`
	Rule       string   `json:"rule,omitempty"`
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	EndLine    int      `json:"endLine,omitempty"`
	EndColumn  int      `json:"endColumn,omitempty"`
	EngineID   string   `json:"engineId,omitempty"`
	OutOfScope bool     `json:"outOfScope,omitempty"`

	// Reason, Count, Paths and Restored are set by the runtime only: the word that
	// its spec section gives, how many paths are concerned, the first ten of them in
	// order, and whether a violation was undone (spec §13.10).
	Reason   string   `json:"reason,omitempty"`
	Count    int      `json:"count,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	Restored *bool    `json:"restored,omitempty"`
}

// MaxListed is how many paths a summarising diagnostic lists (spec §8.7, §9.3).
const MaxListed = 10

// Listed returns the first MaxListed of sorted paths, never sharing memory with it.
func Listed(sorted []string) []string {
	return append([]string(nil), sorted[:min(len(sorted), MaxListed)]...)
}
