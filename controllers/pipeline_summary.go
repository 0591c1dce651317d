package controllers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/reasons"
)

// sumUp says in the status what the pipeline is up to.
func (p *pipelineState) sumUp() {
	p.status.ObservedGeneration = p.Generation
	if last := p.last(); last != nil {
		p.status.LatestRun = summaryOf(last)
	}
	ready, reconciling, stalled := p.verdict()
	p.set(v1alpha1.ConditionReady, ready.status, ready.reason, ready.message)
	for kind, on := range map[string]bool{v1alpha1.ConditionReconciling: reconciling, v1alpha1.ConditionStalled: stalled} {
		if on {
			p.set(kind, metav1.ConditionTrue, ready.reason, ready.message)
		} else {
			meta.RemoveStatusCondition(&p.status.Conditions, kind)
		}
	}
}

func (p *pipelineState) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&p.status.Conditions, metav1.Condition{
		Type: kind, Status: status, ObservedGeneration: p.Generation, LastTransitionTime: metav1.NewTime(p.now),
		Reason: reason, Message: outcome.Cut(message, 1024),
	})
}

// verdict is a condition in the making.
type verdict struct {
	status          metav1.ConditionStatus
	reason, message string
}

// verdict says whether the pipeline is as it should be: it can run, and its latest run did
// what it should; while one runs that isn't known. A suspended one is as it was asked to
// be, so that whoever waits for its health doesn't wait for ever.
func (p *pipelineState) verdict() (ready verdict, reconciling, stalled bool) {
	active, latest := p.active(), p.status.LatestRun
	switch {
	case p.refusal.Reason != "":
		return verdict{metav1.ConditionFalse, p.refusal.Reason, reasons.Say(p.refusal.Reason, p.refusal.Message)}, false, true
	case active != nil:
		c := succeededOf(active)
		return verdict{metav1.ConditionUnknown, c.Reason, fmt.Sprintf("run %s: %s", active.Name, wordsOf(c))}, true, false
	case p.Spec.Suspend:
		return verdict{metav1.ConditionTrue, v1alpha1.ReasonSuspended, reasons.Say(v1alpha1.ReasonSuspended, "the pipeline is suspended")}, false, false
	case latest == nil:
		return verdict{metav1.ConditionUnknown, v1alpha1.ReasonNeverRun, reasons.Say(v1alpha1.ReasonNeverRun, "")}, false, false
	}
	status := metav1.ConditionTrue
	if !wellDone(latest.Result) {
		status, stalled = metav1.ConditionFalse, true
	}
	return verdict{status, latest.Reason, p.told(latest)}, false, stalled
}

// told is what there is to say of the latest run: its own words, or, when it has been
// forgotten, those that were said last.
func (p *pipelineState) told(latest *v1alpha1.RunSummary) string {
	if last := p.last(); last != nil {
		return fmt.Sprintf("run %s: %s", last.Name, wordsOf(succeededOf(last)))
	}
	if c := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ConditionReady); c != nil && c.Reason == latest.Reason {
		return c.Message
	}
	return fmt.Sprintf("run %s: %s", latest.Name, reasons.Of(latest.Reason).Means)
}

func wordsOf(c metav1.Condition) string {
	if c.Message != "" {
		return c.Message
	}
	return reasons.Of(c.Reason).Means
}

// summaryOf is what a pipeline's status says of a run.
func summaryOf(run *v1alpha1.DevPipelineRun) *v1alpha1.RunSummary {
	s := &v1alpha1.RunSummary{
		Name: v1alpha1.ObjectName(run.Name), UID: string(run.UID), Generation: run.Spec.PipelineRef.Generation,
		StartTime: run.Status.StartTime, CompletionTime: run.Status.CompletionTime,
		Result: run.Status.Result, Accounting: run.Status.Accounting,
	}
	if run.Status.CompletionTime != nil {
		s.Reason = succeededOf(run).Reason
	}
	return s.DeepCopy()
}
