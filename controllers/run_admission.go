package controllers

import (
	"cmp"
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
)

// gatherAdmission judges a run that hasn't started: it must be what its pipeline would be
// copied to now. Whoever may create runs can't so get around a pipeline or a policy.
func (r *RunReconciler) gatherAdmission(ctx context.Context, o *lifecycle.Observation) error {
	run := o.Run
	if run.Status.Pod != nil || o.Pod != nil || o.Leaving {
		return nil
	}
	ref := run.Spec.PipelineRef
	p := &v1alpha1.DevPipeline{}
	err := r.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: string(ref.Name)}, p)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("pipeline %s: %w", ref.Name, err)
	}
	switch {
	case err != nil:
		o.Refusal = invalid("there is no DevPipeline %s", ref.Name)
		return nil //nolint:nilerr // what isn't there is a refusal of the run
	case string(p.UID) != ref.UID:
		o.Refusal = invalid("it is of a DevPipeline %s with the UID %s, and the one that there is has another: request a run", ref.Name, ref.UID)
		return nil
	}
	from, err := published(ctx, r.Client, run.Namespace)
	if err != nil {
		return err
	}
	resolved, why := resolve(p.Spec, from, r.Pods)
	if why.Reason != "" {
		o.Refusal = why
		return nil
	}
	part, err := stale(run.Spec, resolved)
	if err != nil {
		return fmt.Errorf("compare the run with its pipeline: %w", err)
	}
	switch part {
	case "":
	case "policies":
		o.Withdrawn = cmp.Or(o.Withdrawn, "the policies of the namespace aren't those that the run has")
	default:
		o.Refusal = invalid("its %s isn't what the DevPipeline %s is now (generation %d, the run has %d): request a run", part, ref.Name, p.Generation, ref.Generation)
	}
	return nil
}

func invalid(format string, args ...any) lifecycle.Refusal {
	return lifecycle.Refusal{Reason: v1alpha1.ReasonInvalidPipeline, Message: fmt.Sprintf(format, args...)}
}
