package acquire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Resolve finds the files that the request asks for; nothing is read yet. Errors are
// *fault.Error, that of the first entry in the order given which can't be had (spec
// §9.1), or the context's.
//
// All patterns are enumerated in one walk, so an error of a pattern that stands before
// an entry which is wrong by itself is found first.
func (s Source) Resolve(ctx context.Context, req Request) (*Resolution, error) {
	r := &resolver{
		source:   s,
		req:      req,
		policy:   s.Policy(),
		literals: map[string]target{},
		res:      &Resolution{skips: skips{}},
	}
	if len(req.Entries) > 0 && !r.policy.Available() {
		return nil, policy.Verdict{Reason: policy.Unavailable}.Refusal(req.Entries[0], policy.Reading)
	}
	wrong := r.entries()
	if err := r.walk(ctx); err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, wrong
	}
	r.res.targets = slices.AppendSeq(r.res.targets, maps.Values(r.literals))
	slices.SortFunc(r.res.targets, func(a, b target) int { return strings.Compare(a.path, b.path) })
	return r.res, nil
}

type resolver struct {
	source   Source
	req      Request
	policy   *policy.Policy
	literals map[string]target
	patterns []*pattern
	res      *Resolution
}

// pattern is a pattern of the request, in its order.
type pattern struct {
	raw     string
	entry   glob.Entry
	scope   int // its place in the region's scope
	matched bool
	tooDeep string // the first directory that it would have entered but for its depth
}

// entries takes the entries in order, up to the first that is wrong by itself: literals
// are looked at, patterns parsed and remembered.
func (r *resolver) entries() error {
	for _, raw := range r.req.Entries {
		entry, err := glob.ParseEntry(raw, glob.Acquire, r.req.Bounds.MaxDepth)
		if err != nil {
			return err
		}
		if !entry.IsLiteral() {
			r.patterns = append(r.patterns, &pattern{raw: raw, entry: entry})
			continue
		}
		t, err := r.literal(entry.String())
		if err != nil {
			return err
		}
		r.literals[t.path] = t
		if len(r.literals) > r.req.Bounds.MaxFiles {
			return r.req.Bounds.TooManyFiles(len(r.literals))
		}
	}
	return nil
}

// walk enumerates all patterns at once and then judges each of them, in order.
func (r *resolver) walk(ctx context.Context) error {
	ignored, err := r.gitignore(ctx)
	if err != nil || len(r.patterns) == 0 {
		return err
	}
	region := r.region()
	query := enumerate.Query{Region: region, Exclude: r.req.Exclude, Ignored: ignored, MaxDepth: r.req.Bounds.MaxDepth}
	m := matcher{resolver: r, open: slices.Clone(r.patterns)}
	summary, err := query.Run(ctx, r.source.Tree, enumerate.Visitor{File: m.file, TooDeep: r.tooDeep})
	if list := (*enumerate.ListError)(nil); errors.As(err, &list) {
		return failedWalk(list)
	}
	if err != nil {
		return err
	}
	if m.err != nil {
		return m.err
	}
	r.res.Excluded, r.res.Gitignored = summary.Excluded, summary.Ignored
	r.uncountLiterals(query)
	for _, p := range r.patterns {
		if p.tooDeep != "" {
			return fault.New(fault.WorkspaceBounds, fault.ReasonMaxDepth, p.tooDeep,
				"the pattern %s reaches below this directory, and bounds.maxDepth is %d", p.raw, r.req.Bounds.MaxDepth).
				WithHint("narrow the pattern, exclude the directory, or raise bounds.maxDepth")
		}
		if !p.matched && r.req.OnNoMatch != Ignore {
			return fault.New(fault.BadArgument, fault.ReasonNoMatch, p.raw, "the pattern matches no file").
				WithHint("check its spelling and what is excluded, or say onNoMatch: Ignore")
		}
	}
	return nil
}

// region is where some pattern matches; each pattern learns its place in it.
func (r *resolver) region() *glob.Region {
	list := make([]glob.Entry, len(r.patterns))
	for i, p := range r.patterns {
		list[i] = p.entry
	}
	scope := glob.NewEntries(list...)
	for _, p := range r.patterns {
		p.scope = slices.IndexFunc(scope, func(e glob.Entry) bool { return e.String() == p.entry.String() })
	}
	return glob.NewRegion(scope, nil)
}

func (r *resolver) tooDeep(dir string) {
	for _, p := range r.patterns {
		if p.tooDeep == "" && p.entry.Below(dir) {
			p.tooDeep = dir
		}
	}
}

// gitignore asks the driver what Git ignores, if that is wanted. Where there is no
// telling one warning says so, and nothing is ignored.
func (r *resolver) gitignore(ctx context.Context) (enumerate.Ignored, error) {
	if !r.req.RespectGitignore {
		return nil, nil
	}
	err := enumerate.ErrNotOffered
	var ignored enumerate.Ignored
	if r.source.Gitignore != nil {
		ignored, err = r.source.Gitignore(ctx)
	}
	switch {
	case errors.Is(err, enumerate.ErrNotOffered):
		r.res.warnings = append(r.res.warnings, diagnostic.Diagnostic{
			Severity: diagnostic.Warning,
			Reason:   GitignoreUnavailable,
			Message:  fmt.Sprintf("respectGitignore has no effect: %v", err),
		})
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fault.New(fault.StepFailed, fault.ReasonEnumeration, "", "what Git ignores can't be determined").WithCause(err)
	}
	return ignored, nil
}

// uncountLiterals takes files that a literal names off the counts: a literal wins over
// exclusion (spec §5.7).
func (r *resolver) uncountLiterals(q enumerate.Query) {
	for path := range r.literals {
		dir, _ := tree.Split(path)
		switch {
		case !q.Region.Match(path) || q.LeavesOut(dir):
		case q.Exclude.CoversFile(path):
			r.res.Excluded.Files--
		case q.Ignored != nil && q.Ignored.Ignored(path, false):
			r.res.Gitignored.Files--
		}
	}
}

func failedWalk(e *enumerate.ListError) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonEnumeration, strings.ToValidUTF8(e.Path, "\uFFFD"), "the directory can't be listed").
		WithCause(e.Err).WithHint("make it readable, or exclude it")
}
