// Package report is the whole account of a run (runtime spec §18) and its forms: text for
// people, JSON for programs, gzipped JSON lines for keeping. It is pure; it never reads a
// tree, and it never decides anything.
package report

import "github.com/fettle-dev/fettle/internal/diagnostic"

// Version names the format. A reader refuses any other.
const Version = "fettle.dev/report/v1"

// Report is what a run leaves behind, whatever became of it. Times are milliseconds.
type Report struct {
	Version        string   `json:"version"`
	Run            string   `json:"run"`
	Pipeline       string   `json:"pipeline"`
	DryRun         bool     `json:"dryRun,omitempty"` // worked on a copy: the tree is untouched
	StartedAt      string   `json:"startedAt"`        // RFC 3339
	DurationMillis int64    `json:"durationMillis"`
	OK             bool     `json:"ok"`
	Error          *Failure `json:"error,omitempty"`
	Waiting        *Waiting `json:"waiting,omitempty"` // the run hasn't ended: a gate needs a decision
	Next           *Next    `json:"next,omitempty"`    // the run hasn't ended: another process has to go on

	Acquisition Acquisition  `json:"acquisition"`
	Steps       []Step       `json:"steps"`
	Invocations []Invocation `json:"invocations,omitempty"`

	Changes       []Change                `json:"changes"`
	Diagnostics   []diagnostic.Diagnostic `json:"diagnostics"`
	Identity      []Note                  `json:"identity,omitempty"`
	Discrepancies []Discrepancy           `json:"discrepancies,omitempty"`
	Strays        []Stray                 `json:"strays,omitempty"`
	Reads         map[string]string       `json:"reads,omitempty"`
	Written       []string                `json:"written,omitempty"`
	Unreadable    []string                `json:"unreadable,omitempty"`
	Withheld      []string                `json:"withheld,omitempty"`

	Diff string   `json:"diff,omitempty"` // unified, acquisition baseline to final workspace
	Cut  []string `json:"cut,omitempty"`  // what was left out to fit a limit, in words
}

// Failure is the error that ended a run (spec §19).
type Failure struct {
	Kind    string   `json:"kind"`
	Reason  string   `json:"reason,omitempty"`
	Path    string   `json:"path,omitempty"`
	Step    *int     `json:"step,omitempty"` // index from 0
	Engine  string   `json:"engine,omitempty"`
	Message string   `json:"message"`
	Cause   string   `json:"cause,omitempty"`
	Hint    string   `json:"hint,omitempty"`
	Written []string `json:"written,omitempty"`
}

// Waiting says which gate a run waits at (spec §10).
type Waiting struct {
	Step   int    `json:"step"` // index from 0; -1 is the acquisition
	Name   string `json:"name"`
	Digest string `json:"digest"` // what an approval must name
}

// Next says which invocation a run stopped before, because another process serves it.
type Next struct {
	Step       int    `json:"step"`  // index from 0
	Index      int    `json:"index"` // among the step's invocations
	Engine     string `json:"engine"`
	Kind       string `json:"kind"`
	Capability int    `json:"capability"`
	ReadOnly   bool   `json:"readOnly"`
}

// Acquisition says what the run took in (spec §9) and what it left (spec §5.7).
type Acquisition struct {
	Files          int    `json:"files"`
	Skipped        []Skip `json:"skipped,omitempty"`
	Excluded       Counts `json:"excluded"`
	Gitignored     Counts `json:"gitignored"`
	DurationMillis int64  `json:"durationMillis"`
}

// Skip counts matches that weren't admitted, by reason (spec §9.3).
type Skip struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Counts of what enumeration left out.
type Counts struct {
	Files       int `json:"files"`
	Directories int `json:"directories"`
}

// The states of a step.
const (
	StepSucceeded = "Succeeded"
	StepFailed    = "Failed"
	StepNotRun    = "NotRun"  // an earlier step ended the run
	StepSkipped   = "Skipped" // the caller asked for another step only
)

// Step is the account of one step of the plan.
type Step struct {
	Index          int        `json:"index"`
	Name           string     `json:"name,omitempty"`
	Action         string     `json:"action"`           // edit, write, lint, …
	Target         string     `json:"target,omitempty"` // the path of a readLines or edit
	State          string     `json:"state"`
	Changed        int        `json:"changed"` // files whose content, path or existence the step changed
	Written        int        `json:"written"` // disk operations of a write
	Skips          []StepSkip `json:"skips,omitempty"`
	DurationMillis int64      `json:"durationMillis"`
}

// StepSkip says which files a step had no engine for, and why (spec §8.7).
type StepSkip struct {
	Group  string `json:"group"` // extension group
	Reason string `json:"reason"`
	Engine string `json:"engine,omitempty"`
	Files  int    `json:"files"`
}

// How an invocation ended (spec §8.10, §12.6).
const (
	EndedOK          = "ok"
	EndedEngineError = "engine-error"
	EndedDeadline    = "deadline"
	EndedCrash       = "crash"
	EndedCancelled   = "cancelled"
)

// Invocation is the account of one capability applied to the paths of one step.
type Invocation struct {
	Step           int          `json:"step"`
	Engine         string       `json:"engine"`
	Kind           string       `json:"kind"` // format, lint, check, run
	Capability     int          `json:"capability"`
	Ended          string       `json:"ended"`
	ReadOnly       bool         `json:"readOnly,omitempty"`
	Attempts       int          `json:"attempts"`
	Files          int          `json:"files"`   // paths given
	Changed        int          `json:"changed"` // paths that the re-read found changed
	Findings       int          `json:"findings"`
	Containment    *Containment `json:"containment,omitempty"`
	Version        string       `json:"version,omitempty"`
	ImageDigest    string       `json:"imageDigest,omitempty"`
	ExitCode       *int         `json:"exitCode,omitempty"`
	Signal         string       `json:"signal,omitempty"`
	LeftProcesses  int          `json:"leftProcesses,omitempty"` // what outlived the tool and was killed
	DurationMillis int64        `json:"durationMillis"`
	Usage          *Usage       `json:"usage,omitempty"`
	Stdout         *Tail        `json:"stdout,omitempty"`
	Stderr         *Tail        `json:"stderr,omitempty"`
}

// Containment is what was in force for an invocation (spec §12.5).
type Containment struct {
	Kind    string   `json:"kind"`
	Roots   []string `json:"roots,omitempty"`
	Exceeds bool     `json:"exceeds"`
}

// Usage is what the tool's processes used.
type Usage struct {
	UserMillis   int64 `json:"userMillis"`
	SystemMillis int64 `json:"systemMillis"`
	MaxRSSKiB    int64 `json:"maxRSSKiB"`
}

// Tail is the end of an output. It is content: it goes into reports only.
type Tail struct {
	Text    string `json:"text"`
	Dropped int64  `json:"dropped,omitempty"` // bytes before Text
}

// Change is one row of the accounting (spec §17.3).
type Change struct {
	Path         string `json:"path"`
	Kind         string `json:"kind"` // added, modified, renamed, deleted
	From         string `json:"from,omitempty"`
	LinesAdded   int    `json:"linesAdded"`
	LinesRemoved int    `json:"linesRemoved"`
	BytesBefore  int64  `json:"bytesBefore"`
	BytesAfter   int64  `json:"bytesAfter"`
	Class        string `json:"class,omitempty"`   // eolOnly, whitespaceOnly
	Inexact      bool   `json:"inexact,omitempty"` // line counts aren't minimal: too large to compare
}

// Note is one identity note (spec §13.8).
type Note struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Discrepancy holds the non-empty sets of one advisory comparison (spec §14).
type Discrepancy struct {
	Step                int      `json:"step"`
	Engine              string   `json:"engine"`
	ClaimedUnchanged    []string `json:"claimedUnchanged,omitempty"`
	ChangedUnclaimed    []string `json:"changedUnclaimed,omitempty"`
	ClaimedUnauthorized []string `json:"claimedUnauthorized,omitempty"`
	Unparseable         []string `json:"unparseable,omitempty"`
}

// Stray is a workspace file that moved on disk outside every re-read (spec §13.9).
type Stray struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}
