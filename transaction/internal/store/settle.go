package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// Proposal is what a message wants, resolved against what its agent has observed, or
// what is wrong with it. Findings of the proposal count only if nothing is stale.
type Proposal struct {
	Agent         string
	KeepView      bool // the agent has a view, which follows what is settled
	TransactionID string
	Targets       []Target // in block order

	Preconditions []blocks.Error // § 6, in block order
	Unresolved    []blocks.Error // §§ 7, 8, in block order
}

// Target is the file of one block.
type Target struct {
	Path      string
	Observed  blocks.Observed
	Candidate *blocks.Candidate // nil if the block did not resolve
}

// proposed returns the version that a target would have.
func (t Target) proposed() string {
	switch {
	case t.Candidate == nil:
		return ""
	case t.Candidate.Content == nil:
		return blocks.VersionAbsent
	}
	return string(git.Object{Kind: git.Blob, Data: t.Candidate.Content}.ID())
}

// Settle judges a proposal against head and the disk and publishes it, in the order of
// § 10. What stands in the way is a report; the error is for what prevents judging: the
// lock, the swaps, the store. Then nothing was published.
func (s *Store) Settle(ctx context.Context, p Proposal) (report blocks.Report, err error) {
	h, err := s.take(ctx)
	if err != nil {
		return blocks.Report{}, err
	}
	st := settlement{s: s, h: h, p: p, versions: make([]string, len(p.Targets)), until: s.Now().Add(s.Wait)}
	for i, t := range p.Targets {
		st.versions[i] = t.proposed()
	}
	report, err = st.run(ctx)
	if freeErr := h.free(ctx); freeErr != nil {
		report, err = st.notFreed(report, err, freeErr)
	}
	s.sweep()
	return report, err
}

// settlement is one proposal while it is settled, under the lock.
type settlement struct {
	s        *Store
	h        *hold
	p        Proposal
	versions []string // of each target as proposed
	until    time.Time

	drift []blocks.Drift // what recovery and projection left

	top     head
	trees   *git.TreeReader
	entries []git.Entry   // of each target in head
	above   [][]git.Entry // its ancestors there
}

// run recovers, then tries on each head that it meets.
func (st *settlement) run(ctx context.Context) (blocks.Report, error) {
	top, drift, err := st.h.recover(ctx)
	if err != nil {
		return blocks.Report{}, err
	}
	st.top, st.drift = top, drift
	for try := 1; ; try++ {
		report, err := st.attempt(ctx)
		if !errors.Is(err, git.ErrLost) {
			return report, err
		}
		if err := st.h.check(); err != nil {
			return blocks.Report{}, err
		}
		if try == st.s.MaxSwaps {
			return blocks.Report{}, fmt.Errorf("%d tries to move %s were lost: %w", try, st.s.CanonicalRef, err)
		}
		if err := st.backOff(ctx, try); err != nil {
			return blocks.Report{}, err
		}
		if st.top, err = st.s.readHead(); err != nil {
			return blocks.Report{}, err
		}
	}
}

// backOff waits between two swaps: full jitter, from 5 ms doubling to 200 ms (§ 10.7).
func (st *settlement) backOff(ctx context.Context, try int) error {
	if st.s.Now().After(st.until) {
		return fmt.Errorf("the bound of %s for contention has passed", st.s.Wait)
	}
	return pause(ctx, 0, min(5*time.Millisecond<<min(try-1, 10), 200*time.Millisecond))
}

// attempt judges the proposal against one head and publishes it there. git.ErrLost says
// that head has moved.
func (st *settlement) attempt(ctx context.Context) (blocks.Report, error) {
	if err := st.lookUp(); err != nil {
		return blocks.Report{}, err
	}
	for _, judge := range []func(context.Context) (*blocks.Report, error){
		st.stale, st.preconditions, st.unresolved, st.findings, st.dirty, st.unchanged,
	} {
		if report, err := judge(ctx); report != nil || err != nil {
			return deref(report), err
		}
	}
	return st.publish(ctx)
}

func deref(r *blocks.Report) blocks.Report {
	if r == nil {
		return blocks.Report{}
	}
	return *r
}

// lookUp finds the targets in head.
func (st *settlement) lookUp() error {
	n := len(st.p.Targets)
	st.trees, st.entries, st.above = st.s.repo.Trees(), make([]git.Entry, n), make([][]git.Entry, n)
	for i, t := range st.p.Targets {
		var err error
		if st.entries[i], st.above[i], err = st.trees.Lookup(st.top.Tree, t.Path); err != nil {
			return err
		}
	}
	return nil
}

// report returns the frame of a report at head.
func (st *settlement) report(status blocks.Status) *blocks.Report {
	return &blocks.Report{Status: status, RepoRevision: string(st.top.id), LocalDrift: st.drift}
}

// notFreed is what becomes of a report when the lock couldn't be given away as planned.
func (st *settlement) notFreed(report blocks.Report, err, freeErr error) (blocks.Report, error) {
	if report.Status == blocks.StatusCommitted {
		st.fail(&report, fmt.Errorf("after the projection: %w", freeErr))
		return report, err
	}
	if errors.Is(freeErr, ErrLockLost) && err == nil && report.Status == blocks.StatusProjectionFailed {
		return report, nil
	}
	return report, errors.Join(err, freeErr)
}

// fail turns the report of what was published into projection-failed (§ 13.7).
func (st *settlement) fail(report *blocks.Report, cause error) {
	report.Status = blocks.StatusProjectionFailed
	report.Errors = []blocks.Error{{
		Code: blocks.CodeMaterializeFailed, Detail: cause.Error(),
		Hint: "what was published stays; send a message or prepare again, which finishes writing it",
	}}
}
