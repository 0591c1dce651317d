package reread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// reasonReadError is the reason of spec §13.4 that no other part of the runtime has.
const reasonReadError fault.Reason = "read-error"

// round is one re-read.
type round struct {
	env  Env
	p    *Prepared
	snap *Snapshot
	end  End
	full bool // identities prove nothing

	known      []string          // Prepared.known and Prepared.unreadable, sorted
	probes     []probe           // of known paths that aren't clean, sorted
	fresh      []string          // new files, sorted
	moves      map[string]string // recorded moves that are kept: destination to source
	policy     *policy.Policy
	violations map[string]*Violation

	w    *workspace.Workspace
	b    *workspace.Baselines
	room room

	outcomes []Outcome // of what isn't clean, in no order
	changed  []string
	notes    []Note
	errors   []diagnostic.Diagnostic
}

// Reread reads the envelope from disk, whatever ended the invocation, and reconciles the
// workspace with it (spec §13). The end of ctx doesn't end it (spec §12.6). p and s are
// those of this invocation; s may come from an earlier attempt. An error is the store's,
// or BeforeRestore's, and nothing has happened then but what was put back on disk.
func (e Env) Reread(ctx context.Context, p *Prepared, s *Snapshot, end End) (*Result, error) {
	ctx = context.WithoutCancel(ctx)
	r := &round{
		env: e, p: p, snap: s, end: end,
		full:       e.FullCompare || end.Alive || s.Started == 0,
		known:      p.known,
		policy:     e.Policy(),
		violations: map[string]*Violation{},
		w:          p.workspace.Clone(),
		b:          p.baselines.Clone(),
		room:       p.others,
	}
	if len(p.unreadable) > 0 {
		r.known = slices.Concat(p.known, p.unreadable)
		slices.Sort(r.known)
	}
	seen, err := r.survey(ctx, share)
	if err != nil {
		return nil, fmt.Errorf("look at what the invocation may have touched: %w", err)
	}
	news, failure := r.find(ctx, seen)
	if failure != nil {
		r.reportFailure(failure)
	}
	r.probes, r.fresh = seen.probes, news.fresh
	r.keepMoves()
	if err := r.violate(ctx); err != nil {
		return nil, err
	}
	if err := r.reconcile(ctx); err != nil {
		return nil, err
	}
	return r.result(news), nil
}

// reportFailure is spec §13.7: known paths are probed as ever, nothing new is admitted.
func (r *round) reportFailure(err error) {
	path := "what the invocation may touch"
	if list := (*enumerate.ListError)(nil); errors.As(err, &list) {
		path, err = fmt.Sprintf("%q", list.Path), list.Err
	}
	r.errors = append(r.errors, diagnostic.Diagnostic{
		Severity: diagnostic.Error,
		Reason:   string(fault.ReasonEnumeration),
		Message:  fmt.Sprintf("%s can't be listed after %s has run, so new files weren't looked for: %v", path, r.p.inv.Engine, err),
	})
}

func comparePath(p probe, path string) int { return strings.Compare(p.path, path) }

// result sorts what was found.
func (r *round) result(news found) *Result {
	slices.Sort(r.changed)
	res := &Result{
		Workspace: r.w,
		Baselines: r.b,
		Outcomes:  r.allOutcomes(news.ignored),
		Changed:   slices.Compact(r.changed),
		Notes:     r.notes,
		Errors:    r.errors,
	}
	for _, v := range r.violations {
		res.Violations = append(res.Violations, *v)
	}
	slices.SortFunc(res.Violations, func(a, b Violation) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(res.Notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	if r.p.inv.ReadOnly && len(res.Changed) > 0 {
		res.Errors = append(res.Errors, r.readOnlyError(res.Changed))
	}
	slices.SortStableFunc(res.Errors, func(a, b diagnostic.Diagnostic) int { return strings.Compare(a.Path, b.Path) })
	if r.snap.TooDeep == "" {
		res.Warnings = depthWarning(news.tooDeep, r.env.Bounds.MaxDepth)
	}
	r.advise(res)
	res.Err = r.failure(res.Violations)
	return res
}

func (r *round) readOnlyError(changed []string) diagnostic.Diagnostic {
	return diagnostic.Diagnostic{
		Severity: diagnostic.Error,
		Reason:   string(fault.ReasonReadOnly),
		Count:    len(changed),
		Paths:    diagnostic.Listed(changed),
		Message: fmt.Sprintf("%s was to read only, and %s changed: the workspace follows the disk; check how the tool is called",
			r.p.inv.Engine, files(len(changed))),
	}
}

// advise compares the disk with what the engine says (spec §14). An invocation that
// didn't end well sent no delta.
func (r *round) advise(res *Result) {
	if r.end.Reason != "" || r.end.Claims == nil {
		return
	}
	destinations := r.destinations()
	advisory := decodeClaims(r.end.Claims, r.env.Bounds.MaxDepth).compare(res.Changed, func(path string) bool {
		return !r.p.inv.ReadOnly &&
			(r.p.region.Match(path) || holds(destinations, path)) &&
			!holds(r.p.Withheld, path) &&
			r.policy.CanWrite(path).Allowed
	})
	res.Advisory = &advisory
	if !advisory.Empty() {
		res.Warnings = append(res.Warnings, advisory.warning(r.p.inv.Engine))
	}
}

// failure is how the step ends on account of the invocation: a violation outranks
// whatever else ended it (spec §13.10).
func (r *round) failure(violations []Violation) *fault.Error {
	var ended *fault.Error
	if r.end.Reason != "" {
		ended = fault.New(fault.StepFailed, r.end.Reason, "", "%s", endedBy(r.end.Reason)).WithCause(r.end.Cause)
		ended.Engine = r.p.inv.Engine
	}
	if len(violations) == 0 {
		return ended
	}
	e := fault.New(fault.StepFailed, fault.ReasonPolicyViolation, printable(violations[0].Path),
		"%s changed that the policy doesn't let be written, the first by the rule %s", files(len(violations)), violations[0].Rule).
		WithHint("narrow the scope of the engine or the paths of the step, or allow it in the policy")
	e.Engine = r.p.inv.Engine
	if ended != nil {
		return e.WithCause(ended)
	}
	return e
}

func endedBy(reason fault.Reason) string {
	switch reason {
	case fault.ReasonDeadline:
		return "the tool was ended at its deadline"
	case fault.ReasonCancelled:
		return "the tool was cancelled"
	case fault.ReasonCrash:
		return "the tool crashed"
	}
	return "the tool failed"
}
