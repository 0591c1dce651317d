package reread

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// OutcomeKind is what a re-read says about one path.
type OutcomeKind string

// The outcomes of spec §13.3.
const (
	DroppedAbsent           OutcomeKind = "dropped-absent"
	UnreadableClearedAbsent OutcomeKind = "unreadable-cleared-absent"
	Updated                 OutcomeKind = "updated"
	Unchanged               OutcomeKind = "unchanged"
	Recovered               OutcomeKind = "recovered"
	Unreadable              OutcomeKind = "unreadable"
	StillUnreadable         OutcomeKind = "still-unreadable"
	IgnoredPreexisting      OutcomeKind = "ignored-preexisting"
	Admitted                OutcomeKind = "admitted"
	NotAdmitted             OutcomeKind = "not-admitted"
	PolicyViolation         OutcomeKind = "policy-violation"
	Withheld                OutcomeKind = "withheld"
	MovedAway               OutcomeKind = "moved-away"
	Renamed                 OutcomeKind = "renamed"
)

// Outcome is what the re-read says about one path, which is as the disk has it.
type Outcome struct {
	Path string
	Kind OutcomeKind
}

// Note says that a known file came back in another form (spec §13.8). Kind is one of
// encoding, bom, eol, finalNewline, mode, owner and link.
type Note struct {
	Path   string
	Kind   string
	Before string
	After  string
}

// Violation is a change that the policy refuses (spec §13.10).
type Violation struct {
	Path     string
	Rule     string // of the verdict; its reason if no rule decided
	New      bool   // a new file, which isn't part of the changed set
	Restored bool   // it was undone
}

// Result is what a re-read found. Lists are sorted by path unless said otherwise.
type Result struct {
	// Workspace and Baselines are the reconciled ones; those before are untouched.
	Workspace *workspace.Workspace
	Baselines *workspace.Baselines

	Outcomes   []Outcome
	Changed    []string // the changed set of spec §14
	Notes      []Note   // kinds of one path in the order of spec §13.8
	Violations []Violation

	// Errors are the error diagnostics: those without path first, then by path.
	Errors []diagnostic.Diagnostic
	// Warnings are the one of spec §12.4 if depth blinded the re-read alone, and the
	// advisory one of spec §14.
	Warnings []diagnostic.Diagnostic
	// Advisory is nil where nothing was compared.
	Advisory *Advisory

	// Err is how the step fails on account of this invocation: StepFailed
	// policy-violation, or as the invocation ended; nil if it doesn't.
	Err *fault.Error
}

// allOutcomes merges the outcomes of what isn't clean with those of the rest.
func (r *round) allOutcomes(ignored []string) []Outcome {
	for i, o := range r.outcomes {
		if v := r.violations[o.Path]; v != nil && !v.New {
			r.outcomes[i].Kind = PolicyViolation
		}
	}
	slices.SortFunc(r.outcomes, compareOutcomes)
	all := merge(r.outcomes, outcomes(ignored, IgnoredPreexisting))
	all = merge(all, outcomes(r.p.Withheld, Withheld))
	return mergeMissing(all, r.p.known, Unchanged)
}

func compareOutcomes(a, b Outcome) int { return strings.Compare(a.Path, b.Path) }

func outcomes(paths []string, kind OutcomeKind) []Outcome {
	list := make([]Outcome, len(paths))
	for i, path := range paths {
		list[i] = Outcome{Path: path, Kind: kind}
	}
	return list
}

// merge merges two sorted lists.
func merge(a, b []Outcome) []Outcome {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]Outcome, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareOutcomes(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// mergeMissing adds the paths that have no outcome yet; both lists are sorted.
func mergeMissing(list []Outcome, paths []string, kind OutcomeKind) []Outcome {
	out := make([]Outcome, 0, len(list)+len(paths))
	for _, path := range paths {
		for len(list) > 0 && list[0].Path < path {
			out, list = append(out, list[0]), list[1:]
		}
		if len(list) == 0 || list[0].Path != path {
			out = append(out, Outcome{Path: path, Kind: kind})
		}
	}
	return append(out, list...)
}
