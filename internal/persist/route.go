package persist

import (
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/internal/tree"
)

// rename moves a file, over the target of a pending deletion if it supersedes one.
func (s *session) rename(op Op) error {
	id, err := s.verify(op.From, op.Before)
	if err != nil {
		return err
	}
	if id == nil { // it could be anything, and is nothing: there is only content to write
		s.books.bookVanished(op)
		return nil
	}
	over, err := s.verify(op.Path, op.Over)
	if err != nil {
		return err
	}
	if err := s.makeParents(op.Path); err != nil {
		return err
	}
	s.observe(op)
	if over != nil {
		return s.renameOver(op, *id, *over)
	}
	if err := s.Tree.Rename(op.From, op.Path); err != nil {
		return raced(op.Path, err, "it can't be moved here")
	}
	s.books.book(op, s.settled(op.Path, *id))
	s.done(op)
	return nil
}

// renameOver exchanges two files, so that there always is one at the destination, and
// then discards what was there.
func (s *session) renameOver(op Op, id, over tree.Identity) error {
	if err := s.Tree.Exchange(op.From, op.Path); err != nil {
		return raced(op.Path, err, "it can't be moved here")
	}
	out := op.Over.mustBe()
	if _, err := s.verify(op.From, out); err != nil {
		if backErr := s.Tree.Exchange(op.From, op.Path); backErr != nil {
			return left(op.Path, op.From, errors.Join(err, backErr))
		}
		return err
	}
	s.books.book(op, s.settled(op.Path, id))
	s.done(op)
	if err := s.discard(op.From, op.Temp, out); err != nil {
		s.books.bookLeft(op, s.settled(op.From, over))
		return err
	}
	return nil
}

func (s *session) delete(op Op) error {
	id, err := s.verify(op.Path, op.Before)
	if err != nil {
		return err
	}
	if id != nil {
		s.observe(op)
		if err := s.discard(op.Path, op.Temp, op.Before.mustBe()); err != nil {
			s.books.bookMoved(op.Path, s.settled(op.Path, *id))
			return err
		}
		s.done(op)
	}
	s.books.book(op, tree.Identity{})
	return nil
}

// discard removes a file for good: it is first moved to a name that nobody knows, so
// that what is compared is what is removed.
func (s *session) discard(path, temp string, want Expected) error {
	if err := s.Tree.Rename(path, temp); err != nil {
		return raced(path, err, "it can't be deleted")
	}
	_, err := s.verify(temp, want)
	if err == nil {
		if err = s.Tree.Remove(temp); err == nil {
			return nil
		}
		err = ioError(path, err, "it can't be deleted")
	}
	if backErr := s.Tree.Rename(temp, path); backErr != nil {
		return left(path, temp, errors.Join(err, backErr))
	}
	return err
}

// write puts content in place by way of a temporary, with the file's mode and, where
// that is permitted, the owner of what was there.
func (s *session) write(op Op) error {
	old, err := s.verify(op.Path, op.Before)
	if err != nil {
		return err
	}
	data, err := s.Store.Get(op.After.Content, nil)
	if err != nil {
		return ioError(op.Path, err, "its content can't be had from the store")
	}
	if err := s.makeParents(op.Path); err != nil {
		return err
	}
	attr := tree.Attr{Mode: op.After.Mode}
	if old != nil {
		attr.UID, attr.GID, attr.KeepOwner = old.UID, old.GID, true
	}
	s.observe(op)
	id, kept, err := s.Tree.WriteNew(op.Temp, data, attr)
	if err != nil {
		return ioError(op.Path, err, "it can't be written")
	}
	if old == nil {
		err = s.Tree.Rename(op.Temp, op.Path)
	} else {
		err = s.Tree.Exchange(op.Temp, op.Path)
	}
	if err != nil {
		return s.dropTemp(op, raced(op.Path, err, "it can't be put in place"))
	}
	if old != nil {
		if err := s.takenOut(op); err != nil {
			return err
		}
	}
	s.books.book(op, s.settled(op.Path, id))
	s.done(op)
	if old == nil {
		return nil
	}
	if !kept {
		s.result.Owners = append(s.result.Owners, Owner{Path: op.Path, Before: owner(*old), After: owner(id)})
	}
	return s.dropTemp(op, nil)
}

// takenOut compares what an exchange brought out. If it isn't what was to be replaced,
// somebody was faster: it goes back to its place, and our own content goes.
func (s *session) takenOut(op Op) error {
	_, err := s.verify(op.Temp, op.Before.mustBe())
	if err == nil {
		return nil
	}
	if backErr := s.Tree.Exchange(op.Temp, op.Path); backErr != nil {
		return left(op.Path, op.Temp, errors.Join(err, backErr))
	}
	if _, ownErr := s.verify(op.Temp, op.After); ownErr != nil {
		return left(op.Path, op.Temp, errors.Join(err, ownErr))
	}
	return s.dropTemp(op, err)
}

// dropTemp removes the temporary of a write and returns err, or why it couldn't.
func (s *session) dropTemp(op Op, err error) error {
	if removeErr := s.Tree.Remove(op.Temp); removeErr != nil {
		return left(op.Path, op.Temp, errors.Join(err, removeErr))
	}
	return err
}

// settled returns the identity of a file after it was moved, if what is at path now is
// that file with the same bytes; else the one from before, which no later look matches.
func (s *session) settled(path string, id tree.Identity) tree.Identity {
	now, err := s.Tree.Stat(path)
	if err != nil || now.Dev != id.Dev || now.Ino != id.Ino || now.Size != id.Size || now.Mtime != id.Mtime {
		return id
	}
	return now
}

// mustBe is what an existing file that was expected must be.
func (e Expected) mustBe() Expected {
	if e.Want == BytesOrNothing {
		e.Want = Bytes
	}
	return e
}

// raced tells a lost race from a failure of the disk.
func raced(path string, err error, what string) error {
	switch {
	case errors.Is(err, tree.ErrExists):
		return drift(path, appearedBehind)
	case errors.Is(err, tree.ErrAbsent):
		return drift(path, vanishedBehind)
	case errors.Is(err, tree.ErrLink), errors.Is(err, tree.ErrUnlookable):
		return looked(path, err)
	}
	return ioError(path, err, what)
}

func owner(id tree.Identity) string { return fmt.Sprintf("%d:%d", id.UID, id.GID) }
