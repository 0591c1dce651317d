package gitstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/transaction/internal/owner"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

type (
	// Entry is a published commit (§ 26.2).
	Entry = store.Entry
	// Trailer is a line "key: value" at the end of a commit's message.
	Trailer = store.Trailer
	// Filter chooses entries of a log. Zero fields choose all.
	Filter = store.Filter
	// State is where a store stands: head, what is written, and who holds the lock.
	State = store.State
	// Owner is a process as a lock names it (§ 14.1).
	Owner = owner.Owner
)

// ErrNoCommit says that nothing published has such a name.
var ErrNoCommit = store.ErrNoCommit

// ErrNoFile says that a commit has no such file.
var ErrNoFile = errors.New("no such file was published")

// Log returns what was published, newest first. It changes nothing and takes no lock.
func (s *Store) Log(ctx context.Context, f Filter) ([]Entry, error) { return s.store.Log(ctx, f) }

// Show describes a published commit, named by its id or the beginning of that, head for
// "", and shows what it changed.
func (s *Store) Show(ctx context.Context, commit string) (e Entry, diff string, err error) {
	return s.store.Show(ctx, commit)
}

// File returns the exact bytes of a file in a published commit. Without it the error
// wraps ErrNoCommit or ErrNoFile.
func (s *Store) File(ctx context.Context, commit, path string) ([]byte, error) {
	content, ok, err := s.store.File(ctx, commit, path)
	if err == nil && !ok {
		err = fmt.Errorf("%q: %w", path, ErrNoFile)
	}
	return content, err
}

// State looks at the store. It changes nothing.
func (s *Store) State(ctx context.Context) (State, error) { return s.store.State(ctx) }

// Unlocked says what became of an attempt to remove a lock (§ 14.6).
type Unlocked = store.Unlocked

// The outcomes of Unlock. Only Removed has changed anything.
const (
	Removed     = store.Removed
	NotHeld     = store.NotHeld
	HeldByOther = store.HeldByOther
	AliveHere   = store.AliveHere
)

// Unlock removes the lock of an owner that somebody has seen to have ended, on another
// host. It returns whose lock it met.
func (s *Store) Unlock(ctx context.Context, ownerName string) (Unlocked, Owner, error) {
	return s.store.Unlock(ctx, ownerName)
}
