package controllers

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// setUp makes a manager call the reconciler.
func (r *RunReconciler) setUp(m ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(m).For(&v1alpha1.DevPipelineRun{}).
		Owns(&corev1.Pod{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Watches(&v1alpha1.DevPipelineRun{}, handler.EnqueueRequestsFromMapFunc(r.waitingBehind)).
		Watches(&corev1.PersistentVolumeClaim{}, handler.EnqueueRequestsFromMapFunc(r.waitingBehind)).
		Watches(&v1alpha1.DevPolicy{}, handler.EnqueueRequestsFromMapFunc(r.holdingCopy), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

// waitingBehind are the runs of a namespace that may wait for the claim of what ended.
func (r *RunReconciler) waitingBehind(ctx context.Context, o client.Object) []reconcile.Request {
	return r.runs(ctx, o.GetNamespace(), func(run *v1alpha1.DevPipelineRun) bool {
		return run.Status.Pod == nil && run.Spec.Plan.Source.PersistentVolumeClaim != nil && run.UID != o.GetUID()
	})
}

// holdingCopy are the runs that copied a policy.
func (r *RunReconciler) holdingCopy(ctx context.Context, o client.Object) []reconcile.Request {
	return r.runs(ctx, "", func(run *v1alpha1.DevPipelineRun) bool {
		return slices.ContainsFunc(run.Spec.Policies, func(l v1alpha1.PolicyLayer) bool {
			return l.Ref != nil && string(l.Ref.Name) == o.GetName()
		})
	})
}

// runs are those that haven't ended, of one namespace or all.
func (r *RunReconciler) runs(ctx context.Context, namespace string, which func(*v1alpha1.DevPipelineRun) bool) []reconcile.Request {
	var list v1alpha1.DevPipelineRunList
	if err := r.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil // they look again by themselves
	}
	var found []reconcile.Request
	for i := range list.Items {
		if run := &list.Items[i]; run.Status.CompletionTime == nil && which(run) {
			found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)})
		}
	}
	return found
}

// setUp makes a manager call the reconciler.
func (r *PipelineReconciler) setUp(m ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(m).For(&v1alpha1.DevPipeline{}).
		Watches(&v1alpha1.DevPipelineRun{}, handler.EnqueueRequestsFromMapFunc(pipelineOf)).
		Watches(&v1alpha1.DevEngine{}, handler.EnqueueRequestsFromMapFunc(r.using), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.DevPolicy{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.in), builder.WithPredicates(predicate.LabelChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

// pipelineOf is the pipeline that a run names.
func pipelineOf(_ context.Context, o client.Object) []reconcile.Request {
	run, ok := o.(*v1alpha1.DevPipelineRun)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: run.Namespace, Name: string(run.Spec.PipelineRef.Name)}}}
}

// using are the pipelines that refer to an engine.
func (r *PipelineReconciler) using(ctx context.Context, o client.Object) []reconcile.Request {
	return r.pipelines(ctx, "", func(p *v1alpha1.DevPipeline) bool {
		return slices.ContainsFunc(p.Spec.Engines, func(e v1alpha1.PipelineEngine) bool { return string(e.Ref) == o.GetName() })
	})
}

func (r *PipelineReconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.pipelines(ctx, "", func(*v1alpha1.DevPipeline) bool { return true })
}

// in are the pipelines of a namespace whose labels have changed.
func (r *PipelineReconciler) in(ctx context.Context, o client.Object) []reconcile.Request {
	return r.pipelines(ctx, o.GetName(), func(*v1alpha1.DevPipeline) bool { return true })
}

func (r *PipelineReconciler) pipelines(ctx context.Context, namespace string, which func(*v1alpha1.DevPipeline) bool) []reconcile.Request {
	var list v1alpha1.DevPipelineList
	if err := r.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil // the next change finds them
	}
	var found []reconcile.Request
	for i := range list.Items {
		if p := &list.Items[i]; which(p) {
			found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)})
		}
	}
	return found
}

// setUp makes a manager call the reconciler.
func (r *EngineReconciler) setUp(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).For(&v1alpha1.DevEngine{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).Complete(r)
}

// setUp makes a manager call the reconciler.
func (r *PolicyReconciler) setUp(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).For(&v1alpha1.DevPolicy{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).Complete(r)
}
