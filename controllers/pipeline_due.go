package controllers

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/pods"
)

// runsOf are the runs that name a pipeline by its UID, the latest first.
func runsOf(p *v1alpha1.DevPipeline, all []v1alpha1.DevPipelineRun) []v1alpha1.DevPipelineRun {
	var runs []v1alpha1.DevPipelineRun
	for _, run := range all {
		if run.Spec.PipelineRef.UID == string(p.UID) {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b v1alpha1.DevPipelineRun) int {
		if before(&a, &b) {
			return 1
		}
		return -1
	})
	return runs
}

// active is the run that hasn't ended, nil if all have. A run that is being deleted counts
// until it is gone.
func (p *pipelineState) active() *v1alpha1.DevPipelineRun {
	for i := range p.runs {
		if p.runs[i].Status.CompletionTime == nil {
			return &p.runs[i]
		}
	}
	return nil
}

// Annotations of runs that a pipeline starts. They say what a run was started for, so that
// a controller that was killed knows it.
const (
	annotationSpec = "fettle.dev/spec-digest" // of the pipeline's spec
	annotationCopy = "fettle.dev/copy-digest" // of what the run copied
)

// due is a run that is to be started. Its cause is zero if none is.
type due struct {
	cause   v1alpha1.Cause
	request string          // the annotation of the pipeline
	spec    v1alpha1.Digest // of the spec as it is now
	copied  v1alpha1.Digest // of what a run would copy now
	after   string          // the UID of the run before: tells runs of one cause apart
	started bool
}

// due finds the run that is to be started: one that was requested, one that a changed spec
// asks for, or one in place of a run that what it had copied was changed under.
func (p *pipelineState) due() (due, error) {
	spec, err := specDigest(p.Spec)
	if err != nil {
		return due{}, err
	}
	copied, err := digestOf(p.resolved.Plan, p.resolved.Engines, p.resolved.Policies)
	if err != nil {
		return due{}, err
	}
	d := due{spec: spec, copied: copied, request: outcome.Cut(p.Annotations[v1alpha1.AnnotationRequestedAt], 256)}
	if last := p.last(); last != nil {
		d.after = string(last.UID)
	} else if known := p.status.LatestRun; known != nil {
		d.after = known.UID
	}
	ours := p.lastOurs(func(*v1alpha1.DevPipelineRun) bool { return true })
	switch {
	case d.request != "" && !p.answered(d):
		d.cause = v1alpha1.Cause{Type: v1alpha1.CauseManual, Value: d.request}
	case !p.done(d):
		d.cause = v1alpha1.Cause{Type: v1alpha1.CauseSpecChange, Value: string(spec)}
	case ours != nil && outdone(ours) && ours.Annotations[annotationCopy] != string(copied):
		d.cause = ours.Spec.Cause
	}
	return d, nil
}

// last is the run that was made last.
func (p *pipelineState) last() *v1alpha1.DevPipelineRun {
	if len(p.runs) == 0 {
		return nil
	}
	return &p.runs[0]
}

// lastOurs is the run of some kind that was started last by the pipeline itself.
func (p *pipelineState) lastOurs(kind func(*v1alpha1.DevPipelineRun) bool) *v1alpha1.DevPipelineRun {
	for i := range p.runs {
		if run := &p.runs[i]; metav1.IsControlledBy(run, p.DevPipeline) && kind(run) {
			return run
		}
	}
	return nil
}

// answered says whether the request has been answered: the status says so, or a run does
// that nobody could tell it of.
func (p *pipelineState) answered(d due) bool {
	if d.request == p.status.LastHandledRequest {
		return true
	}
	run := p.lastOurs(func(run *v1alpha1.DevPipelineRun) bool { return run.Spec.Cause.Type == v1alpha1.CauseManual })
	return run != nil && run.Spec.Cause.Value == d.request
}

// done says whether a run has been started for the spec as it is.
func (p *pipelineState) done(d due) bool {
	if d.spec == p.status.LastHandledSpec {
		return true
	}
	run := p.lastOurs(func(*v1alpha1.DevPipelineRun) bool { return true })
	return run != nil && run.Annotations[annotationSpec] == string(d.spec)
}

// outdone says whether a run ended because what it had copied isn't so any more.
func outdone(run *v1alpha1.DevPipelineRun) bool {
	if run.Status.CompletionTime == nil {
		return false
	}
	c := succeededOf(run)
	return c.Reason == v1alpha1.ReasonPolicyChanged ||
		run.Status.StartTime == nil && run.Status.Result == v1alpha1.ResultFailed && c.Reason == v1alpha1.ReasonInvalidPipeline
}

// handle records what has been answered, by a run that was started now or before. Whatever
// a run was started for, it does what the spec says.
func (p *pipelineState) handle(d due) {
	if d.request != "" && (p.answered(d) || d.started && d.cause.Type == v1alpha1.CauseManual) {
		p.status.LastHandledRequest = d.request
	}
	if p.done(d) || d.started {
		p.status.LastHandledSpec = d.spec
	}
}

// specDigest is a digest over what a run does by a spec.
func specDigest(s v1alpha1.DevPipelineSpec) (v1alpha1.Digest, error) {
	return digestOf(s.Plan, s.Policy, s.Engines)
}

// newRun is the run of a pipeline for a cause.
func newRun(p *v1alpha1.DevPipeline, r pipeline.Resolved, d due) *v1alpha1.DevPipelineRun {
	run := &v1alpha1.DevPipelineRun{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineRun"},
		ObjectMeta: metav1.ObjectMeta{
			Name: pods.RunName(p, d.cause, d.after), Namespace: p.Namespace,
			Annotations: map[string]string{annotationSpec: string(d.spec), annotationCopy: string(d.copied)},
			Labels: map[string]string{
				"app.kubernetes.io/managed-by": pods.ManagedBy,
				v1alpha1.LabelPipeline:         p.Name,
				v1alpha1.LabelPipelineUID:      string(p.UID),
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipeline", Name: p.Name, UID: p.UID, Controller: new(true),
			}},
		},
		Spec: v1alpha1.DevPipelineRunSpec{
			DesiredState: v1alpha1.DesiredRunning,
			PipelineRef: v1alpha1.PipelineReference{
				Name:          v1alpha1.ObjectName(p.Name),
				ObjectVersion: v1alpha1.ObjectVersion{UID: string(p.UID), Generation: p.Generation},
			},
			Cause: d.cause, Plan: r.Plan, Engines: r.Engines, Policies: r.Policies,
		},
	}
	return run.DeepCopy() // what was resolved shares memory with the cache
}

// succeededOf is the condition Succeeded of a run, zero if it has none yet.
func succeededOf(run *v1alpha1.DevPipelineRun) metav1.Condition {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionSucceeded {
			return c
		}
	}
	return metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPending}
}
