package engine

import (
	"iter"
	"slices"
)

// Candidate names a capability that a step could use.
type Candidate struct {
	EngineID   string
	Capability int // index in the engine's list of the question's kind
}

// Question is what a selection stage is asked about.
type Question struct {
	Kind    Kind
	Group   string // the extension group, where Grouped
	Grouped bool   // false for generating capabilities and checks, which have no group
}

// Stage removes and reorders candidates (spec §8.8). What it returns beyond those it was
// given, or twice, is dropped. A Stage that fails fails the step. It must not change the
// slice that it is given.
type Stage func(Question, []Candidate) ([]Candidate, error)

// arbitrate asks the stages in order, as long as there are two candidates to choose from.
func arbitrate(stages []Stage, q Question, candidates []Candidate) ([]Candidate, error) {
	for _, stage := range stages {
		if len(candidates) < 2 {
			return candidates, nil
		}
		chosen, err := stage(q, slices.Clone(candidates))
		if err != nil {
			return nil, err
		}
		candidates = among(candidates, chosen)
	}
	return candidates, nil
}

// among keeps of chosen what is one of the candidates, each once, in the order of chosen.
func among(candidates, chosen []Candidate) []Candidate {
	kept := make([]Candidate, 0, len(candidates))
	for _, c := range chosen {
		if slices.Contains(candidates, c) && !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// candidates yields the capabilities of a kind that aren't holes, in engine order, then
// declaration order.
func (r *Registry) candidates(k Kind) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		for _, e := range r.engines {
			for i, c := range e.Capabilities(k) {
				if c.Hole == "" && !yield(Candidate{e.ID, i}) {
					return
				}
			}
		}
	}
}

// those returns the candidates of a kind that fit.
func (r *Registry) those(k Kind, fits func(Capability) bool) []Candidate {
	var list []Candidate
	for ref := range r.candidates(k) {
		if fits(r.capability(k, ref)) {
			list = append(list, ref)
		}
	}
	return list
}

// capability returns what a candidate names; it must be one of the registry's.
func (r *Registry) capability(k Kind, ref Candidate) Capability {
	e, _ := r.Engine(ref.EngineID)
	return e.Capabilities(k)[ref.Capability]
}
