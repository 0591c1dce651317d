package pods

import (
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// tool is what a fixer container runs.
type tool struct {
	step      string
	image     string
	command   []string
	resources v1alpha1.Resources
	mounts    bool // the tree
	readOnly  bool
}

// toolOf looks up an invocation in the run's copy of its pipeline.
func toolOf(run *v1alpha1.DevPipelineRun, next *v1alpha1.NextInvocation) (tool, error) {
	if next == nil {
		return tool{}, fmt.Errorf("run %s: an invocation that isn't told", run.Name)
	}
	steps := run.Spec.Plan.Steps
	if next.Step < 0 || int(next.Step) >= len(steps) {
		return tool{}, fmt.Errorf("run %s: step %d of %d", run.Name, next.Step, len(steps))
	}
	step := steps[next.Step]
	t := tool{step: string(step.Name), readOnly: next.ReadOnly, mounts: true}
	if next.Kind == v1alpha1.CapabilityRun {
		if step.Run == nil {
			return tool{}, fmt.Errorf("run %s: step %s runs no command", run.Name, step.Name)
		}
		t.image, t.resources = string(step.Run.Image), step.Run.Resources
		t.command = slices.Concat(step.Run.Command, step.Run.Args)
		t.mounts = step.Run.Access != v1alpha1.AccessFacade
		return t, nil
	}
	e, ok := engineOf(run, next.Engine)
	if !ok {
		return tool{}, fmt.Errorf("run %s: step %s: no engine %q", run.Name, step.Name, next.Engine)
	}
	if !t.of(e, next, step) {
		return tool{}, fmt.Errorf("run %s: step %s: engine %s has no %ss[%d]", run.Name, step.Name, e.Name, next.Kind, next.Capability)
	}
	t.image = string(e.Spec.Image)
	if e.Resources != (v1alpha1.Resources{}) {
		t.resources = e.Resources
	}
	return t, nil
}

func engineOf(run *v1alpha1.DevPipelineRun, name string) (v1alpha1.ResolvedEngine, bool) {
	for _, e := range run.Spec.Engines {
		if e.Name == name {
			return e, true
		}
	}
	return v1alpha1.ResolvedEngine{}, false
}

// of takes up a capability, and says whether there is one of that index.
func (t *tool) of(engine v1alpha1.ResolvedEngine, next *v1alpha1.NextInvocation, step v1alpha1.Step) bool {
	e, i := engine.Spec, int(next.Capability)
	var c v1alpha1.Capability
	switch {
	case i < 0:
		return false
	case next.Kind == v1alpha1.CapabilityFormat && i < len(e.Formats):
		c = e.Formats[i].Capability
		t.mounts = mounted(e.Formats[i].Mutation)
	case next.Kind == v1alpha1.CapabilityLint && i < len(e.Lints):
		c = e.Lints[i].Capability
		t.mounts = mounted(e.Lints[i].Mutation)
	case next.Kind == v1alpha1.CapabilityCheck && i < len(e.Checks):
		c = e.Checks[i].Capability
	default:
		return false
	}
	t.command = slices.Concat(c.Command, engine.Args)
	if next.Kind == v1alpha1.CapabilityLint && step.Lint != nil && step.Lint.Fix {
		t.command = append(t.command, e.Lints[i].FixArgs...)
	}
	t.resources = c.Resources
	return true
}

// mounted says whether a capability sees the tree: one that filters, answers with a delta
// or asks the façade doesn't.
func mounted(m v1alpha1.Mutation) bool {
	return m.Mode == v1alpha1.ModeInPlace && m.Access != v1alpha1.AccessFacade
}
