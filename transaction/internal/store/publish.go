package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// publish commits what the targets would become on top of head, moves the canonical ref
// and the agent's view together, and writes the directory (§§ 10.9, 12.4-12.6).
func (st *settlement) publish(ctx context.Context) (blocks.Report, error) {
	objects, changes := st.changed()
	root, trees, err := st.trees.Edit(st.top.Tree, changes)
	if err != nil {
		return blocks.Report{}, err
	}
	commit, err := st.commit(ctx, root, len(changes))
	if err != nil {
		return blocks.Report{}, err
	}
	objects = append(append(objects, trees...), commit)
	swap := []git.Update{st.h.mine(), {Ref: st.s.CanonicalRef, Old: st.top.id, New: commit.ID()}}
	if st.p.KeepView {
		object, update, err := st.view(commit.ID())
		if err != nil {
			return blocks.Report{}, err
		}
		if update.Ref != "" {
			objects, swap = append(objects, object), append(swap, update)
		}
	}
	if err := st.s.repo.Write(ctx, objects); err != nil {
		return blocks.Report{}, err
	}
	st.s.probe(BeforeSwap, "")
	if err := st.s.repo.Update(ctx, swap...); err != nil {
		return blocks.Report{}, err
	}
	st.s.probe(AfterSwap, "")
	return st.published(context.WithoutCancel(ctx), head{commit.ID(), git.CommitInfo{Tree: root}}), nil
}

// changed returns the blobs of the targets that change, and the changes.
func (st *settlement) changed() ([]git.Object, []git.Change) {
	var objects []git.Object
	var changes []git.Change
	for i, t := range st.p.Targets {
		if st.versions[i] == version(st.entries[i]) {
			continue
		}
		c := git.Change{Path: t.Path}
		if t.Candidate.Content != nil {
			blob := git.Object{Kind: git.Blob, Data: t.Candidate.Content}
			objects = append(objects, blob)
			c.Entry = git.Entry{Mode: fileMode(st.entries[i].Mode), ID: git.ID(st.versions[i])}
		}
		changes = append(changes, c)
	}
	return objects, changes
}

// fileMode keeps the executable bit of a file that exists (§ 6.5).
func fileMode(before git.Mode) git.Mode {
	if before == git.ModeExecutable {
		return git.ModeExecutable
	}
	return git.ModeFile
}

// commit returns the commit of a tree on top of head (§ 12.5).
func (st *settlement) commit(ctx context.Context, root git.ID, files int) (git.Object, error) {
	author, err := st.s.repo.Identity(ctx, git.Author, st.s.Now())
	if err != nil {
		return git.Object{}, err
	}
	committer, err := st.s.repo.Identity(ctx, git.Committer, st.s.Now())
	if err != nil {
		return git.Object{}, err
	}
	return git.CommitInfo{
		Tree: root, Parent: st.top.id, Author: author, Committer: committer,
		Message: git.Message(fmt.Sprintf("fettle: %d file(s)", files),
			git.Trailer{Key: trailerAgent, Value: st.p.Agent}, git.Trailer{Key: trailerTransaction, Value: st.p.TransactionID}),
	}.Format(), nil
}

// The trailers of commits (§§ 12.5, 29.6).
const (
	trailerAgent       = "Fettle-Agent"
	trailerTransaction = "Fettle-Transaction"
	trailerRun         = "Fettle-Run"
)

// view returns the agent's view with the targets observed as published, and the step
// that moves it.
func (st *settlement) view(commit git.ID) (git.Object, git.Update, error) {
	v, id, err := st.s.readView(st.p.Agent)
	if err != nil || v.Agent != st.p.Agent {
		return git.Object{}, git.Update{}, err
	}
	seen := map[string]Observation{}
	for i, t := range st.p.Targets {
		seen[t.Path] = Observation{Version: st.versions[i], Revision: string(commit)}
	}
	o, err := viewObject(v.observe(seen))
	return o, git.Update{Ref: viewRef(st.p.Agent), Old: id, New: o.ID()}, err
}

// published writes what is published to the directory and reports.
func (st *settlement) published(ctx context.Context, now head) blocks.Report {
	drift, err := st.h.project(ctx, now)
	r := blocks.Report{
		Status: blocks.StatusCommitted, Commit: string(now.id), RepoRevision: string(now.id),
		Results: st.results(), LocalDrift: append(st.drift[:len(st.drift):len(st.drift)], drift...),
	}
	if err != nil {
		st.fail(&r, err)
		return r
	}
	for _, d := range drift {
		if slices.ContainsFunc(st.p.Targets, func(t Target) bool { return t.Path == d.Path }) {
			st.fail(&r, fmt.Errorf("%q: %w", d.Path, errLocalWork))
		}
	}
	return r
}

var errLocalWork = errors.New("somebody wrote the file after it was compared; it keeps these bytes")
