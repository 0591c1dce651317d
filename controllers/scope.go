package controllers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/lifecycle"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/plan"
)

// forbidden finds the first tool that a DevPolicy lets write nothing at all: each run of it
// would be for nothing.
func forbidden(p *pipeline.Pipeline, r pipeline.Resolved) lifecycle.Refusal {
	writers := writersOf(p)
	for _, layer := range r.Policies {
		if layer.Ref == nil {
			continue
		}
		var allowed []string
		if layer.Write != nil {
			allowed = layer.Write.Allow
		}
		entries, err := glob.ParseEntries(allowed, glob.Policy, p.Acquire.Bounds.MaxDepth)
		if err != nil {
			continue // it has been refused already
		}
		for _, w := range writers {
			if !meets(w.scope, entries) {
				return lifecycle.Refusal{Reason: v1alpha1.ReasonPolicyExceeded, Message: fmt.Sprintf(
					"%s may touch %s, and the policy %s lets nothing of that be written", w.name, strings.Join(w.scope.Strings(), ", "), layer.Ref.Name)}
			}
		}
	}
	return lifecycle.Refusal{}
}

// writer is a tool that changes files, with what it may touch.
type writer struct {
	name  string
	scope glob.Entries
}

// writersOf lists the tools that the plan lets change files.
func writersOf(p *pipeline.Pipeline) []writer {
	var all []writer
	kinds := map[engine.Kind]bool{}
	for _, s := range p.Plan.Steps {
		switch args := s.Args.(type) {
		case plan.Format:
			kinds[engine.Format] = true
		case plan.Lint:
			kinds[engine.Lint] = kinds[engine.Lint] || args.Fix
		case plan.Run:
			if scope, err := glob.ParseEntries(args.Scope, glob.RunScope, p.Acquire.Bounds.MaxDepth); err == nil {
				all = append(all, writer{"step " + s.Name, scope})
			}
		}
	}
	for _, e := range p.Engines.Engines() {
		for _, kind := range []engine.Kind{engine.Format, engine.Lint} {
			for i, c := range e.Capabilities(kind) {
				if kinds[kind] && c.Hole == "" && c.Scope != nil && (kind == engine.Format || c.Fixable) {
					all = append(all, writer{fmt.Sprintf("engine %s, %s[%d],", e.ID, kind.List(), i), c.Scope})
				}
			}
		}
	}
	return all
}

// meets says whether some path may lie in both. A rule of a policy also covers what is
// below it.
func meets(scope, allowed glob.Entries) bool {
	return slices.ContainsFunc(allowed, func(a glob.Entry) bool { return scope.Overlaps(a.AsAllow()) })
}
