package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
)

// gatherQueue finds the run whose turn it is before this one's.
func (r *RunReconciler) gatherQueue(ctx context.Context, o *lifecycle.Observation) error {
	if o.Run.Status.Pod != nil || o.Run.Spec.Plan.Source.PersistentVolumeClaim == nil {
		return nil
	}
	var list v1alpha1.DevPipelineRunList
	if err := r.List(ctx, &list, client.InNamespace(o.Run.Namespace)); err != nil {
		return fmt.Errorf("runs: %w", err)
	}
	o.Ahead = ahead(o.Run, list.Items)
	return nil
}

// ahead is the name of the run that works on a run's claim, or will before it: one that
// has begun, or else the first by creation. "" means that it is this one's turn.
func ahead(run *v1alpha1.DevPipelineRun, all []v1alpha1.DevPipelineRun) string {
	first := run
	for i := range all {
		other := &all[i]
		if other.UID == run.UID || other.Status.CompletionTime != nil || claimOf(other) != claimOf(run) {
			continue
		}
		if other.Status.Pod != nil {
			return other.Name
		}
		if before(other, first) {
			first = other
		}
	}
	if first == run {
		return ""
	}
	return first.Name
}

func claimOf(run *v1alpha1.DevPipelineRun) v1alpha1.ObjectName {
	if source := run.Spec.Plan.Source.PersistentVolumeClaim; source != nil {
		return source.ClaimName
	}
	return ""
}

// before orders runs by creation, and those of one second by name.
func before(a, b *v1alpha1.DevPipelineRun) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}
