package store

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// publish commits what was taken on top of head, with the modes of the disk, and moves
// the canonical ref (§ 29.6).
func (a *absorption) publish(ctx context.Context, all []taken) (head, error) {
	changes, err := a.write(ctx, all)
	if err != nil {
		return head{}, err
	}
	root, trees, err := a.trees.Edit(a.top.Tree, changes)
	if err != nil {
		return head{}, err
	}
	commit, err := a.commit(ctx, root, len(all))
	if err != nil {
		return head{}, err
	}
	if err := a.s.repo.Write(ctx, append(trees, commit)); err != nil {
		return head{}, err
	}
	a.s.probe(BeforeSwap, "")
	err = a.s.repo.Update(ctx, a.h.mine(), git.Update{Ref: a.s.CanonicalRef, Old: a.top.id, New: commit.ID()})
	if err != nil {
		return head{}, err
	}
	a.s.probe(AfterSwap, "")
	return head{commit.ID(), git.CommitInfo{Tree: root}}, nil
}

// write writes the bytes of the files that are taken. They must still be those that
// were looked at; otherwise the absorption begins again.
func (a *absorption) write(ctx context.Context, all []taken) ([]git.Change, error) {
	var paths []string
	want := map[string]string{}
	var changes []git.Change
	for _, t := range all {
		if t.result.Status == blocks.Deleted {
			changes = append(changes, git.Change{Path: t.path})
			continue
		}
		paths = append(paths, t.path)
		want[t.path] = t.result.FileVersion
	}
	written, err := a.s.writeFiles(ctx, paths)
	if err != nil {
		return nil, err
	}
	if len(written) != len(paths) {
		return nil, fmt.Errorf("a file is gone: %w", git.ErrChanged)
	}
	for _, c := range written {
		if version(c.Entry) != want[c.Path] || !c.Entry.Mode.IsFile() {
			return nil, fmt.Errorf("%q: %w", c.Path, git.ErrChanged)
		}
	}
	return append(changes, written...), nil
}

func (a *absorption) commit(ctx context.Context, root git.ID, files int) (git.Object, error) {
	c := git.CommitInfo{Tree: root, Parent: a.top.id}
	if a.req.Run != "" {
		who := git.FormatIdentity("", "", a.s.Now())
		c.Author, c.Committer = who, who
		c.Message = git.Message(fmt.Sprintf("fettle run %s: %d file(s)", a.req.Run, files), git.Trailer{Key: trailerRun, Value: a.req.Run})
		return c.Format(), nil
	}
	var err error
	if c.Author, err = a.s.repo.Identity(ctx, git.Author, a.s.Now()); err != nil {
		return git.Object{}, err
	}
	if c.Committer, err = a.s.repo.Identity(ctx, git.Committer, a.s.Now()); err != nil {
		return git.Object{}, err
	}
	c.Message = git.Message(fmt.Sprintf("fettle absorb: %d file(s)", files))
	return c.Format(), nil
}

// maxCounted is the size up to which lines are compared for a person to see.
const maxCounted = 4 << 20

// countLines fills in how many lines were added and removed (§ 29.9).
func (a *absorption) countLines(report *blocks.AbsorbReport, all []taken) error {
	for i, t := range all {
		before, _, err := a.s.content(t.before)
		if err != nil {
			return err
		}
		var after []byte
		if t.result.Status != blocks.Deleted {
			if after, _, err = a.s.disk.Read(t.path); err != nil {
				return err
			}
		}
		if len(before) > maxCounted || len(after) > maxCounted || !utf8.Valid(before) || !utf8.Valid(after) {
			continue
		}
		d := blocks.NewDiff(t.path, before, after, 0)
		report.Results[i].Added, report.Results[i].Removed = d.Added, d.Removed
	}
	return nil
}
