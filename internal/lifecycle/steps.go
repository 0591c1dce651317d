package lifecycle

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// maxStepMessage is the size of the message of the one step that failed.
const maxStepMessage = 512

// steps says how far each step is: those before the one that the run is at have been
// done, those after it haven't.
func (d *decider) steps() {
	d.Status.Steps = nil
	if d.Status.StartTime == nil {
		return
	}
	at := d.at()
	changed := d.changed()
	for i, step := range d.Run.Spec.Plan.Steps {
		s := v1alpha1.StepStatus{Name: step.Name, State: d.stateOf(i, at)}
		if i < len(changed) {
			s.Changed = changed[i]
		}
		if s.State == v1alpha1.StepFailed {
			c := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.ConditionSucceeded)
			s.Reason, s.Message = c.Reason, outcome.Cut(c.Message, maxStepMessage)
		}
		d.Status.Steps = append(d.Status.Steps, s)
	}
}

// at is the index of the step that the run is at, -1 before the first.
func (d *decider) at() int {
	o := d.last()
	switch {
	case o != nil && o.FailedStep != nil:
		return int(*o.FailedStep)
	case d.Status.Pod != nil && d.Status.Pod.Invocation != nil:
		return int(d.Status.Pod.Invocation.Step)
	case o != nil && o.Next != nil:
		return int(o.Next.Step)
	case o != nil && o.Waiting != nil:
		return d.indexOf(o.Waiting.Step)
	default:
		return -1
	}
}

func (d *decider) indexOf(name v1alpha1.StepName) int {
	for i, s := range d.Run.Spec.Plan.Steps {
		if s.Name == name {
			return i
		}
	}
	return -1
}

// last is what a sidecar said last.
func (d *decider) last() *v1alpha1.RunOutcome {
	if d.heardLast != nil {
		return d.heardLast
	}
	return d.Run.Status.Outcome
}

func (d *decider) changed() []int64 {
	if o := d.last(); o != nil {
		return o.Changed
	}
	return nil
}

func (d *decider) stateOf(i, at int) v1alpha1.StepState {
	over := d.Status.CompletionTime != nil
	switch {
	case over && succeeded(d.Status.Result), i < at:
		return v1alpha1.StepSucceeded
	case over && i == at:
		return v1alpha1.StepFailed
	case over:
		return v1alpha1.StepSkipped
	case i == at && d.Status.Gate != nil:
		return v1alpha1.StepAwaitingApproval
	case i == at && cmp.Or(d.progress.Reason, v1alpha1.ReasonRunning) != v1alpha1.ReasonPaused:
		return v1alpha1.StepRunning
	default:
		return v1alpha1.StepPending
	}
}
