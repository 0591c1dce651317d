package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/pods"
)

// PipelineReconciler starts runs of pipelines and keeps their history.
type PipelineReconciler struct {
	client.Client
	Events events.EventRecorder
	Pods   pods.Config
	Now    func() time.Time
}

// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelines,verbs=get;list;watch
// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelines/status,verbs=get;patch
// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelineruns,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=fettle.dev,resources=devengines;devpolicies,verbs=get;list;watch

// Reconcile starts what is due, forgets what is old, and sums up.
func (r *PipelineReconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	object := &v1alpha1.DevPipeline{}
	if err := r.Get(ctx, req.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if object.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // its runs go with it
	}
	p := &pipelineState{DevPipeline: object, now: r.Now(), status: *object.Status.DeepCopy()}
	defer func() {
		if failed := r.summarise(ctx, p); failed != nil && err == nil {
			err = failed
		}
		if apierrors.IsConflict(err) {
			result, err = ctrl.Result{RequeueAfter: raceDelay}, nil
		}
	}()
	for _, phase := range []func(context.Context, *pipelineState) error{r.findRuns, r.resolve, r.startRun, r.forget} {
		if err := phase(ctx, p); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: p.after}, nil
}

// pipelineState is what the phases of one look at a pipeline find out.
type pipelineState struct {
	*v1alpha1.DevPipeline
	now    time.Time
	status v1alpha1.DevPipelineStatus // as it should be

	runs     []v1alpha1.DevPipelineRun // of this pipeline, the latest first
	resolved pipeline.Resolved
	refusal  lifecycle.Refusal // why no run can be started
	known    bool              // runs and refusal have been found out
	after    time.Duration
}

// findRuns finds the runs that are of this pipeline, whoever made them.
func (r *PipelineReconciler) findRuns(ctx context.Context, p *pipelineState) error {
	var list v1alpha1.DevPipelineRunList
	if err := r.List(ctx, &list, client.InNamespace(p.Namespace)); err != nil {
		return fmt.Errorf("runs of pipeline %s: %w", p.Name, err)
	}
	p.runs = runsOf(p.DevPipeline, list.Items)
	return nil
}

// resolve finds what a run would copy now, or why there can't be one.
func (r *PipelineReconciler) resolve(ctx context.Context, p *pipelineState) error {
	from, err := published(ctx, r.Client, p.Namespace)
	if err != nil {
		return err
	}
	p.resolved, p.refusal = resolve(p.Spec, from, r.Pods)
	p.known = true
	return nil
}

// startRun starts the run that is due. What is due while another runs waits for its end.
func (r *PipelineReconciler) startRun(ctx context.Context, p *pipelineState) error {
	d, err := p.due()
	if err != nil {
		return fmt.Errorf("pipeline %s: %w", p.Name, err)
	}
	p.handle(d)
	if d.cause.Type == "" || p.Spec.Suspend || p.refusal.Reason != "" || p.active() != nil {
		return nil
	}
	run := newRun(p.DevPipeline, p.resolved, d)
	err = r.Create(ctx, run, client.FieldOwner(Manager))
	switch {
	case apierrors.IsAlreadyExists(err): // by us, before we could say so
	case apierrors.IsInvalid(err):
		p.refusal = lifecycle.Refusal{Reason: v1alpha1.ReasonInvalidPipeline, Message: fmt.Sprintf("its run can't be created: %s", err)}
		return nil
	case err != nil:
		return fmt.Errorf("create run %s: %w", run.Name, err)
	default:
		p.runs = append([]v1alpha1.DevPipelineRun{*run}, p.runs...)
	}
	d.started = true
	p.handle(d)
	return nil
}

// forget deletes ended runs that the history has no room or time for.
func (r *PipelineReconciler) forget(ctx context.Context, p *pipelineState) error {
	old, next := p.outdated()
	for _, run := range old {
		uid := run.UID
		if err := r.Delete(ctx, run, client.Preconditions{UID: &uid}, client.PropagationPolicy("Background")); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete run %s: %w", run.Name, err)
		}
	}
	p.after = next
	return nil
}

// summarise writes the status, and tells of transitions.
func (r *PipelineReconciler) summarise(ctx context.Context, p *pipelineState) error {
	if !p.known {
		return nil
	}
	p.sumUp()
	before := p.Status.DeepCopy().Conditions
	written, err := applyStatus(ctx, r.Client, p.DevPipeline, &p.status)
	if err != nil || !written {
		return err
	}
	tellTransitions(r.Events, p.DevPipeline, before, p.Status.Conditions)
	return nil
}
