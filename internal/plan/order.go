package plan

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
)

// order judges what stands unsaved before steps that see the disk: an error where the
// plan alone decides that a check would fail (spec §8.9), else a warning (spec §8.10).
func (p Plan) order(r Rules) ([]Warning, error) {
	var warnings []Warning
	edited, unsaved := none, none
	for i, step := range p.Steps {
		if step.Kind() == KindCheck && edited != none {
			return nil, fault.InStep(p.unsavedCheck(edited), i, step.Name)
		}
		if unsaved != none && inPlace(step.Args, r.Engines) {
			warnings = append(warnings, Warning{Step: i, After: unsaved, Message: p.unsavedWarning(i, unsaved)})
		}
		switch {
		case step.Kind() == KindWrite:
			edited, unsaved = none, none
		case edits(step.Args):
			edited, unsaved = i, i
		case mayEdit(step.Args, r.Engines):
			unsaved = i
		}
	}
	return warnings, nil
}

// none is the index of no step.
const none = -1

// edits reports whether a step of ours leaves changes in memory.
func edits(args Args) bool {
	switch args.(type) {
	case Edit, ApplyPatch, Blocks:
		return true
	default:
		return false
	}
}

// mayEdit reports whether a capability that answers in memory may leave changes there.
func mayEdit(args Args, engines *engine.Registry) bool {
	switch a := args.(type) {
	case Format:
		return engines.Has(engine.Format, engine.Filter, engine.Delta)
	case Lint:
		return a.Fix && engines.Has(engine.Lint, engine.Filter, engine.Delta)
	default:
		return false
	}
}

// inPlace reports whether a step may give the disk to a tool.
func inPlace(args Args, engines *engine.Registry) bool {
	switch args.(type) {
	case Run, Check:
		return true
	case Format:
		return engines.Has(engine.Format, engine.InPlace)
	case Lint:
		return engines.Has(engine.Lint, engine.InPlace)
	default:
		return false
	}
}

// Unsaved is the cause of a refusal with the reason unsaved: the nearest step before the
// check that leaves changes in memory.
type Unsaved struct {
	After fault.Step
}

// Error says what would be missing on disk.
func (u *Unsaved) Error() string {
	return fmt.Sprintf("what step %d %s changes would still be in memory", u.After.Index+1, u.After.Name)
}

func (p Plan) unsavedCheck(after int) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonUnsaved, "", "a check sees the disk only").
		WithCause(&Unsaved{After: fault.Step{Index: after, Name: p.Steps[after].Name}}).
		WithHint("put a write step between them")
}

func (p Plan) unsavedWarning(step, after int) string {
	return fmt.Sprintf("step %d %s works on disk and is kept from every file that step %d %s changes in memory: put a write step between them",
		step+1, p.Steps[step].Name, after+1, p.Steps[after].Name)
}
