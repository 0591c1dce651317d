package store

import (
	"context"
	"errors"
	"slices"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// stale reports the targets that head has otherwise than they were observed; if work on
// the disk is in the way of one of them, that (§ 10.2).
func (st *settlement) stale(ctx context.Context) (*blocks.Report, error) {
	var stale, dirty []int
	for i, t := range st.p.Targets {
		if version(st.entries[i]) == t.Observed.Version {
			continue
		}
		stale = append(stale, i)
		drifted, err := st.drifted(i, version(st.entries[i]))
		if err != nil {
			return nil, err
		}
		if drifted {
			dirty = append(dirty, i)
		}
	}
	switch {
	case len(stale) == 0:
		return nil, nil
	case len(dirty) > 0:
		return st.dirtyReport(dirty, func(i int) string { return version(st.entries[i]) })
	}
	return st.staleReport(ctx, stale)
}

// staleReport shows what head has now, and has the disk show it, too (§ 11.6).
func (st *settlement) staleReport(ctx context.Context, stale []int) (*blocks.Report, error) {
	r := st.report(blocks.StatusStale)
	seen := map[string]Observation{}
	for _, i := range stale {
		t := st.p.Targets[i]
		content, v, err := st.s.content(st.entries[i])
		if err != nil {
			return nil, err
		}
		changes, err := st.s.changesSince(ctx, t.Observed.Revision, st.top.id, t.Path)
		if err != nil {
			return nil, err
		}
		r.StaleFiles = append(r.StaleFiles, blocks.StaleFile{
			Path: t.Path, Content: content, FileVersion: v, ObservedVersion: t.Observed.Version,
			RepoRevision: string(st.top.id), ChangesSinceRead: changes,
		})
		seen[t.Path] = Observation{Version: v, Revision: string(st.top.id)}
	}
	drift, err := st.h.project(ctx, st.top)
	if err != nil {
		return nil, err
	}
	r.LocalDrift = append(r.LocalDrift, drift...)
	st.observe(seen)
	return r, nil
}

// observe has observations added to the agent's view when the lock is freed (§ 11.3).
func (st *settlement) observe(seen map[string]Observation) {
	if st.p.KeepView {
		st.h.setView(st.p.Agent, func(v View) (View, bool) { return v.observe(seen), v.Agent == st.p.Agent })
	}
}

// preconditions and unresolved report what is wrong with the proposal (§ 10.4).
func (st *settlement) preconditions(context.Context) (*blocks.Report, error) {
	return st.show(blocks.StatusPreconditionFailed, st.p.Preconditions), nil
}

func (st *settlement) unresolved(context.Context) (*blocks.Report, error) {
	return st.show(blocks.StatusEditUnresolved, st.p.Unresolved), nil
}

// show returns a report with the files that errors are about. Nothing is stale, so what
// was observed is what head has.
func (st *settlement) show(status blocks.Status, errs []blocks.Error) *blocks.Report {
	if len(errs) == 0 {
		return nil
	}
	r := st.report(status)
	r.Errors = errs
	seen := map[string]Observation{}
	for _, t := range st.p.Targets {
		if _, shown := seen[t.Path]; shown || !slices.ContainsFunc(errs, func(e blocks.Error) bool { return e.Path == t.Path }) {
			continue
		}
		r.Files = append(r.Files, blocks.ShownFile{Path: t.Path, Content: t.Observed.Content, FileVersion: t.Observed.Version})
		seen[t.Path] = Observation{Version: t.Observed.Version, Revision: string(st.top.id)}
	}
	st.observe(seen)
	return r
}

// findings reports final sizes, and in block order what head or the disk have in the
// way (§ 10.5).
func (st *settlement) findings(context.Context) (*blocks.Report, error) {
	errs := blocks.ValidateResolved(st.candidates(), st.s.Config)
	collisions, err := st.collisions()
	if err != nil {
		return nil, err
	}
	for i, t := range st.p.Targets {
		if other, ok := collisions[i]; ok {
			errs = append(errs, blocks.Error{Code: blocks.CodePathClash, Path: t.Path,
				Hint: "rename the file: it differs from " + other + " only by letter case or accents"})
		}
		e, err := st.inTheWay(i)
		if err != nil {
			return nil, err
		}
		if e != nil {
			errs = append(errs, *e)
		}
	}
	if len(errs) == 0 {
		return nil, nil
	}
	r := st.report(blocks.StatusFailed)
	r.RepoRevision, r.Errors = "", errs
	return r, nil
}

func (st *settlement) candidates() []blocks.Candidate {
	out := make([]blocks.Candidate, 0, len(st.p.Targets))
	for _, t := range st.p.Targets {
		out = append(out, *t.Candidate)
	}
	return out
}

// inTheWay judges a target by § 4.4.
func (st *settlement) inTheWay(i int) (*blocks.Error, error) {
	path := st.p.Targets[i].Path
	for _, e := range st.above[i] {
		switch {
		case e.Mode == git.ModeLink:
			return symlink(path), nil
		case e.Mode != git.ModeTree:
			return clash(path), nil
		}
	}
	switch st.entries[i].Mode {
	case git.ModeLink:
		return symlink(path), nil
	case git.ModeTree:
		return clash(path), nil
	}
	_, kind, err := st.s.disk.Ancestor(path)
	switch {
	case err != nil:
		return nil, err
	case kind == tree.Link:
		return symlink(path), nil
	case kind != 0:
		return clash(path), nil
	}
	return nil, nil
}

func symlink(path string) *blocks.Error {
	return &blocks.Error{Code: blocks.CodePathSymlink, Path: path, Hint: blocks.CodePathSymlink.Hint()}
}

func clash(path string) *blocks.Error {
	return &blocks.Error{Code: blocks.CodePathClash, Path: path, Hint: "rename the file, or delete what is in its way first, in a message of its own: a file and a directory have one name here"}
}

// collisions returns for targets the path of head that another file system would take
// for the same (§ 4.2).
func (st *settlement) collisions() (map[int]string, error) {
	if !st.s.Config.RejectCaseCollisions {
		return nil, nil
	}
	byKey := map[string][]int{}
	for i, t := range st.p.Targets {
		key := blocks.CollisionKey(t.Path)
		byKey[key] = append(byKey[key], i)
	}
	found := map[int]string{}
	err := st.trees.Walk(st.top.Tree, func(path string, _ git.Entry) error {
		for _, i := range byKey[blocks.CollisionKey(path)] {
			if st.p.Targets[i].Path != path {
				found[i] = path
			}
		}
		return nil
	})
	return found, err
}

// dirty reports the targets that somebody works on in the directory (§ 10.6).
func (st *settlement) dirty(context.Context) (*blocks.Report, error) {
	var dirty []int
	for i := range st.p.Targets {
		drifted, err := st.drifted(i, st.versions[i])
		if err != nil {
			return nil, err
		}
		if drifted {
			dirty = append(dirty, i)
		}
	}
	if len(dirty) == 0 {
		return nil, nil
	}
	return st.dirtyReport(dirty, func(i int) string { return st.versions[i] })
}

// drifted reports whether the disk has a target neither as it was written last nor as
// it would be (§ 13.3).
func (st *settlement) drifted(i int, target string) (bool, error) {
	now, err := st.s.disk.Look(st.p.Targets[i].Path)
	if err != nil {
		return false, err
	}
	if now.Version == target {
		return false, nil
	}
	p, err := st.h.projected(st.trees, st.p.Targets[i].Path)
	return now.Version != p, err
}

// projected returns the version of a path at the cursor.
func (h *hold) projected(trees *git.TreeReader, path string) (string, error) {
	_, c, err := h.s.repo.ReadCommit(string(h.cursorTo))
	if err != nil {
		return "", errors.Join(ErrDamaged, err)
	}
	e, _, err := trees.Lookup(c.Tree, path)
	return version(e), err
}

func (st *settlement) dirtyReport(dirty []int, target func(int) string) (*blocks.Report, error) {
	r := st.report(blocks.StatusWorktreeDirty)
	for _, i := range dirty {
		path := st.p.Targets[i].Path
		content, now, err := st.s.disk.Read(path)
		if err != nil {
			return nil, err
		}
		p, err := st.h.projected(st.trees, path)
		if err != nil {
			return nil, err
		}
		r.DirtyFiles = append(r.DirtyFiles, blocks.DirtyFile{
			Path: path, Content: content, FileVersion: now.Version, ExpectedVersion: p, TargetVersion: target(i),
		})
	}
	return r, nil
}

// unchanged reports that no target would change (§ 10.7).
func (st *settlement) unchanged(context.Context) (*blocks.Report, error) {
	seen := map[string]Observation{}
	for i, t := range st.p.Targets {
		if st.versions[i] != version(st.entries[i]) {
			return nil, nil
		}
		seen[t.Path] = Observation{Version: st.versions[i], Revision: string(st.top.id)}
	}
	r := st.report(blocks.StatusUnchanged)
	r.Results = st.results()
	st.observe(seen)
	return r, nil
}

func (st *settlement) results() []blocks.Result {
	out := make([]blocks.Result, 0, len(st.p.Targets))
	for _, t := range st.p.Targets {
		out = append(out, t.Candidate.Result)
	}
	return out
}
