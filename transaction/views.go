package transaction

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// viewKey is what a view belongs to: if it changes, the view is dropped (§ 11.1).
type viewKey struct {
	root, scope string
	backend     Backend // nil: the Git backend, which keeps its views itself
}

func (k viewKey) same(other viewKey) bool {
	return k.root == other.root && k.scope == other.scope && sameBackend(k.backend, other.backend)
}

// views are the views of agents. Those of the Git backend are in its stores; here is
// only where an agent was last.
type views struct {
	mu sync.Mutex
	of map[string]agentView
}

type agentView struct {
	key  viewKey
	view view
}

func (v *views) get(agent string, key viewKey) (view, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.of[agent]
	return a.view, ok && a.key.same(key)
}

// put keeps a new view, unless somebody else has just done so.
func (v *views) put(agent string, key viewKey, fresh view) view {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a, ok := v.of[agent]; ok && a.key.same(key) {
		return a.view
	}
	if v.of == nil {
		v.of = map[string]agentView{}
	}
	v.of[agent] = agentView{key, fresh}
	return fresh
}

func (v *views) observe(agent string, key viewKey, now map[string]seen) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.of[agent]
	if !ok || !a.key.same(key) {
		return false
	}
	all := maps.Clone(a.view.observations)
	if all == nil {
		all = map[string]seen{}
	}
	maps.Copy(all, now)
	a.view.observations = all
	v.of[agent] = a
	return true
}

// last returns where an agent was last.
func (v *views) last(agent string) (viewKey, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.of[agent]
	return a.key, ok
}

func (v *views) drop(agent string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.of, agent)
}

// leave drops the view of an agent that goes to another root, scope or backend.
func (s *Service) leave(ctx context.Context, agent string, to viewKey) {
	from, ok := s.views.last(agent)
	if !ok || from.same(to) {
		return
	}
	s.views.drop(agent)
	if from.backend != nil || from.root == to.root && to.backend == nil {
		return // not in a store, or in one that replaces it
	}
	st, err := s.store(from.root)
	if err == nil {
		err = st.Dispose(ctx, agent)
	}
	if err != nil {
		s.log.Warn("the view of an agent could not be removed", "agent", agent, "err", err)
	}
}

// ErrScopeMismatch says that an observation is about another scope or backend than the
// agent's view (§ 11.4).
var ErrScopeMismatch = errors.New("the agent has no view in this scope")

// RecordObservation adds to an agent's view the exact version that it has seen of a
// path. Without a revision it is that of the view. It is refused with ErrScopeMismatch
// unless sc is the scope and backend of the agent's view (§ 11.4).
func (s *Service) RecordObservation(agent string, o Observation, sc Scope) error {
	if o.Path == "" || o.Version == "" {
		return fmt.Errorf("observation of %q: a path and a version are needed", o.Path)
	}
	sc = sc.complete()
	if sc.Backend != nil {
		return s.recordManaged(agent, o, sc)
	}
	root, err := linkFree(sc.Root)
	if err != nil {
		return err
	}
	if last, ok := s.views.last(agent); ok && !last.same(viewKey{root: root, scope: sc.Name}) {
		return fmt.Errorf("observation of %q: %w", o.Path, ErrScopeMismatch)
	}
	st, err := s.store(root)
	if err != nil {
		return err
	}
	recorded, err := st.Record(context.Background(), agent, sc.Name, o.Path, store.Observation{Version: o.Version, Revision: o.Revision})
	if err == nil && !recorded {
		err = ErrScopeMismatch
	}
	if err != nil {
		return fmt.Errorf("observation of %q: %w", o.Path, err)
	}
	return nil
}

func (s *Service) recordManaged(agent string, o Observation, sc Scope) error {
	key := viewKey{root: sc.Root, scope: sc.Name, backend: sc.Backend}
	v, ok := s.views.get(agent, key)
	if ok {
		if o.Revision == "" {
			o.Revision = v.base
		}
		ok = s.views.observe(agent, key, map[string]seen{o.Path: {o.Version, o.Revision}})
	}
	if !ok {
		return fmt.Errorf("observation of %q: %w", o.Path, ErrScopeMismatch)
	}
	return nil
}

// PrepareSnapshot takes the agent's view of sc (§ 11.1), recovering first; it returns the base.
// For a managed scope an error means that the model must not be asked.
func (s *Service) PrepareSnapshot(ctx context.Context, agent string, sess Session, sc Scope) (base string, err error) {
	sc = sc.complete()
	t := turn{s: s, m: Message{Agent: agent, Session: sess}, scope: sc}
	if sc.Backend == nil {
		if t.root, err = linkFree(sc.Root); err != nil {
			return "", err
		}
	}
	a, err := t.authority(ctx)
	if err != nil {
		return "", err
	}
	if g, ok := a.(*gitAuthority); ok {
		return g.prepare(ctx)
	}
	v, err := a.view(ctx)
	return v.base, err
}
