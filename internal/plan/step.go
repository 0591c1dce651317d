package plan

import (
	"encoding/json"

	"github.com/fettle-dev/fettle/internal/engine"
)

// Kind is the name of a step as authors write it.
type Kind string

// The steps of spec §8.1.
const (
	KindReadLines  Kind = "readLines"
	KindEdit       Kind = "edit"
	KindApplyPatch Kind = "applyPatch"
	KindBlocks     Kind = "blocks"
	KindWrite      Kind = "write"
	KindFormat     Kind = "format"
	KindLint       Kind = "lint"
	KindCheck      Kind = "check"
	KindRun        Kind = "run"
	KindPublish    Kind = "publish"
)

// Capability returns the kind of capability that the step selects among engines, if it
// does: a run step brings its own tool.
func (k Kind) Capability() (kind engine.Kind, selects bool) {
	switch k {
	case KindFormat:
		return engine.Format, true
	case KindLint:
		return engine.Lint, true
	case KindCheck:
		return engine.Check, true
	default:
		return "", false
	}
}

// StartsTools reports whether the step gives the tree to tools, instead of changing the
// workspace itself.
func (k Kind) StartsTools() bool {
	_, selects := k.Capability()
	return selects || k == KindRun
}

// Args are the arguments of a step: exactly one of ReadLines, Edit, ApplyPatch, Blocks,
// Write, Format, Lint, Check, Run and Publish, by value. Its JSON form is what an author
// writes, and what a gate shows as args (spec §10.2).
type Args interface {
	Kind() Kind
	sealed()
}

// ReadLines reads lines of one file (spec §8.2).
type ReadLines struct {
	Path  string `json:"path"`            // a workspace key exactly as written
	Start int    `json:"start"`           // from 1
	End   *int   `json:"end,omitempty"`   // at least 1; nil is the last line
	Label string `json:"label,omitempty"` // "" is Path
}

// Edit replaces text in one file (spec §8.3).
type Edit struct {
	Path  string        `json:"path"` // a workspace key exactly as written
	Edits []Replacement `json:"edits"`
}

// Replacement is one edit of an Edit step.
type Replacement struct {
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// ApplyPatch applies a patch envelope (spec §8.4).
type ApplyPatch struct {
	Patch string `json:"patch"`
}

// Blocks commits the file blocks of a message (spec §8.5): of Message, or of what
// MessageFrom names. The rest is the blocks package's.
type Blocks struct {
	Message      *string         `json:"message,omitempty"`
	MessageFrom  json.RawMessage `json:"messageFrom,omitempty"`
	Observations json.RawMessage `json:"observations,omitempty"`
	EditFormat   string          `json:"editFormat,omitempty"`
	Newline      string          `json:"newline,omitempty"`
	Limits       json.RawMessage `json:"limits,omitempty"`
}

// Write saves the workspace to disk (spec §16). Nil paths save everything.
type Write struct {
	Paths []string `json:"paths,omitempty"`
}

// Format runs formats over the selected paths. Nil paths select the whole workspace.
type Format struct {
	Paths []string `json:"paths,omitempty"`
}

// Lint runs lints over the selected paths, fixing what they find if Fix.
type Lint struct {
	Paths []string `json:"paths,omitempty"`
	Fix   bool     `json:"fix,omitempty"`
}

// Check runs checks over the workspace as it is on disk (spec §8.9).
type Check struct{}

// Run runs a tool of the pipeline's own as one InPlace invocation (spec §8.7).
type Run struct {
	engine.RunDeclaration
	Paths []string `json:"paths,omitempty"`
}

// Publish hands the workspace to a publisher, whose affair its arguments are (spec §8.5).
type Publish struct {
	Config json.RawMessage
}

// MarshalJSON writes the arguments as they were given.
func (p Publish) MarshalJSON() ([]byte, error) {
	if len(p.Config) == 0 {
		return []byte("{}"), nil
	}
	return p.Config, nil
}

// Kind names the step.
func (ReadLines) Kind() Kind { return KindReadLines }

// Kind names the step.
func (Edit) Kind() Kind { return KindEdit }

// Kind names the step.
func (ApplyPatch) Kind() Kind { return KindApplyPatch }

// Kind names the step.
func (Blocks) Kind() Kind { return KindBlocks }

// Kind names the step.
func (Write) Kind() Kind { return KindWrite }

// Kind names the step.
func (Format) Kind() Kind { return KindFormat }

// Kind names the step.
func (Lint) Kind() Kind { return KindLint }

// Kind names the step.
func (Check) Kind() Kind { return KindCheck }

// Kind names the step.
func (Run) Kind() Kind { return KindRun }

// Kind names the step.
func (Publish) Kind() Kind { return KindPublish }

func (ReadLines) sealed()  {}
func (Edit) sealed()       {}
func (ApplyPatch) sealed() {}
func (Blocks) sealed()     {}
func (Write) sealed()      {}
func (Format) sealed()     {}
func (Lint) sealed()       {}
func (Check) sealed()      {}
func (Run) sealed()        {}
func (Publish) sealed()    {}
