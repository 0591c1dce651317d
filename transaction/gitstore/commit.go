package gitstore

import (
	"context"
	"errors"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// Commit implements transaction.Backend. The report may say worktree-dirty, if the
// directory holds work that nobody published; of a request that names no path, or one
// that § 4.1 refuses, it says failed.
func (s *Store) Commit(ctx context.Context, req transaction.CommitRequest) (transaction.Report, error) {
	if len(req.Changes) == 0 {
		return transaction.Report{}, errors.New("a commit needs a change")
	}
	if errs := judgePaths(req.Changes); len(errs) > 0 {
		return transaction.Report{Status: blocks.StatusFailed, Errors: errs}, nil
	}
	return s.store.Settle(ctx, proposal(req))
}

// judgePaths refuses what a Service never asks for.
func judgePaths(changes []transaction.Change) []blocks.Error {
	var errs []blocks.Error
	seen := map[string]bool{}
	for _, c := range changes {
		code := blocks.Code("")
		switch path, err := blocks.TargetPath(c.Path); {
		case err != nil:
			errors.As(err, &code)
		case path != c.Path:
			code = blocks.CodePathEscape
		case seen[c.Path]:
			code = blocks.CodeDuplicatePath
		}
		seen[c.Path] = true
		if code != "" {
			errs = append(errs, blocks.Error{Code: code, Path: c.Path, Hint: code.Hint()})
		}
	}
	return errs
}

func proposal(req transaction.CommitRequest) store.Proposal {
	p := store.Proposal{Agent: req.Context.AgentID, TransactionID: req.TransactionID}
	for _, c := range req.Changes {
		observed := blocks.Observed{Version: c.ExpectedVersion, Revision: c.ObservedRevision}
		p.Targets = append(p.Targets, store.Target{
			Path: c.Path, Observed: observed,
			Candidate: &blocks.Candidate{Path: c.Path, Mode: c.Mode, Content: c.Content, Observed: observed, Result: c.Result},
		})
	}
	return p
}
