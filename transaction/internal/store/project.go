package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/disk"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// recover finishes what was published and isn't written yet (§ 13.8). A store without a
// cursor doesn't guess: the directory stays as it is (§ 13.9).
func (h *hold) recover(ctx context.Context) (head, []blocks.Drift, error) {
	top, err := h.s.readHead()
	if err != nil {
		return head{}, nil, err
	}
	if h.cursorTo == git.Zero {
		h.cursorTo = top.id
		return top, nil, nil
	}
	drift, err := h.project(ctx, top)
	return top, drift, err
}

// project writes to the directory what differs between the cursor and a commit, and has
// the cursor moved there (§ 13.2). Local work is left and returned, sorted by path.
func (h *hold) project(ctx context.Context, to head) ([]blocks.Drift, error) {
	if h.cursorTo == to.id {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, from, err := h.s.repo.ReadCommit(string(h.cursorTo))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, refCursor, err)
	}
	differences, err := h.s.repo.Trees().Diff(from.Tree, to.Tree)
	if err != nil {
		return nil, err
	}
	changes, drift, err := h.s.changes(differences)
	if err != nil {
		return drift, err
	}
	found, err := h.s.disk.Apply(changes, func(path string) error {
		h.s.probe(BeforeReplace, path)
		return h.check()
	})
	for _, f := range found {
		drift = append(drift, blocks.Drift{Path: f.Path, FileVersion: f.Found.Version, ExpectedVersion: f.Expected, TargetVersion: f.Target})
	}
	slices.SortFunc(drift, func(a, b blocks.Drift) int { return strings.Compare(a.Path, b.Path) })
	if err != nil {
		return drift, err
	}
	h.s.probe(BeforeCursor, "")
	h.cursorTo = to.id
	return drift, nil
}

// changes turns differences of two commits into changes of files. What is no file, and
// names that no store of ours publishes, are never written: they are drift unless the
// directory has them already.
func (s *Store) changes(differences []git.Difference) ([]disk.Change, []blocks.Drift, error) {
	var changes []disk.Change
	var drift []blocks.Drift
	for _, d := range differences {
		p, t := version(d.Old), version(d.New)
		if p == t {
			continue // the executable bit alone is no drift (§ 29.4)
		}
		if writable(d) {
			changes = append(changes, s.change(d, p, t))
			continue
		}
		now, err := s.disk.Look(d.Path)
		if err != nil {
			return nil, drift, err
		}
		if now.Version != t {
			drift = append(drift, blocks.Drift{Path: d.Path, FileVersion: now.Version, ExpectedVersion: p, TargetVersion: t})
		}
	}
	return changes, drift, nil
}

// writable reports whether a difference may be written to the directory. A store that
// somebody else has made could name anything.
func writable(d git.Difference) bool {
	if d.New.Exists() && !d.New.Mode.IsFile() {
		return false
	}
	path, err := blocks.TargetPath(d.Path)
	return err == nil && path == d.Path
}

func (s *Store) change(d git.Difference, p, t string) disk.Change {
	return disk.Change{
		Path: d.Path, Expected: p, Target: t, Mode: d.New.Mode,
		Write: func(w io.Writer) error { return s.repo.Copy(d.New.ID, w) },
	}
}

// sweep removes the temp files of the dead (§ 14.5). What can't be removed stays.
func (s *Store) sweep() {
	_ = s.disk.Sweep(ownerProc, s.DeadOwners, s.TempKeep)
}
