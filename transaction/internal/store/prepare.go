package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/baseline"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// Prepare returns the view of an agent in a scope, taking it at head if there is none
// (§ 11.1), after recovery. It makes the store if there is none. drift is the local work
// that recovery left.
func (s *Store) Prepare(ctx context.Context, agent, scope string) (v View, drift []blocks.Drift, err error) {
	h, err := s.takeOrCreate(ctx)
	if err != nil {
		return View{}, nil, err
	}
	defer func() { err = errors.Join(err, h.free(ctx)) }()
	top, drift, err := h.recover(ctx)
	if err != nil {
		return View{}, drift, err
	}
	v, ok, err := s.View(agent, scope)
	if err != nil || ok {
		return v, drift, err
	}
	v = View{Agent: agent, Root: s.Root, Scope: scope, Base: string(top.id), Observations: map[string]Observation{}}
	h.setView(agent, func(View) (View, bool) { return v, true })
	return v, drift, nil
}

// Snapshot makes the store if there is none, recovers, and returns head.
func (s *Store) Snapshot(ctx context.Context) (revision string, drift []blocks.Drift, err error) {
	h, err := s.takeOrCreate(ctx)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, h.free(ctx)) }()
	top, drift, err := h.recover(ctx)
	return string(top.id), drift, err
}

// Recover finishes what was published. Without a store there is nothing to finish; then
// there is no revision.
func (s *Store) Recover(ctx context.Context) (revision string, drift []blocks.Drift, err error) {
	if there, err := s.Exists(); !there || err != nil {
		return "", nil, err
	}
	return s.Snapshot(ctx)
}

// takeOrCreate takes the lock of the store, which it makes and fills first if need be.
func (s *Store) takeOrCreate(ctx context.Context) (*hold, error) {
	there, err := s.Exists()
	if err != nil {
		return nil, err
	}
	if !there {
		if err := s.repo.Create(s.CanonicalRef); err != nil {
			return nil, err
		}
	}
	h, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.complete(ctx, h); err != nil {
		return nil, errors.Join(err, h.free(ctx))
	}
	return h, nil
}

// complete makes what a new store begins with: the baseline, the canonical ref at it
// and the cursor (§ 12.3). It goes on where a process that was killed has stopped: the
// refs are made in this order.
func (s *Store) complete(ctx context.Context, h *hold) error {
	refs := []string{refBootstrap, s.CanonicalRef, refCursor}
	ids, err := s.repo.Refs(ctx, refs...)
	if err != nil {
		return err
	}
	if ids[s.CanonicalRef] != "" || ids[refCursor] != "" {
		return nil // complete, or damaged: then reading head tells
	}
	first := ids[refBootstrap]
	updates := []git.Update{h.mine()}
	if first == "" {
		if err := s.disk.UseTemp(); err != nil {
			return err
		}
		s.sweep()
		if first, err = s.baseline(ctx); err != nil {
			return err
		}
		updates = append(updates, git.Update{Ref: refBootstrap, Old: git.Zero, New: first})
	}
	updates = append(updates,
		git.Update{Ref: s.CanonicalRef, Old: git.Zero, New: first},
		git.Update{Ref: refCursor, Old: git.Zero, New: first})
	if err := s.repo.Update(ctx, updates...); err != nil {
		return err
	}
	h.cursor, h.cursorTo = first, first
	return nil
}

// baselineTries bounds how often a baseline is taken again because a file changed while
// it was read.
const baselineTries = 3

// baseline writes the root commit of what the directory holds now (§ 15).
func (s *Store) baseline(ctx context.Context) (git.ID, error) {
	for try := 1; ; try++ {
		id, err := s.takeBaseline(ctx)
		if !errors.Is(err, git.ErrChanged) || try == baselineTries {
			return id, err
		}
	}
}

func (s *Store) takeBaseline(ctx context.Context) (git.ID, error) {
	paths, err := s.listBaseline(ctx)
	if err != nil {
		return "", err
	}
	changes, err := s.writeFiles(ctx, paths)
	if err != nil {
		return "", fmt.Errorf("baseline: %w", err)
	}
	root, trees, err := s.repo.Trees().Edit("", changes)
	if err != nil {
		return "", fmt.Errorf("baseline: %w", err)
	}
	who := git.FormatIdentity("", "", s.Now())
	commit := git.CommitInfo{Tree: root, Author: who, Committer: who, Message: git.Message("fettle: baseline")}.Format()
	return commit.ID(), s.repo.Write(ctx, append(trees, commit))
}

func (s *Store) listBaseline(ctx context.Context) ([]string, error) {
	return baseline.List(ctx, baseline.Request{
		Root: s.disk.Root(), Scratch: s.Temp, TempName: s.self.TempName, Environ: s.Environ, Private: s.Private,
	})
}

// writeFiles writes the bytes of files, as they are, and where links point, and returns
// the entries. A file that is gone has none.
func (s *Store) writeFiles(ctx context.Context, paths []string) ([]git.Change, error) {
	changes := make([]git.Change, 0, len(paths))
	_, err := s.repo.WriteStream(ctx, len(paths), func(w *git.PackWriter) error {
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return err
			}
			e, err := s.writeFile(w, path)
			if err != nil {
				return fmt.Errorf("%q: %w", path, err)
			}
			if e.Exists() {
				changes = append(changes, git.Change{Path: path, Entry: e})
			}
		}
		return nil
	})
	return changes, err
}

// writeFile adds one object: the pack has announced one for each path.
func (s *Store) writeFile(w *git.PackWriter, path string) (git.Entry, error) {
	f, id, err := s.disk.Root().OpenFile(path)
	if errors.Is(err, tree.ErrLink) || errors.Is(err, tree.ErrNotRegular) {
		return s.writeLink(w, path)
	}
	if errors.Is(err, tree.ErrAbsent) {
		_, err := w.Add(git.Object{Kind: git.Blob})
		return git.Entry{}, err
	}
	if err != nil {
		return git.Entry{}, err
	}
	defer f.Close()
	mode := git.ModeFile
	if id.Mode&0o111 != 0 {
		mode = git.ModeExecutable
	}
	blob, err := w.AddStream(git.Blob, id.Size, func(to io.Writer) error {
		_, err := io.Copy(to, io.LimitReader(f, id.Size))
		return err
	})
	return git.Entry{Mode: mode, ID: blob}, err
}

func (s *Store) writeLink(w *git.PackWriter, path string) (git.Entry, error) {
	target, err := s.disk.Root().ReadLink(path)
	entry := git.Entry{Mode: git.ModeLink}
	if errors.Is(err, tree.ErrNotRegular) || errors.Is(err, tree.ErrAbsent) || errors.Is(err, tree.ErrLink) {
		entry, err = git.Entry{}, nil
	}
	if err != nil {
		return git.Entry{}, err
	}
	blob, err := w.Add(git.Object{Kind: git.Blob, Data: []byte(target)})
	if entry.Exists() {
		entry.ID = blob
	}
	return entry, err
}
