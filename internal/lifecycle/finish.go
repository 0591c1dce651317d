package lifecycle

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
	"github.com/fettle-dev/fettle/internal/reasons"
)

// maxMessage is the size of a condition's message.
const maxMessage = 1024

// finish ends the run. What was made for it is cleaned up once that is written.
func (d *decider) finish(result v1alpha1.RunResult, reason, message string) bool {
	now := metav1.NewTime(d.Now)
	d.Status.CompletionTime, d.Status.Result = &now, result
	d.Status.HeldSince, d.Status.Gate = nil, nil
	d.Act, d.After = CleanUp, 0
	if d.Run.DeletionTimestamp != nil {
		d.Act = Complete
	}
	d.progress = Refusal{reason, message}
	return true
}

// describe writes conditions and steps: what anybody reads first.
func (d *decider) describe() {
	d.Status.ObservedGeneration = d.Run.Generation
	d.Status.Conditions = d.Run.DeepCopy().Status.Conditions
	if d.Status.Report == nil && d.Status.StartTime != nil {
		d.Status.Report = &v1alpha1.ReportReference{Name: v1alpha1.ObjectName(pods.ReportName(d.Run))}
	}
	if d.progress.Reason != "" || d.succeeded() == nil || d.succeeded().Status == metav1.ConditionUnknown {
		d.condition()
		d.steps()
	}
	meta.RemoveStatusCondition(&d.Status.Conditions, v1alpha1.ConditionWaiting)
	if d.waiting {
		d.set(v1alpha1.ConditionWaiting, metav1.ConditionTrue, d.progress)
	}
}

// condition sets Succeeded. It is Unknown while the run goes on.
func (d *decider) condition() {
	status := metav1.ConditionUnknown
	told := d.progress
	switch {
	case d.Status.CompletionTime == nil:
	case succeeded(d.Status.Result):
		status = metav1.ConditionTrue
		told.Reason = string(d.Status.Result)
		told.Message = cmp.Or(told.Message, d.sum())
	default:
		status = metav1.ConditionFalse
		told.Reason = cmp.Or(told.Reason, v1alpha1.ReasonStepFailed)
	}
	if told.Reason == "" {
		told.Reason = v1alpha1.ReasonPending
	}
	d.set(v1alpha1.ConditionSucceeded, status, told)
}

func (d *decider) set(kind string, status metav1.ConditionStatus, told Refusal) {
	meta.SetStatusCondition(&d.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, ObservedGeneration: d.Run.Generation, LastTransitionTime: metav1.NewTime(d.Now),
		Reason: told.Reason, Message: outcome.Cut(reasons.Say(told.Reason, told.Message), maxMessage),
	})
}

// told is a condition's message without the hint that its reason adds.
func told(message, reason string) string {
	return strings.TrimSuffix(message, ": "+reasons.Of(reason).Do)
}

func (d *decider) succeeded() *metav1.Condition {
	return meta.FindStatusCondition(d.Run.Status.Conditions, v1alpha1.ConditionSucceeded)
}

// sum says in a few words what a run changed.
func (d *decider) sum() string {
	a := d.Status.Accounting
	if a == nil {
		return ""
	}
	files := "files"
	if a.Changed.Files == 1 {
		files = "file"
	}
	return fmt.Sprintf("%d of %d acquired, %s changed: +%d -%d lines", a.Changed.Files, a.Acquired, files, a.Changed.LinesAdded, a.Changed.LinesRemoved)
}

// underway says what the run is at.
func (d *decider) underway() (reason, message string) {
	p := d.Status.Pod
	switch {
	case p.Entry == outcome.Recover:
		return v1alpha1.ReasonRecovering, fmt.Sprintf("a Pod looks at what was done, because: %s", cmp.Or(p.Message, p.Reason))
	case p.Invocation != nil:
		message = d.naming(p.Invocation)
	default:
		message = "the source is brought in, and the steps before the first tool are done"
	}
	if p.Attempt > 1 {
		message += fmt.Sprintf(" (Pod %d)", p.Attempt)
	}
	return v1alpha1.ReasonRunning, message
}

// naming names an invocation for people.
func (d *decider) naming(next *v1alpha1.NextInvocation) string {
	steps := d.Run.Spec.Plan.Steps
	if next == nil || int(next.Step) >= len(steps) || next.Step < 0 {
		return "a tool"
	}
	name := fmt.Sprintf("step %d of %d, %s", next.Step+1, len(steps), steps[next.Step].Name)
	if next.Engine != "" {
		name += ": " + next.Engine
	}
	return name
}
