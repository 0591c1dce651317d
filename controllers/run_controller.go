package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
	"github.com/fettle-dev/fettle/internal/pods"
)

// Manager is the field manager under which the controllers write.
const Manager = "fettle-controller"

// Finalizer is on runs that change the files of a user's claim: they look at what they
// did before they go.
const Finalizer = "fettle.dev/run"

// RunReconciler takes runs through their Pods.
type RunReconciler struct {
	client.Client               // of the cache, in a manager
	Live          client.Reader // of the API server
	Events        events.EventRecorder
	Pods          pods.Config
	Now           func() time.Time
}

// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelineruns,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelineruns/status,verbs=get;patch
// +kubebuilder:rbac:groups=fettle.dev,resources=devpipelinereports,verbs=get;create;patch
// +kubebuilder:rbac:groups="",resources=pods;persistentvolumeclaims;serviceaccounts,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile gathers, decides, writes the status, and acts. A lost race is an ordinary
// reason to look again.
func (r *RunReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	after, err := r.reconcile(ctx, req)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: raceDelay}, nil
	}
	return ctrl.Result{RequeueAfter: after}, err
}

// raceDelay is when to look again at what somebody else wrote first.
const raceDelay = 50 * time.Millisecond

func (r *RunReconciler) reconcile(ctx context.Context, req ctrl.Request) (after time.Duration, err error) {
	run := &v1alpha1.DevPipelineRun{}
	if err := r.Get(ctx, req.NamespacedName, run); err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	if err := r.hold(ctx, run); err != nil {
		return 0, err
	}
	seen, err := r.gather(ctx, run)
	if err != nil {
		return 0, fmt.Errorf("look at run %s: %w", req, err)
	}
	decision := lifecycle.Decide(seen)
	if err := r.summarise(ctx, run, decision.Status); err != nil {
		return 0, err
	}
	seen.Obstacle, seen.Final, err = r.act(ctx, run, seen, decision)
	if err != nil || seen.Obstacle.Reason == "" {
		return decision.After, err
	}
	seen.Run, seen.Pod = run, nil
	decision = lifecycle.Decide(seen)
	return max(time.Second, decision.After), r.summarise(ctx, run, decision.Status)
}

// hold puts the finalizer on a run that needs it before anything is done for it.
func (r *RunReconciler) hold(ctx context.Context, run *v1alpha1.DevPipelineRun) error {
	if !pods.InPlace(run) || run.DeletionTimestamp != nil || run.Status.CompletionTime != nil || controllerutil.ContainsFinalizer(run, Finalizer) {
		return nil
	}
	return r.setFinalizers(ctx, run, func(run *v1alpha1.DevPipelineRun) { controllerutil.AddFinalizer(run, Finalizer) })
}

// setFinalizers changes the finalizers of a run that nobody else has changed since.
func (r *RunReconciler) setFinalizers(ctx context.Context, run *v1alpha1.DevPipelineRun, change func(*v1alpha1.DevPipelineRun)) error {
	before := run.DeepCopy()
	change(run)
	err := r.Patch(ctx, run, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(Manager))
	if err != nil {
		return fmt.Errorf("finalizers of run %s: %w", run.Name, err)
	}
	return nil
}

// summarise writes the controller's part of a status if it differs, and tells of a
// transition by an event. run then is as it was written.
func (r *RunReconciler) summarise(ctx context.Context, run *v1alpha1.DevPipelineRun, status v1alpha1.DevPipelineRunStatus) error {
	before := run.DeepCopy()
	written, err := applyStatus(ctx, r.Client, run, &status, "outcome", "invocations")
	if err != nil || !written {
		return err
	}
	tellTransitions(r.Events, run, before.Status.Conditions, run.Status.Conditions)
	return nil
}

// act does what was decided. An obstacle is why it couldn't, as far as users can do
// something about it.
func (r *RunReconciler) act(ctx context.Context, run *v1alpha1.DevPipelineRun, seen lifecycle.Observation, d lifecycle.Decision) (obstacle lifecycle.Refusal, final bool, err error) {
	switch d.Act {
	case lifecycle.Reserve:
		err = r.create(ctx, run, pods.Claim(run, pods.ClaimName(run, seen.SourceUID)))
	case lifecycle.Start:
		err = r.start(ctx, run)
	case lifecycle.End:
		err = r.end(ctx, seen.Pod, d.Exact)
	case lifecycle.CleanUp, lifecycle.Complete:
		err = r.cleanUp(ctx, run)
	}
	if err == nil && d.Act == lifecycle.Complete && controllerutil.RemoveFinalizer(run.DeepCopy(), Finalizer) {
		err = r.setFinalizers(ctx, run, func(run *v1alpha1.DevPipelineRun) { controllerutil.RemoveFinalizer(run, Finalizer) })
	}
	if err == nil {
		return lifecycle.Refusal{}, false, nil
	}
	obstacle, final = obstacleOf(err)
	if obstacle.Reason != "" {
		return obstacle, final, nil
	}
	return lifecycle.Refusal{}, false, err
}

// end deletes a Pod, with the time it has to look at what it did. exact spares one that has
// changed since it was observed.
func (r *RunReconciler) end(ctx context.Context, pod *corev1.Pod, exact bool) error {
	if pod == nil || pod.DeletionTimestamp != nil {
		return nil
	}
	only := client.Preconditions{UID: &pod.UID}
	if exact {
		only.ResourceVersion = &pod.ResourceVersion
	}
	if err := r.Delete(ctx, pod, only); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("end Pod %s: %w", pod.Name, err)
	}
	return nil
}
