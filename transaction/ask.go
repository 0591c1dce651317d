package transaction

import (
	"context"

	"github.com/fettle-dev/fettle/blocks"
)

// view is what an agent has seen in a scope (§ 11).
type view struct {
	base         string
	observations map[string]seen
}

// seen is an observation. version is "" where only the revision is known: the version
// is what the authority has there.
type seen struct{ version, revision string }

// at returns the observation of a path.
func (v view) at(path string) seen {
	if o, ok := v.observations[path]; ok {
		return o
	}
	return seen{revision: v.base}
}

// authority is who answers for a scope: the Git backend, or a Backend of the host.
type authority interface {
	// view returns what the agent has seen, taking a new view if it has none.
	view(ctx context.Context) (view, error)
	// read returns what a path held where it was observed.
	read(ctx context.Context, path string, at seen) (File, error)
	// settle publishes a proposal or reports what stands in the way, and keeps the view
	// up to date (§ 11.3).
	settle(ctx context.Context, p proposal) (*Report, error)
}

// proposal is a valid message, resolved as far as it could be.
type proposal struct {
	view     view
	targets  []target // in block order
	problems problems
}

// target is the file of one block.
type target struct {
	path      string
	observed  blocks.Observed
	candidate *blocks.Candidate // nil if the block did not resolve
	// moved says that what was read isn't what the agent has seen: it can't be built on.
	moved bool
}

// problems are what is wrong with a proposal itself.
type problems struct {
	preconditions, unresolved, tooLarge []blocks.Error
}

func (p problems) any() bool {
	return len(p.preconditions)+len(p.unresolved)+len(p.tooLarge) > 0
}

// ask reads what was observed, resolves the blocks and has the authority settle them.
func (t *turn) ask(ctx context.Context) (*Report, error) {
	a, err := t.authority(ctx)
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx)
	if err != nil {
		return nil, err
	}
	p, err := t.propose(ctx, a, v)
	if err != nil {
		return nil, err
	}
	return a.settle(ctx, p)
}

// propose resolves every block from what its agent has observed, never from what is
// there now (§ 6).
func (t *turn) propose(ctx context.Context, a authority, v view) (proposal, error) {
	p := proposal{view: v, targets: make([]target, len(t.targets))}
	observed := make([]blocks.Observed, len(t.targets))
	for i, path := range t.targets {
		at := v.at(path)
		f, err := a.read(ctx, path, at)
		if err != nil {
			return proposal{}, err
		}
		observed[i] = blocks.Observed{Content: f.Content, Version: f.Version, Revision: at.revision}
		p.targets[i] = target{path: path, observed: observed[i]}
		if at.version != "" && at.version != f.Version {
			p.targets[i].moved = true
			p.targets[i].observed.Version = at.version
		}
	}
	r := blocks.ResolveAll(t.parsed.Blocks, t.targets, observed, t.s.cfg.Config)
	p.problems = problems{r.Preconditions, r.Unresolved, blocks.ValidateResolved(r.Candidates, t.s.cfg.Config)}
	next := 0
	for i := range p.targets {
		if next < len(r.Candidates) && r.Candidates[next].Path == p.targets[i].path {
			p.targets[i].candidate = &r.Candidates[next]
			next++
		}
	}
	return p, nil
}

// authority returns who answers for the scope.
func (t *turn) authority(ctx context.Context) (authority, error) {
	if t.scope.Backend == nil {
		st, err := t.s.store(t.root)
		if err != nil {
			return nil, err
		}
		return &gitAuthority{s: t.s, store: st, agent: t.m.Agent, scope: t.scope, root: t.root, id: t.id}, nil
	}
	if err := supported(ctx, t.scope.Backend); err != nil {
		return nil, err
	}
	return &managed{s: t.s, agent: t.m.Agent, scope: t.scope, id: t.id}, nil
}

// complete adds to an authority's report what it doesn't know, and has publishers run
// (§ 23.1).
func (t *turn) complete(ctx context.Context, r *Report) *Report {
	r.TransactionID, r.Scope, r.Hints = t.id, t.scope.Name, t.parsed.Hints
	if r.OK() && t.scope.Backend == nil {
		t.publish(context.WithoutCancel(ctx), r)
	}
	if r.OK() {
		t.s.tellFiles(context.WithoutCancel(ctx), t.m.Session, r)
	}
	return r
}
