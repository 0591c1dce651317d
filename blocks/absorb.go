package blocks

import (
	"fmt"
	"strings"
)

// AbsorbReport is what became of an absorption of local work (§ 29.8).
type AbsorbReport struct {
	Status       Status // committed, unchanged (nothing was taken) or failed
	Commit       string // empty: null
	RepoRevision string // empty: null
	Run          string // the pipeline run whose work it is, empty for a person's
	Results      []AbsorbResult
	Left         []AbsorbLeft
	Errors       []Error
	LocalDrift   []Drift
	DryRun       bool // nothing was published; not part of the JSON form
}

// OK reports whether the absorption did what was asked, as far as it could.
func (r *AbsorbReport) OK() bool { return r.Status.OK() }

// AbsorbResult is a path whose bytes were taken.
type AbsorbResult struct {
	Path            string
	Status          ResultStatus // created, updated or deleted
	FileVersion     string       // the version taken
	ExpectedVersion string       // the one it replaces
	Added, Removed  int          // lines (§ 6.4); not part of the JSON form
}

// AbsorbLeft is a path that was not taken.
type AbsorbLeft struct {
	Path            string
	Code            Code
	FileVersion     string // of the disk; empty: null, it may not be read
	ExpectedVersion string // as last written; empty: null
	TargetVersion   string // as published; empty: null
}

// AbsorbText renders an absorption for a person (§ 29.9).
func AbsorbText(r *AbsorbReport) string {
	var b strings.Builder
	for i, e := range r.Errors {
		fmt.Fprintf(&b, "%d. %s: %s\n    %s\n", i+1, quotePath(e.Path), oneLine(string(e.Code)), oneLine(either(e.Hint, e.Code.Hint())))
		if e.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", oneLine(e.Detail))
		}
	}
	for _, res := range r.Results {
		fmt.Fprintf(&b, "%s %s +%d -%d\n", res.Status, quotePath(res.Path), res.Added, res.Removed)
	}
	for _, l := range r.Left {
		fmt.Fprintf(&b, "left %s: %s: %s\n", quotePath(l.Path), oneLine(string(l.Code)), l.Code.Hint())
	}
	for _, d := range r.LocalDrift {
		fmt.Fprintf(&b, "local change left alone: %s\n", quotePath(d.Path))
	}
	switch {
	case r.Status == StatusFailed:
		b.WriteString("nothing was absorbed\n")
	case len(r.Results) == 0:
		b.WriteString("nothing to absorb\n")
	case r.DryRun:
		fmt.Fprintf(&b, "would absorb %d file(s)\n", len(r.Results))
	default:
		fmt.Fprintf(&b, "absorbed %d file(s) as %s\n", len(r.Results), short(r.Commit))
	}
	return b.String()
}
