package engine

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// narrow intersects the scope of every capability with the pipeline's, and hands its
// arguments and resources to each. What the pipeline leaves nothing of is a hole; an
// engine of which nothing at all is left is refused.
func (e *Engine) narrow(n Narrowing, maxDepth int) error {
	within, err := n.parse(maxDepth)
	if err != nil {
		return fault.OfEngine(err, e.ID)
	}
	left := 0
	for _, list := range [][]Capability{e.Formats, e.Lints, e.Checks} {
		for i := range list {
			if err := list[i].narrow(n, within); err != nil {
				return fault.OfEngine(err, e.ID)
			}
			if list[i].Hole == "" {
				left++
			}
		}
	}
	if within != nil && left == 0 {
		return fault.OfEngine(fault.New(fault.InvalidPipeline, fault.ReasonType, "",
			"no path lies both in a scope that it declares and in the pipeline's (%s)", strings.Join(within.Strings(), ", ")).
			WithHint("a pipeline can only narrow a scope: choose globs inside the engine's, or remove the engine"), e.ID)
	}
	return nil
}

// parse returns the scope that the pipeline gives, nil if it gives none.
func (n Narrowing) parse(maxDepth int) (glob.Entries, error) {
	within, err := glob.ParseEntries(n.Scope, glob.Scope, maxDepth)
	if err != nil {
		return nil, err
	}
	if within != nil && len(within) == 0 {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "the scope that the pipeline gives is empty").
			WithHint("remove it to leave the engine's scope as it is, or list globs")
	}
	if slices.ContainsFunc(n.Args, hasNUL) {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "an argument that the pipeline gives holds NUL").
			WithHint("remove it")
	}
	return within, nil
}

func (c *Capability) narrow(n Narrowing, within glob.Entries) error {
	c.Exec.Args = slices.Clone(n.Args)
	if len(n.Resources) > 0 {
		c.Exec.Resources = n.Resources
	}
	if within == nil {
		return nil
	}
	scope, err := intersect(c.Scope, within)
	if err != nil {
		return err
	}
	c.Scope = scope
	if len(scope) == 0 {
		c.Hole = "the pipeline's scope leaves nothing of its own"
	}
	return nil
}
