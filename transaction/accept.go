package transaction

import (
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/blocks"
)

// accept returns a backend's report with the results filled in, or says why it doesn't
// fit (§ 21.4).
func (m *managed) accept(r Report, p proposal) (*Report, error) {
	var err error
	switch r.Status {
	case blocks.StatusCommitted:
		err = errors.Join(require(r.Commit != "", "committed without a commit"), require(r.Commit == r.RepoRevision, "the commit isn't the revision"))
	case blocks.StatusUnchanged:
		err = errors.Join(require(r.Commit == "", "unchanged with a commit"), require(r.RepoRevision != "", "unchanged without a revision"))
	case blocks.StatusStale:
		err = m.acceptRows(r, p, stalePaths(r))
	case blocks.StatusWorktreeDirty:
		err = m.acceptRows(r, p, dirtyPaths(r))
	case blocks.StatusPreconditionFailed, blocks.StatusEditUnresolved:
		err = errors.Join(require(len(r.Errors) > 0, "a failure without an error"), require(r.Commit == "", "a failure with a commit"))
	case blocks.StatusFailed:
		err = errors.Join(require(len(r.Errors) > 0, "failed without an error"), require(r.Commit == "", "failed with a commit"))
		r.RepoRevision = ""
	case blocks.StatusProjectionFailed:
		err = errors.Join(require(r.Commit != "", "projection-failed without a commit"), require(r.Commit == r.RepoRevision, "the commit isn't the revision"))
		if len(r.Errors) == 0 {
			r.Errors = []blocks.Error{{Code: blocks.CodeMaterializeFailed, Hint: blocks.CodeMaterializeFailed.Hint()}}
		}
	default:
		err = fmt.Errorf("status %q", r.Status)
	}
	if err != nil {
		return nil, err
	}
	r.Results, r.Publications = nil, nil
	if r.OK() || r.Status == blocks.StatusProjectionFailed {
		for _, t := range p.targets {
			r.Results = append(r.Results, t.candidate.Result)
		}
	}
	if r.OK() {
		r.Errors = nil
	}
	return &r, nil
}

// acceptRows checks a report that shows files: at least one, each one that was asked
// for.
func (m *managed) acceptRows(r Report, p proposal, paths []string) error {
	asked := map[string]bool{}
	for _, t := range p.targets {
		asked[t.path] = true
	}
	for _, path := range paths {
		if !asked[path] {
			return fmt.Errorf("%s names %q, which nobody submitted", r.Status, path)
		}
	}
	return errors.Join(
		require(len(paths) > 0, "%s without a file", r.Status),
		require(r.Commit == "", "%s with a commit", r.Status),
		require(r.RepoRevision != "", "%s without a revision", r.Status))
}

func stalePaths(r Report) []string {
	var out []string
	for _, f := range r.StaleFiles {
		out = append(out, f.Path)
	}
	return out
}

func dirtyPaths(r Report) []string {
	var out []string
	for _, f := range r.DirtyFiles {
		out = append(out, f.Path)
	}
	return out
}

func require(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
