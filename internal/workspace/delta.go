package workspace

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Remit is what an invocation of a Filter or Delta capability may do (spec §8.11).
type Remit struct {
	Paths     []string     // the invocation's paths, sorted
	Scope     glob.Entries // nil: none declared, which is **
	Selector  glob.Entries // nil: none
	ReadOnly  bool         // spec §8.10
	Generates bool
}

// creatable reports whether the invocation may create a file at path.
func (r Remit) creatable(path string) bool {
	scope := r.Scope
	if scope == nil {
		scope = glob.Everything()
	}
	return scope.Match(path) && (r.Selector == nil || r.Selector.Match(path))
}

func (r Remit) given(path string) bool {
	_, ok := slices.BinarySearch(r.Paths, path)
	return ok
}

// ApplyDelta judges a delta and applies it, all or nothing (spec §8.11). dropped counts
// changes to what is there already, which are left out. Errors are *fault.Error of kind
// StepFailed, BadArgument for a claim of an invocation that has no paths and generates
// nothing, or WorkspaceBounds.
func (w *Workspace) ApplyDelta(env Env, remit Remit, d Delta) (next *Workspace, dropped int, err error) {
	if d.Empty() {
		return w, 0, nil
	}
	if remit.ReadOnly {
		return nil, 0, fault.New(fault.StepFailed, fault.ReasonReadOnly, "", "a read-only invocation returned changes").
			WithHint("a check, and a lint without fix, may only report")
	}
	if len(remit.Paths) == 0 && !remit.Generates {
		return nil, 0, fault.New(fault.BadArgument, fault.ReasonNoMatch, "",
			"an invocation that was given no paths and generates nothing returned changes").
			WithHint("declare generates, or select files")
	}
	c, err := d.claims(env.Bounds.MaxDepth)
	if err != nil {
		return nil, 0, err
	}
	batch := w.Batch(env)
	if dropped, err = c.dropNoOps(batch); err != nil {
		return nil, 0, err
	}
	if err := c.confined(remit); err != nil {
		return nil, 0, err
	}
	if err := c.free(w); err != nil {
		return nil, 0, err
	}
	if err := c.textual(env.Types); err != nil {
		return nil, 0, err
	}
	if err := c.apply(batch); err != nil {
		return nil, 0, err
	}
	next, err = batch.Commit()
	return next, dropped, err
}

// dropNoOps leaves out changes to the bytes that are there, and counts them.
func (c *claims) dropNoOps(b *Batch) (int, error) {
	kept := c.changed[:0]
	for _, u := range c.changed {
		noop, err := b.holdsText(u.Path, u.Text)
		if err != nil {
			return 0, err
		}
		if !noop {
			kept = append(kept, u)
		}
	}
	dropped := len(c.changed) - len(kept)
	c.changed = kept
	return dropped, nil
}

// holdsText reports whether a file has this text, in its own encoding.
func (b *Batch) holdsText(path, s string) (bool, error) {
	if _, ok := b.w.File(path); !ok {
		return false, nil
	}
	have, _, err := b.Text(path)
	return have == s, err
}

// apply does renames, deletions, additions, changes, in that order.
func (c *claims) apply(b *Batch) error {
	for _, m := range c.renamed {
		if err := b.Move(m.From, m.To); err != nil {
			return err
		}
	}
	for _, p := range c.deleted {
		if err := b.Delete(p); err != nil {
			return err
		}
	}
	for _, a := range c.added {
		if err := b.Add(a.Path, a.Text); err != nil {
			return err
		}
	}
	for _, u := range c.changed {
		if err := b.Update(u.Path, u.Text); err != nil {
			return err
		}
	}
	return nil
}

func refuseDelta(reason fault.Reason, path, rule string) *fault.Error {
	return fault.New(fault.StepFailed, reason, path, "the delta is refused: %s", rule).
		WithHint("nothing of it is applied; the engine must return another")
}
