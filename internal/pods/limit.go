package pods

import (
	"slices"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

// Bound lowers to what a policy allows what a pipeline asks of a cluster: the size of its
// volume, and the resources of its containers. What the pipeline leaves to the default is
// bounded too. The rest of a policy's limits is package pipeline's.
func (c Config) Bound(r *pipeline.Resolved, most v1alpha1.PolicyLimits) {
	if size := r.Plan.Workspace.Volume.Size; most.VolumeSize != nil && (size == nil || size.Cmp(most.VolumeSize.Quantity) > 0) {
		r.Plan.Workspace.Volume.Size = most.VolumeSize
	}
	if most.Resources == (v1alpha1.ResourceAmounts{}) {
		return
	}
	c.boundPods(r, most.Resources)
	if d := r.Plan.Dependencies; d != nil {
		bounded := *d
		bound(&bounded.Resources, most.Resources)
		r.Plan.Dependencies = &bounded
	}
	r.Plan.Steps = slices.Clone(r.Plan.Steps)
	for i, s := range r.Plan.Steps {
		if s.Run != nil {
			run := *s.Run
			bound(&run.Resources, most.Resources)
			r.Plan.Steps[i].Run = &run
		}
	}
	r.Engines = slices.Clone(r.Engines)
	for i := range r.Engines {
		boundEngine(&r.Engines[i], most.Resources)
	}
}

// boundPods bounds what holds for tools that don't say their own.
func (c Config) boundPods(r *pipeline.Resolved, most v1alpha1.ResourceAmounts) {
	s := v1alpha1.PodSettings{}
	if r.Plan.Pod != nil {
		s = *r.Plan.Pod
	}
	bound(&s.Resources, most)
	for _, amount := range amountsOf(&s.Resources.Limits) {
		limit, bounded := c.Fixer.Limits[amount.name]
		highest := *amountOf(&most, amount.name)
		if *amount.at == nil && highest != nil && (!bounded || limit.Cmp(highest.Quantity) > 0) {
			*amount.at = highest
		}
	}
	r.Plan.Pod = &s
}

func boundEngine(e *v1alpha1.ResolvedEngine, most v1alpha1.ResourceAmounts) {
	bound(&e.Resources, most)
	e.Spec.Formats, e.Spec.Lints, e.Spec.Checks = slices.Clone(e.Spec.Formats), slices.Clone(e.Spec.Lints), slices.Clone(e.Spec.Checks)
	for i := range e.Spec.Formats {
		bound(&e.Spec.Formats[i].Resources, most)
	}
	for i := range e.Spec.Lints {
		bound(&e.Spec.Lints[i].Resources, most)
	}
	for i := range e.Spec.Checks {
		bound(&e.Spec.Checks[i].Resources, most)
	}
}

// bound lowers requests and limits that are given.
func bound(r *v1alpha1.Resources, most v1alpha1.ResourceAmounts) {
	for _, amounts := range []*v1alpha1.ResourceAmounts{&r.Requests, &r.Limits} {
		for _, amount := range amountsOf(amounts) {
			highest := *amountOf(&most, amount.name)
			if *amount.at != nil && highest != nil && (*amount.at).Cmp(highest.Quantity) > 0 {
				*amount.at = highest
			}
		}
	}
}
