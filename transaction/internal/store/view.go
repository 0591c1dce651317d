package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// View is what one agent has seen (§ 11).
type View struct {
	Agent        string                 `json:"agent"`
	Root         string                 `json:"root"`
	Scope        string                 `json:"scope"`
	Base         string                 `json:"base"` // the revision that it was taken at; it never moves
	Observations map[string]Observation `json:"observations"`
}

// Observation is what an agent has seen of one path, later than base.
type Observation struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
}

// viewRef returns the ref of an agent's view (§ 11.7).
func viewRef(agent string) string {
	sum := sha256.Sum256([]byte(agent))
	return refViews + hex.EncodeToString(sum[:])
}

// View returns the view of an agent in a scope; ok is false if there is none, or one of
// another root or scope.
func (s *Store) View(agent, scope string) (v View, ok bool, err error) {
	v, _, err = s.readView(agent)
	return v, err == nil && v.Root == s.Root && v.Scope == scope, err
}

// readView reads the view of an agent and the blob it is in, git.Zero without one. One
// that can't be read is as good as none: a new one is taken.
func (s *Store) readView(agent string) (View, git.ID, error) {
	id, o, err := s.repo.Read(viewRef(agent))
	if errors.Is(err, git.ErrMissing) {
		return View{}, git.Zero, nil
	}
	if err != nil {
		return View{}, "", err
	}
	var v View
	if err := json.Unmarshal(o.Data, &v); err != nil || v.Agent != agent {
		return View{}, id, nil //nolint:nilerr // damaged: take a new one
	}
	return v, id, nil
}

// viewObject renders a view as a blob.
func viewObject(v View) (git.Object, error) {
	text, err := json.Marshal(v)
	return git.Object{Kind: git.Blob, Data: text}, err
}

// observe returns v with observations added.
func (v View) observe(seen map[string]Observation) View {
	all := make(map[string]Observation, len(v.Observations)+len(seen))
	for path, o := range v.Observations {
		all[path] = o
	}
	for path, o := range seen {
		all[path] = o
	}
	v.Observations = all
	return v
}

// viewTries bounds how often a view is read again that somebody changed meanwhile.
const viewTries = 16

// changeView changes the view of an agent together with other refs. change gets the
// view as it is and returns it as it shall be; ok false leaves it.
func (s *Store) changeView(ctx context.Context, agent string, change func(View) (v View, ok bool), others ...git.Update) error {
	for try := 0; ; try++ {
		old, id, err := s.readView(agent)
		if err != nil {
			return err
		}
		updates := others
		if v, ok := change(old); ok {
			o, err := viewObject(v)
			if err != nil {
				return err
			}
			if err := s.repo.Write(ctx, []git.Object{o}); err != nil {
				return err
			}
			if o.ID() != id {
				updates = append([]git.Update{{Ref: viewRef(agent), Old: id, New: o.ID()}}, others...)
			}
		}
		if len(updates) == 0 {
			return nil
		}
		err = s.repo.Update(ctx, updates...)
		if !errors.Is(err, git.ErrLost) || try == viewTries || s.unchanged(agent, id) {
			return err
		}
	}
}

// unchanged reports whether the view of an agent is still in the same blob: then it was
// another ref that was moved.
func (s *Store) unchanged(agent string, id git.ID) bool {
	now, err := s.readRef(viewRef(agent))
	return err != nil || now == id
}

// Record adds an observation to the view of an agent (§ 11.4). It is false if the agent
// has no view in the scope.
func (s *Store) Record(ctx context.Context, agent, scope, path string, o Observation) (bool, error) {
	if there, err := s.Exists(); !there || err != nil {
		return false, err
	}
	recorded := false
	err := s.changeView(ctx, agent, func(v View) (View, bool) {
		recorded = v.Agent == agent && v.Root == s.Root && v.Scope == scope
		if o.Revision == "" {
			o.Revision = v.Base
		}
		return v.observe(map[string]Observation{path: o}), recorded
	})
	if err != nil {
		return false, fmt.Errorf("view of %q: %w", agent, err)
	}
	return recorded, nil
}

// Dispose removes the view of an agent.
func (s *Store) Dispose(ctx context.Context, agent string) error {
	if there, err := s.Exists(); !there || err != nil {
		return err
	}
	for try := 0; ; try++ {
		id, err := s.readRef(viewRef(agent))
		if err != nil || id == git.Zero {
			return err
		}
		err = s.repo.Update(ctx, git.Update{Ref: viewRef(agent), Old: id, New: git.Zero})
		if !errors.Is(err, git.ErrLost) || try == viewTries {
			return err
		}
	}
}
