package report

import "github.com/fettle-dev/fettle/internal/diagnostic"

// Totals are the numbers of a run's last line.
type Totals struct {
	Files, Added, Removed      int
	Errors, Warnings, Findings int // Findings: diagnostics of engines, of whatever severity
}

// Totals adds up changes and diagnostics.
func (r Report) Totals() Totals {
	t := Totals{Files: len(r.Changes)}
	for _, c := range r.Changes {
		t.Added += c.LinesAdded
		t.Removed += c.LinesRemoved
	}
	for _, d := range r.Diagnostics {
		switch d.Severity {
		case diagnostic.Error:
			t.Errors++
		case diagnostic.Warning:
			t.Warnings++
		case diagnostic.Info:
		}
		if d.EngineID != "" {
			t.Findings++
		}
	}
	return t
}
