package persist

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// session is one run through a list of operations.
type session struct {
	*Writer
	books  *Books
	result Result
	inWay  map[string]Op   // moves to temporaries that aren't moved on yet, by temporary
	isDir  map[string]bool // directories seen or made in this session
	files  map[string]bool // written, to be synced
	dirs   map[string]bool // of all operations, to be synced
	wrote  map[string]bool // result.Written as a set
}

func (wr *Writer) session(books *Books) *session {
	return &session{
		Writer: wr, books: books, inWay: map[string]Op{}, isDir: map[string]bool{},
		files: map[string]bool{}, dirs: map[string]bool{}, wrote: map[string]bool{},
	}
}

// run does operations until one fails, then makes durable all that the session did.
func (s *session) run(ctx context.Context, ops []Op) (Result, error) {
	for _, op := range ops {
		if err := s.do(ctx, op); err != nil {
			return s.end(err)
		}
	}
	return s.end(nil)
}

// end ends a session that failed with err, or didn't.
func (s *session) end(err error) (Result, error) {
	if err != nil {
		err = s.restoreCycles(err)
	}
	if syncErr := s.sync(); err == nil {
		err = syncErr
	}
	if err == nil {
		return s.result, nil
	}
	failed := ioError("", err, "the write failed")
	failed.Written = slices.Clone(s.result.Written)
	return s.result, failed
}

// do does one operation; nothing comes between it and its booking.
func (s *session) do(ctx context.Context, op Op) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "the write was cancelled before it was complete").WithCause(err)
	}
	for _, p := range op.paths() {
		if err := mayWrite(s.Policy(), p); err != nil {
			return err
		}
	}
	switch op.Kind {
	case Rename:
		return s.rename(op)
	case Delete:
		return s.delete(op)
	}
	return s.write(op)
}

// done notes what an operation that was done means for the rest of the session.
func (s *session) done(op Op) {
	switch {
	case op.Cycle:
		s.inWay[op.Path] = op
	case op.Kind == Rename:
		delete(s.inWay, op.From)
	}
	for _, p := range op.paths() {
		s.dirs[path.Dir(p)] = true
	}
	if op.Kind == Write {
		s.files[op.Path] = true
	}
	if op.Kind != Delete && !op.Cycle {
		if !s.wrote[op.Path] {
			s.wrote[op.Path] = true
			s.result.Written = append(s.result.Written, op.Path)
		}
		s.books.wrote(op.Path)
	}
}

func (s *session) observe(op Op) {
	if s.Observe != nil {
		s.Observe(op)
	}
}

// restoreCycles moves what waits under a temporary name back to where it came from
// (spec §16.7); where that fails the error names it.
func (s *session) restoreCycles(err error) error {
	for _, temp := range slices.Sorted(maps.Keys(s.inWay)) {
		out := s.inWay[temp]
		home := Op{Kind: Rename, Key: out.Key, From: temp, Path: out.From, Before: out.Before, Over: Expected{Want: Nothing}}
		s.observe(home)
		id, backErr := s.verify(temp, home.Before)
		if backErr == nil {
			backErr = s.Tree.Rename(temp, out.From)
		}
		if backErr != nil {
			return fault.New(fault.StepFailed, reasonOf(err), out.Key,
				"what was at %s waits in %s and can't be moved back (%v), after an earlier failure", out.From, temp, backErr).
				WithCause(err).WithHint("move %s to %s or %s by hand", temp, out.From, out.Key)
		}
		delete(s.inWay, temp)
		if id != nil {
			s.books.book(home, s.settled(out.From, *id))
		}
	}
	return err
}

// sync makes durable what the session did.
func (s *session) sync() error {
	if len(s.dirs) == 0 {
		s.result.Durable = true
		return nil
	}
	files, dirs := slices.Sorted(maps.Keys(s.files)), slices.Sorted(maps.Keys(s.dirs))
	if err := s.Tree.Sync(files, dirs); err != nil {
		return ioError("", err, "what was written can't be made durable")
	}
	s.result.Durable = true
	return nil
}

// makeParents makes what is missing above a path, the shallowest first, one at a time
// (spec §4.6).
func (s *session) makeParents(p string) error {
	for _, dir := range parents(p) {
		if s.isDir[dir] {
			continue
		}
		if err := s.makeDir(p, dir); err != nil {
			return err
		}
		s.isDir[dir] = true
	}
	return nil
}

func (s *session) makeDir(p, dir string) error {
	id, err := s.Tree.Stat(dir)
	switch {
	case err == nil && id.Kind == tree.Directory:
		return nil
	case err == nil && id.Kind == tree.Link:
		return looked(p, tree.ErrLink)
	case err == nil:
		return notDirectory(p, dir)
	case !errors.Is(err, tree.ErrAbsent):
		return looked(p, err)
	}
	if err := s.Policy().CanMkdir(dir).Refusal(dir, policy.MakingDirectory); err != nil {
		return err
	}
	if err := s.Tree.Mkdir(dir); err != nil {
		return ioError(p, err, "the directory "+dir+" can't be made")
	}
	s.dirs[path.Dir(dir)] = true
	return nil
}
