package reread

import (
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
