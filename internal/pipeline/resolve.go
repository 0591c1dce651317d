package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// Resolved is a pipeline with everything that it refers to: what a run copies at its
// creation, so that nothing changes under it.
type Resolved struct {
	Plan     v1alpha1.Plan
	Engines  []v1alpha1.ResolvedEngine
	Policies []v1alpha1.PolicyLayer // the pipeline's own is the last
}

// FromRun returns what a run has copied.
func FromRun(spec v1alpha1.DevPipelineRunSpec) Resolved {
	return Resolved{Plan: spec.Plan, Engines: spec.Engines, Policies: spec.Policies}
}

// Published is what a pipeline may refer to and is bound by.
type Published struct {
	Engines  []v1alpha1.DevEngine // of several with one name the last counts
	Policies []v1alpha1.DevPolicy // those that apply to the pipeline, in any order
}

// Resolve looks up the engines of a pipeline and puts the policies around it. Errors are
// *fault.Error of kind InvalidPipeline. The result shares memory with the objects.
func Resolve(spec v1alpha1.DevPipelineSpec, from Published) (Resolved, error) {
	r := Resolved{Plan: spec.Plan}
	r.Plan.Steps = slices.Clone(spec.Steps)
	for _, e := range spec.Engines {
		resolved, err := resolveEngine(e, from.Engines)
		if err != nil {
			return Resolved{}, err
		}
		r.Engines = append(r.Engines, resolved)
	}
	policies := slices.Clone(from.Policies)
	slices.SortFunc(policies, func(a, b v1alpha1.DevPolicy) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range policies {
		if err := r.guard(p); err != nil {
			return Resolved{}, err
		}
	}
	r.Policies = append(r.Policies, v1alpha1.PolicyLayer{PolicyRules: spec.Policy})
	return r, nil
}

func resolveEngine(e v1alpha1.PipelineEngine, published []v1alpha1.DevEngine) (v1alpha1.ResolvedEngine, error) {
	r := v1alpha1.ResolvedEngine{Name: cmp.Or(e.Name, string(e.Ref)), EngineNarrowing: e.EngineNarrowing}
	if e.Inline != nil {
		r.Spec = *e.Inline
		return r, nil
	}
	ids := make([]string, 0, len(published))
	for i := range published {
		ids = append(ids, published[i].Name)
	}
	for i := len(published) - 1; i >= 0; i-- {
		if published[i].Name == string(e.Ref) {
			r.Spec = published[i].Spec
			r.Ref = &v1alpha1.EngineReference{Name: e.Ref, ObjectVersion: v1alpha1.ObjectVersion{UID: string(published[i].UID), Generation: published[i].Generation}}
			return r, nil
		}
	}
	return r, unknownEngine(string(e.Ref), ids)
}

func unknownEngine(ref string, known []string) *fault.Error {
	refusal := fault.New(fault.InvalidPipeline, fault.ReasonType, "", "there is no DevEngine %q", ref)
	refusal.Engine = ref
	slices.Sort(known)
	if known = slices.Compact(known); len(known) > 0 {
		return refusal.WithHint("refer to one of %s, or declare the engine: inline, or as a DevEngine beside the pipeline", strings.Join(known, ", "))
	}
	return refusal.WithHint("declare it: inline, or as a DevEngine beside the pipeline")
}
