package persist

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Replay takes up the open entry of a write that a kill ended, with the books as they
// were before it, and does what is left of it (spec §16.6). It may be killed and
// repeated at any point. rebooted says that the machine has stopped since, so that files
// which were written but not synced may hold a part of their bytes.
//
// Results and errors are those of Write; the books say what the disk holds.
func (wr *Writer) Replay(ctx context.Context, books *Books, ops []Op, rebooted bool) (Result, error) {
	disk, err := wr.survey(ops)
	if err != nil {
		return Result{}, err
	}
	s := wr.session(books)
	redo := map[string]bool{}
	if rebooted {
		if redo, err = s.findTorn(ops, disk); err != nil {
			return Result{}, err
		}
	}
	done, half := locate(ops, disk)
	if half {
		if half, err = s.halfDone(ops[done]); err != nil {
			return s.end(err)
		}
	}
	for _, op := range ops[:done] {
		s.books.book(op, tree.Identity{})
		s.done(op)
	}
	if half {
		s.books.book(ops[done], tree.Identity{})
		s.done(ops[done])
	}
	s.identify(disk)
	if err := s.settle(ops, done, half); err != nil {
		return s.end(err)
	}
	if half {
		done++
	}
	return s.run(ctx, again(ops, done, redo))
}

// halfDone reports whether a rename can go on after its exchange. If what that brought
// out is somebody else's, it goes back to its place and the rename is to be done anew.
func (s *session) halfDone(op Op) (bool, error) {
	_, err := s.verify(op.From, op.Over.mustBe())
	if !fault.Is(err, fault.StepFailed, fault.ReasonDrift) {
		return err == nil, err
	}
	if err := s.Tree.Exchange(op.From, op.Path); err != nil {
		return false, left(op.Path, op.From, err)
	}
	return false, nil
}

// again returns what is left to do: the operations from done on, and before them those
// writes whose files have to be written once more.
func again(ops []Op, done int, redo map[string]bool) []Op {
	var list []Op
	for _, op := range ops[:done] {
		if op.Kind == Write && redo[op.Path] {
			op.Before = Expected{Want: Anything}
			list = append(list, op)
		}
	}
	return append(list, ops[done:]...)
}

// findTorn takes files that are parts of what was written to them as written, and
// returns their paths.
func (s *session) findTorn(ops []Op, disk map[string]found) (map[string]bool, error) {
	list := map[string]bool{}
	for _, op := range ops {
		f := disk[op.Path]
		if op.Kind != Write || f.kind != tree.Regular || f.matches(op.Before) || f.matches(op.After) {
			continue
		}
		whole, err := s.Store.Get(op.After.Content, nil)
		if err != nil {
			return nil, ioError(op.Path, err, "its content can't be had from the store")
		}
		data, _, err := s.Tree.ReadFile(op.Path, op.After.Content.Len, nil)
		if err == nil && torn(data, whole) {
			f.sum = op.After.Sum
			disk[op.Path], list[op.Path] = f, true
		}
	}
	return list, nil
}

// identify records the identities of files that hold what the books say they hold.
func (s *session) identify(disk map[string]found) {
	for path, f := range disk {
		was, ok := s.books.Baselines.Persisted(path)
		if !ok || f.kind != tree.Regular {
			continue
		}
		data, err := s.Store.Get(was.Content, nil)
		if err == nil && sumOf(data) == f.sum {
			s.books.Baselines.PutPersisted(path, workspace.Persisted{Content: was.Content, ID: f.id})
		}
	}
}

// settle brings every temporary of the entry to its end: removed if what it holds is
// known, moved back if others' bytes came out with it. half says that operation done is
// a rename of which the file that it superseded is still to be discarded.
func (s *session) settle(ops []Op, done int, half bool) error {
	for i, op := range ops {
		if op.Temp == "" {
			continue
		}
		if half && i == done {
			if err := s.finishRename(op); err != nil {
				return err
			}
			continue
		}
		if err := s.settleTemp(op, i < done); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) settleTemp(op Op, done bool) error {
	data, _, err := s.Tree.ReadFile(op.Temp, max(op.Before.Content.Len, op.Over.Content.Len, op.After.Content.Len), nil)
	switch {
	case errors.Is(err, tree.ErrAbsent):
		return nil
	case err == nil && s.ours(op, data):
		return s.dropTemp(op, nil)
	case err != nil && !errors.Is(err, tree.ErrTooLarge) && !errors.Is(err, tree.ErrNotRegular) && !errors.Is(err, tree.ErrLink):
		return looked(op.Temp, err)
	case !done:
		return left(op.Path, op.Temp, drift(op.Path, changedBehind))
	}
	if op.Kind == Write && op.Before.Want != Nothing {
		return s.takenOut(op) // verifies again, and puts it back
	}
	from := op.Path
	if op.Kind == Rename {
		from = op.From
	}
	if err := s.Tree.Rename(op.Temp, from); err != nil {
		return left(op.Path, op.Temp, err)
	}
	return drift(from, changedBehind)
}

// ours reports whether what a temporary holds is what the run put there or was to take
// away: a beginning of the new content, or the old one.
func (s *session) ours(op Op, data []byte) bool {
	sum := sumOf(data)
	for _, known := range []Expected{op.Before, op.Over} {
		if (known.Want == Bytes || known.Want == BytesOrNothing) && known.Sum == sum || known.Want == Anything {
			return true
		}
	}
	if op.Kind != Write {
		return false
	}
	whole, err := s.Store.Get(op.After.Content, nil)
	return err == nil && (bytes.HasPrefix(whole, data) || torn(data, whole))
}

// finishRename discards what a rename superseded.
func (s *session) finishRename(op Op) error {
	over, err := s.verify(op.From, op.Over.mustBe())
	if err != nil || over == nil {
		return err
	}
	if err := s.discard(op.From, op.Temp, op.Over.mustBe()); err != nil {
		s.books.bookLeft(op, s.settled(op.From, *over))
		return err
	}
	return nil
}

func sumOf(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }
