package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/disk"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// AbsorbRequest asks to publish what the directory already holds (§ 29).
type AbsorbRequest struct {
	Run    string   // the pipeline run whose Paths these are; "": a person asks
	Paths  []string // of a run: paths; of a person: arguments, none for all local work
	Roots  []string // absolute spellings of the root, for arguments
	Read   blocks.Policy
	DryRun bool
}

// Absorb publishes local work (§ 29). Without a store there is no report.
func (s *Store) Absorb(ctx context.Context, req AbsorbRequest) (report *blocks.AbsorbReport, err error) {
	if there, err := s.Exists(); !there || err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		report, err = s.absorbOnce(ctx, req)
		if !errors.Is(err, git.ErrChanged) || try == baselineTries {
			return report, err
		}
	}
}

func (s *Store) absorbOnce(ctx context.Context, req AbsorbRequest) (report *blocks.AbsorbReport, err error) {
	h, err := s.takeOrCreate(ctx)
	if err != nil {
		return nil, err
	}
	a := absorption{s: s, h: h, req: req, until: s.Now().Add(s.Wait)}
	report, err = a.run(ctx)
	if freeErr := h.free(ctx); freeErr != nil {
		err = errors.Join(err, freeErr)
	}
	s.sweep()
	return report, err
}

// absorption is one request while it is worked on, under the lock.
type absorption struct {
	s     *Store
	h     *hold
	req   AbsorbRequest
	until time.Time

	began git.ID // the tree at the cursor when it began (B)
	paths []string
	found map[string]disk.State // what the disk holds (W)
	drift []blocks.Drift

	top   head
	trees *git.TreeReader
}

func (a *absorption) run(ctx context.Context) (*blocks.AbsorbReport, error) {
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	refused, err := a.collect(ctx)
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		return &blocks.AbsorbReport{Status: blocks.StatusFailed, Run: a.req.Run, Errors: refused}, nil
	}
	if err := a.look(); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		report, err := a.attempt(ctx)
		if !errors.Is(err, git.ErrLost) {
			return report, err
		}
		if err := a.h.check(); err != nil {
			return nil, err
		}
		if try == a.s.MaxSwaps || a.s.Now().After(a.until) {
			return nil, fmt.Errorf("%d tries to move %s were lost: %w", try, a.s.CanonicalRef, err)
		}
		if err := pause(ctx, 0, min(5*time.Millisecond<<min(try-1, 10), 200*time.Millisecond)); err != nil {
			return nil, err
		}
		if a.top, err = a.s.readHead(); err != nil {
			return nil, err
		}
	}
}

// begin notes what the directory was last known to hold, and recovers. A dry run writes
// nothing.
func (a *absorption) begin(ctx context.Context) error {
	top, err := a.s.readHead()
	if err != nil {
		return err
	}
	began := top.CommitInfo
	if a.h.cursorTo != git.Zero {
		if _, began, err = a.s.repo.ReadCommit(string(a.h.cursorTo)); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, refCursor, err)
		}
	}
	a.began, a.top, a.trees = began.Tree, top, a.s.repo.Trees()
	if !a.req.DryRun {
		a.top, a.drift, err = a.h.recover(ctx)
	}
	return err
}

// look reads what the disk holds at each path, once.
func (a *absorption) look() error {
	a.found = make(map[string]disk.State, len(a.paths))
	for _, path := range a.paths {
		if allowed, _ := a.req.Read(path); !allowed {
			continue
		}
		state, err := a.s.disk.Look(path)
		if err != nil {
			return err
		}
		a.found[path] = state
	}
	return nil
}

// attempt publishes on one head. git.ErrLost says that head has moved.
func (a *absorption) attempt(ctx context.Context) (*blocks.AbsorbReport, error) {
	taken, left, err := a.sort()
	if err != nil {
		return nil, err
	}
	report := &blocks.AbsorbReport{
		Status: blocks.StatusUnchanged, RepoRevision: string(a.top.id), Run: a.req.Run, Left: left, LocalDrift: a.drift, DryRun: a.req.DryRun,
	}
	if len(taken) == 0 {
		return report, nil
	}
	report.Status = blocks.StatusCommitted
	for _, t := range taken {
		report.Results = append(report.Results, t.result)
	}
	if a.req.Run == "" {
		if err := a.countLines(report, taken); err != nil {
			return nil, err
		}
	}
	if a.req.DryRun {
		return report, nil
	}
	now, err := a.publish(ctx, taken)
	if err != nil {
		return nil, err
	}
	report.Commit, report.RepoRevision = string(now.id), string(now.id)
	// What fails here was published all the same; the next transaction finishes it.
	drift, _ := a.h.project(context.WithoutCancel(ctx), now)
	report.LocalDrift = slices.Concat(a.drift, drift)
	slices.SortStableFunc(report.LocalDrift, func(x, y blocks.Drift) int { return strings.Compare(x.Path, y.Path) })
	return report, nil
}

// taken is a path whose bytes are published.
type taken struct {
	path   string
	state  disk.State
	before git.Entry // in head
	result blocks.AbsorbResult
}

// sort decides for each path, in order, whether it is taken, left, or nothing to do
// (§§ 29.4, 29.5).
func (a *absorption) sort() ([]taken, []blocks.AbsorbLeft, error) {
	var all []taken
	var left []blocks.AbsorbLeft
	for _, path := range a.paths {
		t, code, err := a.judge(path)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case code == blocks.CodePathDenied:
			left = append(left, blocks.AbsorbLeft{Path: path, Code: code})
		case code != "":
			left = append(left, t.left(code))
		case t.path != "":
			all = append(all, t)
		}
	}
	all, clashing, err := a.withoutClashes(all)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range clashing {
		left = append(left, t.left(blocks.CodePathClash))
	}
	slices.SortFunc(left, func(x, y blocks.AbsorbLeft) int { return strings.Compare(x.Path, y.Path) })
	return all, left, nil
}

// left is the row of a path that was not taken. ExpectedVersion holds B in the result.
func (t taken) left(code blocks.Code) blocks.AbsorbLeft {
	return blocks.AbsorbLeft{Path: t.path, Code: code, FileVersion: t.result.FileVersion, ExpectedVersion: t.result.ExpectedVersion, TargetVersion: version(t.before)}
}

// judge compares what the disk holds (W) with head (T) and with what it was last known
// to hold (B). A zero path says that there is nothing to take.
func (a *absorption) judge(path string) (t taken, code blocks.Code, err error) {
	state, readable := a.found[path]
	if !readable {
		return taken{}, blocks.CodePathDenied, nil
	}
	before, _, err := a.trees.Lookup(a.top.Tree, path)
	if err != nil {
		return taken{}, "", err
	}
	began, _, err := a.trees.Lookup(a.began, path)
	if err != nil {
		return taken{}, "", err
	}
	w := state.Version
	if state.Kind == tree.Directory {
		w = blocks.VersionAbsent
	}
	t = taken{path: path, state: state, before: before, result: blocks.AbsorbResult{Path: path, FileVersion: w, ExpectedVersion: version(began)}}
	if w == blocks.VersionNonFile {
		return a.judgeNonFile(t)
	}
	target := version(before)
	switch {
	case w == target:
		return taken{}, "", nil
	case target != version(began):
		return t, blocks.CodeAbsorbConflict, nil
	}
	t.result.Status = blocks.Updated
	switch {
	case w == blocks.VersionAbsent:
		t.result.Status = blocks.Deleted
	case target == blocks.VersionAbsent:
		t.result.Status = blocks.Created
	}
	return t, "", nil
}

// judgeNonFile judges a link, a special file, and what lies below a link.
func (a *absorption) judgeNonFile(t taken) (taken, blocks.Code, error) {
	switch t.state.Kind {
	case tree.Other:
		return t, blocks.CodePathClash, nil
	case tree.Link:
		target, err := a.s.disk.Root().ReadLink(t.path)
		if err != nil && !errors.Is(err, tree.ErrAbsent) && !errors.Is(err, tree.ErrNotRegular) {
			return taken{}, "", err
		}
		same := git.Object{Kind: git.Blob, Data: []byte(target)}.ID() == t.before.ID
		if err == nil && same && t.before.Mode == git.ModeLink {
			return taken{}, "", nil
		}
	}
	return t, blocks.CodePathSymlink, nil
}

// withoutClashes splits off the files that could not stand in the new tree: below
// something that stays a file, or in the place of a directory that stays.
func (a *absorption) withoutClashes(all []taken) (keep, clashing []taken, err error) {
	removed := map[string]bool{}
	for _, t := range all {
		removed[t.path] = t.result.Status == blocks.Deleted
	}
	for _, t := range all {
		clashes := false
		if t.result.Status != blocks.Deleted {
			if clashes, err = a.clashes(t.path, removed); err != nil {
				return nil, nil, err
			}
		}
		if clashes {
			clashing = append(clashing, t)
		} else {
			keep = append(keep, t)
		}
	}
	return keep, clashing, nil
}

// clashes reports whether a file at path would meet a file above it, or files below
// it, that stay.
func (a *absorption) clashes(path string, removed map[string]bool) (bool, error) {
	at, above, err := a.trees.Lookup(a.top.Tree, path)
	if err != nil {
		return false, err
	}
	if n := len(above); n > 0 && above[n-1].Mode != git.ModeTree {
		return !removed[ancestor(path, n)], nil
	}
	if at.Mode != git.ModeTree {
		return false, nil
	}
	stays := false
	err = a.trees.Walk(at.ID, func(below string, _ git.Entry) error {
		stays = stays || !removed[path+"/"+below]
		return nil
	})
	return stays, err
}

// ancestor returns the first n segments of path.
func ancestor(path string, n int) string {
	segments := strings.SplitN(path, "/", n+1)
	return strings.Join(segments[:n], "/")
}
