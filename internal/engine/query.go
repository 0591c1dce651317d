package engine

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/glob"
)

// Query is what a step asks of the registry.
type Query struct {
	Kind     Kind         // Format, Lint or Check; Run for PlanRun
	Fix      bool         // of a lint step
	Files    []string     // all files of the workspace, sorted
	Selector glob.Entries // nil is the whole workspace
	Policy   Policy
	Stages   []Stage
}

// Selection is the answer: what runs, in order, and what doesn't and why.
type Selection struct {
	Selected    []string // the files that the step concerns, sorted
	Invocations []Invocation
	Skips       []Skip
}

// Plan answers for a format, lint or check step (spec §8.7, §8.9). Errors are
// *fault.Error, or what a stage failed with.
func (r *Registry) Plan(q Query) (Selection, error) {
	if q.Kind == Check {
		return r.planChecks(q)
	}
	selected, err := r.selectFor(q)
	if err != nil {
		return Selection{}, err
	}
	b := &builder{query: q, registry: r, selected: selected}
	if err := b.groups(); err != nil {
		return Selection{}, err
	}
	if err := b.generating(); err != nil {
		return Selection{}, err
	}
	return b.finish(), nil
}

// planChecks arbitrates once over the checks that meet a group of the workspace.
func (r *Registry) planChecks(q Query) (Selection, error) {
	q.Selector = nil
	b := &builder{query: q, registry: r, selected: q.Files}
	groups, members := grouped(q.Files)
	candidates := r.those(Check, func(c Capability) bool { return slices.ContainsFunc(groups, c.Handles) })
	left, err := arbitrate(q.Stages, Question{Kind: Check}, candidates)
	if err != nil {
		return Selection{}, err
	}
	for _, ref := range left {
		for _, g := range groups {
			if r.capability(Check, ref).Handles(g) {
				b.win(ref, g, members[g])
			}
		}
	}
	return b.finish(), nil
}
