package plan

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
)

// Rules is what a plan is judged against.
type Rules struct {
	Engines  *engine.Registry
	MaxDepth int             // segments of a path
	Lacks    map[Kind]string // steps that this build or driver doesn't implement, and what to do instead
}

// Warning says that the in-place step Step would be kept from files that the step After,
// the nearest before it, changed in memory (spec §8.10). Both are indices from 0.
type Warning struct {
	Step    int    `json:"step"`
	After   int    `json:"after"`
	Message string `json:"-"`
}

// Validate judges a whole plan before anything of it runs (spec §8.1): step by step the
// kind, the arguments, the engines it needs and whether it is implemented; then the order
// (spec §8.9). The first fault is returned as a *fault.Error that names the step.
func Validate(p Plan, r Rules) ([]Warning, error) {
	for i, step := range p.Steps {
		if err := step.validate(r); err != nil {
			return nil, fault.InStep(err, i, step.Name)
		}
	}
	return p.order(r)
}

func (s Step) validate(r Rules) error {
	if s.Args == nil {
		return fault.New(fault.UnknownStep, "", "", "it says not what to do").WithHint("name one of %s", knownKinds())
	}
	switch s.Gate {
	case "", GateNever, GateMutating, GateAlways:
	default:
		return fault.New(fault.BadArgument, fault.ReasonType, "", "the gate mode is %q", s.Gate).WithHint("write Never, Mutating or Always")
	}
	if err := validateArgs(s.Args, r); err != nil {
		return err
	}
	if err := enginesFor(s.Kind(), r.Engines); err != nil {
		return err
	}
	if hint, lacking := r.Lacks[s.Kind()]; lacking {
		return fault.New(fault.StepUnavailable, "", "", "%s isn't implemented here", s.Kind()).WithHint("%s", hint)
	}
	return nil
}

// enginesFor judges the engines of a step that needs some (spec §8.1).
func enginesFor(kind Kind, engines *engine.Registry) error {
	k, needs := kind.Capability()
	if !needs {
		return nil
	}
	if !engines.Has(k) {
		e := fault.New(fault.EngineRequired, "", "", "no engine of the pipeline declares %s", k.List())
		if holes := engines.Holes(k); len(holes) > 0 {
			e.Message = fmt.Sprintf("no engine of the pipeline can serve %s here: %s", k.List(), strings.Join(holes, "; "))
		}
		return e.WithHint("add an engine with %s to the pipeline's engines, or remove the step", k.List())
	}
	if what, found := engines.Unserved(k); found {
		return fault.New(fault.StepUnavailable, "", "", "%s isn't implemented here", what).
			WithHint("remove the capability or the step, or run the pipeline where it is implemented")
	}
	return nil
}
