package acquire

import (
	"errors"
	"slices"

	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// literal judges a path that a literal names, up to its bytes (spec §9.2).
func (r *resolver) literal(path string) (target, error) {
	id, err := r.source.Tree.Stat(path)
	if err != nil {
		return target{}, refuseLook(path, err)
	}
	switch id.Kind {
	case tree.Regular:
	case tree.Link:
		return target{}, refuseLook(path, tree.ErrLink)
	default:
		return target{}, refuseLook(path, tree.ErrNotRegular)
	}
	if err := r.policy.CanRead(path).Refusal(path, policy.Reading); err != nil {
		return target{}, err
	}
	mime, ok := r.req.Types.Resolve(path)
	if !ok {
		return target{}, refuseNonText(path, "its name has no textual type")
	}
	return target{path: path, mime: mime, literal: true}, nil
}

// refuseLook is the refusal of a literal that can't be looked at or read as a file.
func refuseLook(path string, err error) error {
	switch {
	case errors.Is(err, tree.ErrLink):
		return fault.New(fault.PathRefused, fault.ClassLink, path, "the path is, or runs through, a symbolic link").
			WithHint("name the file by a path without links")
	case errors.Is(err, tree.ErrUnlookable):
		return fault.New(fault.PathRefused, fault.ClassUnreadableComponent, path, "a component of the path exists and can't be looked at").
			WithCause(err).WithHint("make its directories accessible, and mount nothing inside the root")
	case errors.Is(err, tree.ErrNotRegular):
		return fault.New(fault.BadArgument, fault.ReasonNotRegular, path, "it isn't a regular file").
			WithHint("write %s/** for what lies in a directory", path)
	case errors.Is(err, tree.ErrAbsent):
		return fault.New(fault.BadArgument, fault.ReasonAbsent, path, "there is no such file").
			WithHint("check the path, or write a pattern where the file may be absent")
	}
	return fault.New(fault.StepFailed, fault.ReasonIO, path, "the file can't be read").WithCause(err).
		WithHint("check its permissions, or leave it out")
}

func refuseNonText(path, rule string) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonNonText, path, "the file isn't text: %s", rule).
		WithHint("leave it out, or name its type in mimeTypes")
}

// matcher judges what the walk finds.
type matcher struct {
	*resolver
	open []*pattern // without a match so far
	err  error      // why the walk was stopped
}

// file judges one match in the order of spec §9.3; the walk goes on while it returns
// true.
func (m *matcher) file(f enumerate.File) bool {
	if len(m.open) > 0 {
		m.open = slices.DeleteFunc(m.open, func(p *pattern) bool {
			p.matched = f.MatchedBy(p.scope)
			return p.matched
		})
	}
	if _, ok := m.literals[f.Path]; ok {
		return true
	}
	if !enumerate.Addressable(f.Path) {
		m.res.skips.add(Unaddressable, f.Path)
		return true
	}
	if !m.policy.CanRead(f.Path).Allowed {
		m.res.skips.add(ReadDenied, f.Path)
		return true
	}
	mime, ok := m.req.Types.Resolve(f.Path)
	if !ok {
		if m.req.OnNonText == Fail {
			m.err = refuseNonText(f.Path, "its name has no textual type")
			return false
		}
		m.res.skips.add(NonText, f.Path)
		return true
	}
	m.res.targets = append(m.res.targets, target{path: f.Path, mime: mime})
	if n := len(m.res.targets) + len(m.literals); n > m.req.Bounds.MaxFiles {
		m.err = m.req.Bounds.TooManyFiles(n)
		return false
	}
	return true
}
