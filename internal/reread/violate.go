package reread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// violate finds the violations of the policy among what isn't clean and among new files,
// and has them undone if the policy says so (spec §13.10).
func (r *round) violate(ctx context.Context) error {
	for _, v := range r.end.Undone {
		v.Restored = true // else it is found again
		r.violations[v.Path] = &v
	}
	for _, p := range r.probes {
		verdict := r.policy.CanWrite(p.path)
		if verdict.Allowed || !holds(r.p.known, p.path) {
			continue
		}
		broken, err := r.broken(p)
		if err != nil {
			return err
		}
		if broken {
			r.violations[p.path] = &Violation{Path: p.path, Rule: ruleOf(verdict)}
		}
	}
	for _, path := range r.fresh {
		if verdict := r.policy.CanWrite(path); !verdict.Allowed {
			r.violations[path] = &Violation{Path: path, Rule: ruleOf(verdict), New: true}
		}
	}
	if len(r.violations) == 0 || !r.policy.Restores() || r.env.Restorer == nil {
		return nil
	}
	return r.restore(ctx)
}

// ruleOf is the rule of a verdict, or its reason if no rule decided.
func ruleOf(v policy.Verdict) string {
	if v.Rule != "" {
		return v.Rule
	}
	return string(v.Reason)
}

// broken says whether a known file isn't the regular file with the bytes that it was. A
// file that can't be read isn't known to be.
func (r *round) broken(p probe) (bool, error) {
	switch p.sight {
	case failed:
		return false, nil
	case regular:
	default:
		return true, nil
	}
	was, ok := r.p.baselines.Persisted(p.path)
	if !ok {
		return false, nil
	}
	if p.id.Size != was.Content.Len {
		return true, nil
	}
	now, _, err := r.env.Tree.ReadFile(p.path, was.Content.Len, nil)
	switch {
	case errors.Is(err, tree.ErrTooLarge), errors.Is(err, tree.ErrLink), errors.Is(err, tree.ErrNotRegular), errors.Is(err, tree.ErrAbsent):
		return true, nil
	case err != nil:
		return false, nil //nolint:nilerr // a file that can't be read is no violation (spec §13.10)
	}
	before, err := r.env.Store.Get(was.Content, nil)
	if err != nil {
		return false, fmt.Errorf("content of %s: %w", p.path, err)
	}
	return !bytes.Equal(now, before), nil
}

// restore puts the tree back and looks again at what it put back. A file that is back
// where it was has not been moved, so its recorded destination is a new file after all.
func (r *round) restore(ctx context.Context) error {
	undo := r.undo()
	if len(undo) == 0 {
		return nil
	}
	if r.env.BeforeRestore != nil {
		announced := make([]Violation, len(undo))
		for i, u := range undo {
			announced[i] = *r.violations[u.Path]
		}
		if err := r.env.BeforeRestore(announced); err != nil {
			return fmt.Errorf("record violations before they are undone: %w", err)
		}
	}
	for i, err := range r.env.Restorer.Restore(ctx, undo) {
		u := undo[i]
		r.violations[u.Path].Restored = err == nil
		if !u.Remove {
			*r.probe(u.Path) = r.look(u.Path)
		}
	}
	moved := r.moves
	r.keepMoves()
	for to := range moved {
		if r.moves[to] == "" {
			r.fresh = append(r.fresh, to)
		}
	}
	slices.Sort(r.fresh)
	return nil
}

// undo lists what is to be done: new files go first, each group by path (spec §13.10).
func (r *round) undo() []Undo {
	var undo []Undo
	for _, path := range r.fresh {
		if r.violations[path] != nil {
			undo = append(undo, Undo{Path: path, Remove: true})
		}
	}
	for _, p := range r.probes {
		was, ok := r.p.baselines.Persisted(p.path)
		if v := r.violations[p.path]; v == nil || v.Restored || !ok {
			continue
		}
		undo = append(undo, Undo{
			Path:    p.path,
			Content: was.Content,
			Attr:    tree.Attr{Mode: was.ID.Mode, UID: was.ID.UID, GID: was.ID.GID, KeepOwner: true},
		})
	}
	return undo
}
