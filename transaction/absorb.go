package transaction

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// AbsorbRequest asks to publish what a directory already holds (§ 29).
type AbsorbRequest struct {
	Session Session // its default root is the directory
	Root    string  // "": the session's
	// Run is the name of a pipeline run; then Paths are those whose bytes it changed.
	// Without it a person asks: Paths are arguments as written, none for all local work.
	Run    string
	Paths  []string
	DryRun bool // publishes nothing
}

// Absorb publishes local work on the canonical ref. It writes no file save what was
// published and is not written yet, moves no view, and calls no publisher and no
// observer. Without a store there is nothing to absorb into: the report is nil. Refusals
// are reports; the error is for a caller's mistake or an ended context.
func (s *Service) Absorb(ctx context.Context, req AbsorbRequest) (*AbsorbReport, error) {
	root := req.Root
	if root == "" {
		var err error
		if root, err = s.defaultRoot(req.Session); err != nil {
			return nil, err
		}
	}
	free, err := linkFree(root)
	if err != nil {
		return nil, err
	}
	st, err := s.store(free)
	if err != nil {
		return nil, fmt.Errorf("absorb: %w", err)
	}
	g := s.newGuard(free)
	report, err := st.Absorb(ctx, store.AbsorbRequest{
		Run: req.Run, Paths: req.Paths, DryRun: req.DryRun,
		Roots: append([]string{root, free}, s.cfg.RootAliases...),
		Read: func(path string) (bool, string) {
			v := g.canRead(path)
			return v.Allowed, v.Reason
		},
	})
	if err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, err
		}
		return &AbsorbReport{Status: blocks.StatusFailed, Run: req.Run, Errors: []blocks.Error{materializeFailed(err)}}, nil
	}
	return report, nil
}

// Recover writes to a directory what was published and is not written yet (§ 13.8): a
// pipeline run does so before it reads the directory. Without a store there is nothing
// to do.
func (s *Service) Recover(ctx context.Context, root string) ([]blocks.Drift, error) {
	free, err := linkFree(root)
	if err != nil {
		return nil, err
	}
	st, err := s.store(free)
	if err != nil {
		return nil, err
	}
	_, drift, err := st.Recover(ctx)
	return drift, err
}
