package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// hold is the lock while it is held (§ 14). What it has to change in the end, the
// cursor and a view, it changes together with the lock.
type hold struct {
	s    *Store
	lock git.ID

	cursor   git.ID // as it is in the store, git.Zero for none
	cursorTo git.ID // as it shall be

	agent    string // whose view changes, "" for nobody's
	viewEdit func(View) (View, bool)
}

// HeldError says who holds the lock, after waiting was in vain.
type HeldError struct {
	Owner   owner.Owner
	Foreign bool // of another host: a person has to judge (§ 14.6)
}

func (e *HeldError) Error() string {
	o := e.Owner
	text := fmt.Sprintf("the lock is held by %s, host %s, pid %d, since %s", o.Name, o.Host, o.PID, o.AcquiredAt)
	if e.Foreign {
		text += fmt.Sprintf("; if you have seen that it ended: fettle blocks unlock --owner %s", o.Name)
	}
	return text
}

// ErrLockLost says that somebody took the lock from its holder (§ 14.4).
var ErrLockLost = errors.New("the lock was taken over by somebody else")

// take waits for the lock, at most as long as Options say. The store exists.
func (s *Store) take(ctx context.Context) (*hold, error) {
	waiting, cancel := context.WithTimeout(ctx, s.Wait)
	defer cancel()
	select {
	case <-s.turn:
	case <-waiting.Done():
		return nil, fmt.Errorf("another transaction of this process holds the lock: %w", waiting.Err())
	}
	blob, err := s.contend(waiting)
	if err != nil {
		s.turn <- struct{}{}
		return nil, err
	}
	h := &hold{s: s, lock: blob}
	h.cursor, err = s.readRef(refCursor)
	h.cursorTo = h.cursor
	if err != nil {
		return nil, errors.Join(err, h.free(ctx))
	}
	s.probe(AfterLock, "")
	return h, nil
}

// contend takes the lock ref when it is free or its owner is dead (§§ 14.2, 14.3).
func (s *Store) contend(ctx context.Context) (git.ID, error) {
	for {
		old, held, err := s.readLock()
		if err != nil {
			return "", err
		}
		free, foreign := old == git.Zero, false
		if !free {
			life, err := ownerProc.Judge(held, s.self, s.DeadOwners)
			if err != nil {
				return "", fmt.Errorf("owner of the lock: %w", err)
			}
			free, foreign = life == owner.Dead, life == owner.Unknown
		}
		if free {
			blob, err := s.tryLock(ctx, old)
			if !errors.Is(err, git.ErrLost) {
				return blob, err
			}
		}
		if err := pause(ctx, 25*time.Millisecond, 250*time.Millisecond); err != nil {
			if old == git.Zero {
				return "", err
			}
			return "", errors.Join(&HeldError{held, foreign}, err)
		}
	}
}

// tryLock moves the lock ref from the value that was read to a new one of ours.
func (s *Store) tryLock(ctx context.Context, old git.ID) (git.ID, error) {
	me := s.self
	me.AcquiredAt = s.Now().UTC().Format(time.RFC3339)
	text, err := json.Marshal(me)
	if err != nil {
		return "", err
	}
	blob := git.Object{Kind: git.Blob, Data: text}
	if err := s.repo.Write(ctx, []git.Object{blob}); err != nil {
		return "", err
	}
	return blob.ID(), s.repo.Update(ctx, git.Update{Ref: refLock, Old: old, New: blob.ID()})
}

// readLock returns what the lock ref names, git.Zero if it is free, and its owner. An
// owner that can't be read is a foreign one.
func (s *Store) readLock() (git.ID, owner.Owner, error) {
	id, o, err := s.repo.Read(refLock)
	if errors.Is(err, git.ErrMissing) {
		return git.Zero, owner.Owner{}, nil
	}
	if err != nil {
		return "", owner.Owner{}, err
	}
	held := owner.Owner{Name: "somebody unknown"}
	if err := json.Unmarshal(o.Data, &held); err != nil {
		held = owner.Owner{Name: "somebody unknown"}
	}
	return id, held, nil
}

// readRef returns the object that a ref names, git.Zero without one.
func (s *Store) readRef(ref string) (git.ID, error) {
	id, _, err := s.repo.Read(ref)
	if errors.Is(err, git.ErrMissing) {
		return git.Zero, nil
	}
	return id, err
}

// check reports whether the lock is still ours (§ 14.4).
func (h *hold) check() error {
	id, err := h.s.readRef(refLock)
	if err != nil {
		return err
	}
	if id != h.lock {
		return ErrLockLost
	}
	return nil
}

// mine is the step of a change of refs that verifies the lock (§ 12.6).
func (h *hold) mine() git.Update { return git.Update{Ref: refLock, Old: h.lock, New: h.lock} }

// setView has the view of an agent changed when the lock is freed.
func (h *hold) setView(agent string, edit func(View) (View, bool)) { h.agent, h.viewEdit = agent, edit }

// free moves the cursor, changes the view and gives the lock away, all at once. If that
// can't be, the lock alone is given away: it would block everybody as long as this
// process lives.
func (h *hold) free(ctx context.Context) error {
	defer func() { h.s.turn <- struct{}{} }()
	ctx = context.WithoutCancel(ctx)
	release := git.Update{Ref: refLock, Old: h.lock, New: git.Zero}
	updates := []git.Update{release}
	if h.cursorTo != h.cursor {
		updates = append([]git.Update{{Ref: refCursor, Old: h.cursor, New: h.cursorTo}}, release)
	}
	if h.agent == "" && len(updates) == 1 {
		return h.lostLock(retry(ctx, func() error { return h.s.repo.Update(ctx, release) }))
	}
	err := retry(ctx, func() error {
		if h.agent == "" {
			return h.s.repo.Update(ctx, updates...)
		}
		return h.s.changeView(ctx, h.agent, h.viewEdit, updates...)
	})
	if err == nil {
		return nil
	}
	return errors.Join(h.lostLock(err), h.lostLock(retry(ctx, func() error { return h.s.repo.Update(ctx, release) })))
}

// freeTries bounds how often freeing is tried.
const freeTries = 5

// retry does something again after failures that aren't somebody else's change.
func retry(ctx context.Context, do func() error) error {
	var err error
	for range freeTries {
		if err = do(); err == nil || errors.Is(err, git.ErrLost) {
			return err
		}
		_ = pause(ctx, 5*time.Millisecond, 50*time.Millisecond) // the context doesn't end
	}
	return err
}

// lostLock makes one error of a lost swap of the lock ref.
func (h *hold) lostLock(err error) error {
	if errors.Is(err, git.ErrLost) && errors.Is(h.check(), ErrLockLost) {
		return ErrLockLost
	}
	return err
}

// pause waits a random time between two bounds, or returns the error of an ended
// context.
func pause(ctx context.Context, from, to time.Duration) error {
	t := time.NewTimer(from + rand.N(to-from+1))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// ownerProc is where owners are looked up.
const ownerProc = owner.Self
