package transaction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/blocks"
)

// managed is the authority that a host's Backend is (§ 21.3).
type managed struct {
	s     *Service
	agent string
	scope Scope
	id    string
}

// supported refuses a backend of another protocol version (§ 21.1).
func supported(ctx context.Context, b Backend) error {
	v, ok := b.(Versioned)
	if !ok {
		return nil
	}
	version, err := v.ProtocolVersion(ctx)
	if err != nil {
		return fmt.Errorf("protocol version of the backend: %w", err)
	}
	if version != ProtocolVersion {
		return fmt.Errorf("the backend speaks version %d, not %d: %w", version, ProtocolVersion, blocks.CodeBackendUnsupported)
	}
	return nil
}

func (m *managed) key() viewKey {
	return viewKey{root: m.scope.Root, scope: m.scope.Name, backend: m.scope.Backend}
}

func (m *managed) view(ctx context.Context) (view, error) {
	m.s.leave(ctx, m.agent, m.key())
	if v, ok := m.s.views.get(m.agent, m.key()); ok {
		return v, nil
	}
	base, err := m.scope.Backend.CaptureSnapshot(ctx, m.scope.context(m.agent))
	if err != nil {
		return view{}, fmt.Errorf("snapshot: %w", err)
	}
	if base == "" {
		return view{}, errors.New("snapshot: the backend names no revision")
	}
	return m.s.views.put(m.agent, m.key(), view{base: base}), nil
}

func (m *managed) read(ctx context.Context, path string, at seen) (File, error) {
	f, err := m.scope.Backend.ReadFile(ctx, m.scope.context(m.agent), at.revision, path)
	if err != nil {
		return File{}, fmt.Errorf("read %q: %w", path, err)
	}
	if f.Version == "" || (f.Content == nil) != (f.Version == VersionAbsent) {
		return File{}, fmt.Errorf("read %q: the backend answers content and version %q, which don't fit", path, f.Version)
	}
	return f, nil
}

func (m *managed) settle(ctx context.Context, p proposal) (*Report, error) {
	if p.problems.any() || slices.ContainsFunc(p.targets, func(t target) bool { return t.moved }) {
		return m.explain(ctx, p)
	}
	r, err := m.scope.Backend.Commit(ctx, m.request(p))
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	report, err := m.accept(r, p)
	if err != nil {
		return nil, fmt.Errorf("commit: the backend's report makes no sense: %w", err)
	}
	m.follow(report, p)
	return report, nil
}

func (m *managed) request(p proposal) CommitRequest {
	req := CommitRequest{Context: m.scope.context(m.agent), ViewRevision: p.view.base, TransactionID: m.id}
	for _, t := range p.targets {
		req.Changes = append(req.Changes, Change{
			Path: t.path, Mode: t.candidate.Mode, Content: t.candidate.Content,
			ExpectedVersion: t.observed.Version, ObservedRevision: t.observed.Revision, Result: t.candidate.Result,
		})
	}
	return req
}

// explain reports why a proposal can't be committed: what it builds on has moved, or
// something is wrong with it.
func (m *managed) explain(ctx context.Context, p proposal) (*Report, error) {
	head, err := m.scope.Backend.Head(ctx, m.scope.context(m.agent))
	if err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	r := &Report{RepoRevision: head}
	for _, t := range p.targets {
		if t.observed.Revision == head && !t.moved {
			continue
		}
		f, err := m.read(ctx, t.path, seen{revision: head})
		if err != nil {
			return nil, err
		}
		if f.Version == t.observed.Version && !t.moved {
			continue
		}
		r.StaleFiles = append(r.StaleFiles, blocks.StaleFile{
			Path: t.path, Content: f.Content, FileVersion: f.Version, ObservedVersion: t.observed.Version, RepoRevision: head,
		})
	}
	switch {
	case len(r.StaleFiles) > 0:
		r.Status = blocks.StatusStale
	case len(p.problems.preconditions) > 0:
		r.Status, r.Errors = blocks.StatusPreconditionFailed, p.problems.preconditions
	case len(p.problems.unresolved) > 0:
		r.Status, r.Errors = blocks.StatusEditUnresolved, p.problems.unresolved
	default:
		return &Report{Status: blocks.StatusFailed, Errors: p.problems.tooLarge}, nil
	}
	r.Files = shown(p, r.Errors)
	m.follow(r, p)
	return r, nil
}

// shown returns the files that errors are about.
func shown(p proposal, errs []blocks.Error) []blocks.ShownFile {
	var files []blocks.ShownFile
	for _, t := range p.targets {
		if slices.ContainsFunc(errs, func(e blocks.Error) bool { return e.Path == t.path }) {
			files = append(files, blocks.ShownFile{Path: t.path, Content: t.observed.Content, FileVersion: t.observed.Version})
		}
	}
	return files
}

// follow adds to the agent's view what a report has shown it (§ 11.3).
func (m *managed) follow(r *Report, p proposal) {
	now := map[string]seen{}
	switch r.Status {
	case blocks.StatusCommitted, blocks.StatusUnchanged:
		for _, t := range p.targets {
			now[t.path] = seen{revision: r.RepoRevision}
		}
	case blocks.StatusStale:
		for _, f := range r.StaleFiles {
			now[f.Path] = seen{f.FileVersion, r.RepoRevision}
		}
	case blocks.StatusPreconditionFailed, blocks.StatusEditUnresolved:
		for _, f := range r.Files {
			now[f.Path] = seen{f.FileVersion, r.RepoRevision}
		}
	}
	m.s.views.observe(m.agent, m.key(), now)
}
