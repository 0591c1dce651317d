// Package pipeline turns manifests into what the runtime runs: engines, policy, bounds,
// acquisition and plan (runtime spec §7.1, §8.1). It is the only place that knows both the
// API types and the runtime's.
//
// It refuses what one manifest's schema can't judge: engines that nobody declares, globs
// outside the grammar, a plan that can be seen to fail. It never reads a manifest, a
// cluster or a disk: objects come in as values, validated and with defaults filled in by
// package manifest or an API server. That the root exists is the driver's to check
// before (spec §7.1).
package pipeline

import (
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/policy"
)

// Pipeline is a validated pipeline.
type Pipeline struct {
	Acquire     acquire.Request // bounds and MIME types of the whole run among it
	Policy      *policy.Policy
	Engines     *engine.Registry
	Plan        plan.Plan
	Digest      string         // of plan and engines (spec §10.2)
	Warnings    []plan.Warning // of validation (spec §8.10)
	CheckOnly   bool           // works on a copy and publishes nothing
	Containment v1alpha1.Containment
	Timeout     time.Duration // of a run; 0 is none
	Deadline    time.Duration // of an invocation that has none of its own (spec §1.3)
	Retries     int           // further attempts of a tool that failed
}

// DefaultDeadline is the deadline of an invocation where nothing else is said (spec §1.3).
const DefaultDeadline = 5 * time.Minute

// Driver is what the driver at hand can do.
type Driver struct {
	Serves    engine.Driver
	Lacks     map[plan.Kind]string // steps that it doesn't implement, and what to do instead
	Publishes bool                 // publish is a step of the plan; else it is left out
}

// Build validates a resolved pipeline and converts it. It checks in the order of spec
// §7.1: bounds, policy rules, excludes, MIME overrides, engines; then the entries of the
// acquisition and the plan. The first fault is returned, a *fault.Error.
func Build(r Resolved, d Driver) (*Pipeline, error) {
	p := &Pipeline{
		CheckOnly:   r.Plan.Mode == v1alpha1.PipelineModeCheck,
		Containment: r.Plan.Containment,
		Timeout:     r.Plan.Timeout.Duration.Duration,
		Deadline:    r.Plan.InvocationDeadline.Duration.Duration,
		Retries:     int(r.Plan.Retry.Limit),
	}
	if p.Containment == "" {
		p.Containment = v1alpha1.ContainmentPrefer
	}
	if p.Deadline == 0 {
		p.Deadline = DefaultDeadline
	}
	for _, build := range []func(Resolved, Driver) error{p.bounds, p.policies, p.excludes, p.types, p.engines, p.entries, p.steps} {
		if err := build(r, d); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Pipeline) steps(r Resolved, d Driver) (err error) {
	publish := r.Plan.Publish
	if !d.Publishes || p.CheckOnly {
		publish = nil
	}
	if p.Plan, err = convertPlan(r.Plan.Steps, r.Plan.Gates, publish); err != nil {
		return err
	}
	rules := plan.Rules{Engines: p.Engines, MaxDepth: p.Acquire.Bounds.MaxDepth, Lacks: d.Lacks}
	if p.Warnings, err = plan.Validate(p.Plan, rules); err != nil {
		return err
	}
	p.Digest, err = plan.Digest(p.Plan, p.Engines)
	return err
}
