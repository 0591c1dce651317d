package store

import (
	"context"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// changesSince returns the commits since a revision that changed a path, newest first
// (§ 11.6). There are none for a revision that is no commit of the store.
func (s *Store) changesSince(ctx context.Context, revision string, to git.ID, path string) ([]blocks.Change, error) {
	if !git.ID(revision).Valid() {
		return nil, nil
	}
	if _, _, err := s.repo.ReadCommit(revision); err != nil {
		return nil, nil //nolint:nilerr // not ours
	}
	ids, err := s.repo.History(ctx, git.ID(revision), to, path)
	if err != nil {
		return nil, err
	}
	changes := make([]blocks.Change, 0, len(ids))
	for _, id := range ids {
		_, c, err := s.repo.ReadCommit(string(id))
		if err != nil {
			return nil, err
		}
		changes = append(changes, blocks.Change{Commit: string(id), Agent: c.Trailer(trailerAgent), Message: c.Subject()})
	}
	return changes, nil
}
