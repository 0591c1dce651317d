package transaction

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// gitAuthority is the authority of a scope without a Backend: the store beside its
// directory (§ 12).
type gitAuthority struct {
	s     *Service
	store *store.Store
	agent string
	scope Scope
	root  string
	id    string
}

func (g *gitAuthority) key() viewKey { return viewKey{root: g.root, scope: g.scope.Name} }

func (g *gitAuthority) view(ctx context.Context) (view, error) {
	g.arrive(ctx)
	there, err := g.store.Exists()
	if err != nil {
		return view{}, err
	}
	if there {
		v, ok, err := g.store.View(g.agent, g.scope.Name)
		if err != nil {
			return view{}, err
		}
		if ok {
			return viewOf(v), nil
		}
	}
	v, _, err := g.store.Prepare(ctx, g.agent, g.scope.Name)
	return viewOf(v), err
}

// prepare takes the view if there is none, and recovers in any case.
func (g *gitAuthority) prepare(ctx context.Context) (base string, err error) {
	g.arrive(ctx)
	v, _, err := g.store.Prepare(ctx, g.agent, g.scope.Name)
	return v.Base, err
}

// arrive drops the view that the agent has elsewhere.
func (g *gitAuthority) arrive(ctx context.Context) {
	g.s.leave(ctx, g.agent, g.key())
	g.s.views.put(g.agent, g.key(), view{})
}

func viewOf(v store.View) view {
	out := view{base: v.Base, observations: make(map[string]seen, len(v.Observations))}
	for path, o := range v.Observations {
		out.observations[path] = seen{o.Version, o.Revision}
	}
	return out
}

func (g *gitAuthority) read(ctx context.Context, path string, at seen) (File, error) {
	content, version, err := g.store.Observed(ctx, path, at.version, at.revision)
	if err != nil {
		return File{}, fmt.Errorf("read %q: %w", path, err)
	}
	return File{Content: content, Version: version}, nil
}

func (g *gitAuthority) settle(ctx context.Context, p proposal) (*Report, error) {
	q := store.Proposal{
		Agent: g.agent, KeepView: true, TransactionID: g.id,
		Preconditions: p.problems.preconditions, Unresolved: p.problems.unresolved,
	}
	for _, t := range p.targets {
		q.Targets = append(q.Targets, store.Target{Path: t.path, Observed: t.observed, Candidate: t.candidate})
	}
	r, err := g.store.Settle(ctx, q)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

var _ authority = (*gitAuthority)(nil)
var _ authority = (*managed)(nil)
