package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
)

// engineStep begins the next invocation of a step, or ends the step after its last. Each
// is accounted for before the next is begun, so that fixers compose (spec §12.2).
func (x *execution) engineStep(ctx context.Context, step plan.Step) error {
	if x.files == nil {
		x.files = x.progress.Began.from(x.books.Workspace.Paths())
	}
	if x.selection == nil {
		s, err := x.selectFor(step, x.files)
		if err != nil {
			return err
		}
		x.selection = &s
		if !x.progress.Told {
			x.explain(s)
			x.progress.Told = true
		}
	}
	if x.progress.Next == 0 && step.Kind() == plan.KindCheck && len(x.selection.Invocations) > 0 {
		if err := x.refuseUnsaved(); err != nil {
			return err
		}
	}
	if x.progress.Next >= len(x.selection.Invocations) {
		return x.endStep()
	}
	return x.begin(ctx, x.selection.Invocations[x.progress.Next])
}

// serves says whether this process runs an invocation; if not, the run stops before it.
func (x *execution) serves(in engine.Invocation) bool {
	next := report.Next{
		Step: x.progress.Position, Index: x.progress.Next, Engine: in.EngineID, Kind: string(in.Kind), Capability: in.Capability,
		ReadOnly: in.ReadOnly,
	}
	if x.Serves == nil || x.Serves(next) {
		return true
	}
	x.report.Next = &next
	return false
}

// retry starts the tool of the open entry again, or leaves that to a process that serves
// it. An attempt whose end was seen counts there, too.
func (x *execution) retry(ctx context.Context) error {
	open := x.entry.Invocation
	next := open.next()
	if x.Serves == nil || x.Serves(next) {
		return x.attempt(ctx)
	}
	if x.outcome != nil {
		open.Seen, x.outcome = open.Attempts, nil
	}
	x.report.Next = &next
	return x.keepGoing(x.entry)
}

// next is the invocation as a report has it that stops before it.
func (o *OpenInvocation) next() report.Next {
	return report.Next{Step: o.Step, Index: o.Index, Engine: o.Engine, Kind: o.Kind, Capability: o.Cap, ReadOnly: o.ReadOnly}
}

// refuseUnsaved fails a check while the disk isn't what the workspace is (spec §8.9).
func (x *execution) refuseUnsaved() error {
	unsaved, err := x.books.Baselines.Unsaved(x.State.Store(), x.books.Workspace)
	if err != nil || len(unsaved) == 0 {
		return err
	}
	return fault.New(fault.StepFailed, fault.ReasonUnsaved, "", "%s not saved, and a check looks at the disk: %q",
		countFiles(len(unsaved), "is", "are"), diagnostic.Listed(unsaved)).
		WithHint("put a write step before the check")
}

// begin makes an invocation's snapshot durable and starts its tool.
func (x *execution) begin(ctx context.Context, in engine.Invocation) error {
	env := x.rereadEnv()
	prepared, err := env.Prepare(x.books.Workspace, x.books.Baselines, subject(in))
	if err != nil {
		return err
	}
	paths := x.given(in, prepared)
	if len(paths) == 0 && takesFiles(in) {
		x.diagnose(prepared.Diagnostics...)
		x.keepWithheld(prepared.Withheld)
		x.progress.Next++
		return nil
	}
	if err := x.containable(in, prepared).Check(x.Containment); err != nil {
		return fault.OfEngine(err, in.EngineID)
	}
	if !x.serves(in) {
		return x.checkpoint(nil)
	}
	snapshot, warnings, err := env.Snapshot(ctx, prepared)
	if err != nil {
		return err
	}
	x.diagnose(prepared.Diagnostics...)
	x.diagnose(warnings...)
	x.keepWithheld(prepared.Withheld)
	open := &OpenInvocation{
		Step: x.progress.Position, Index: x.progress.Next, Engine: in.EngineID, Kind: string(in.Kind), Cap: in.Capability,
		Selector: texts(in.Selector), Scope: texts(in.Scope), ReadOnly: in.ReadOnly, Files: len(paths), Snapshot: snapshot,
		Seed: x.token,
	}
	x.entry, x.prepared = &Entry{Invocation: open}, prepared
	return x.attempt(ctx)
}

// containable is what would hold the tool to its remit (spec §12.5). No driver of this
// build confines a mounted tool.
func (x *execution) containable(in engine.Invocation, p *reread.Prepared) reread.Containment {
	return reread.Confinement{
		Option: x.Containment, Facade: in.Access == engine.Facade, InPlace: in.Writes == engine.WritesInPlace,
		Region: in.Region(), Allowlist: p.Allowlist,
	}.Plan()
}

// takesFiles says that a tool works on the files that it is given. One that would get none
// isn't started: many tools take that for all.
func takesFiles(in engine.Invocation) bool {
	return !in.Generating && in.Kind != engine.Run && in.Exec.Paths.As != engine.PathsNone
}

// attempt starts the tool of the open entry, for the first time or again. The attempt is
// durable before it begins.
func (x *execution) attempt(ctx context.Context) error {
	open := x.entry.Invocation
	if x.selection == nil {
		x.files = x.progress.Began.from(x.books.Workspace.Paths())
		s, err := x.selectFor(x.Plan.Steps[open.Step], x.files)
		if err != nil {
			return err
		}
		x.selection = &s
	}
	in := x.selection.Invocations[open.Index]
	if x.prepared == nil {
		var err error
		if x.prepared, err = x.rereadEnv().Prepare(x.books.Workspace, x.books.Baselines, subject(in)); err != nil {
			return err
		}
	}
	open.Attempts++
	if err := x.keepGoing(x.entry); err != nil {
		x.entry = nil // nothing has been started
		return err
	}
	paths := x.given(in, x.prepared)
	if open.Attempts > 1 {
		paths = x.present(ctx, paths)
	}
	x.Observer.InvocationStarted(open.Step, open.Engine, len(paths))
	outcome := x.Driver.Invoke(ctx, Call{
		Name: fmt.Sprintf("%d-%d", open.Step, open.Index), Attempt: open.Attempts,
		Invocation: in, Paths: paths, Deadline: x.deadline(in),
		Attached: func() error {
			open.Attached = open.Attempts
			return x.keepGoing(x.entry)
		},
	})
	x.left = x.left || outcome.Alive
	if outcome.Lost {
		next := open.next()
		x.report.Next = &next
		return nil
	}
	x.outcome = &outcome
	return nil
}

// given are the paths that a tool is handed: those of the invocation that are allowed
// now, in the invocation's order (spec §12.2).
func (x *execution) given(in engine.Invocation, p *reread.Prepared) []string {
	allowed := func(path string) bool { _, ok := slices.BinarySearch(p.Allowlist, path); return ok }
	for i, path := range in.Paths {
		if !allowed(path) { // rare: mostly all are
			kept := slices.Clone(in.Paths[:i])
			for _, path := range in.Paths[i+1:] {
				if allowed(path) {
					kept = append(kept, path)
				}
			}
			return kept
		}
	}
	return in.Paths
}

// present leaves out what an earlier attempt has removed: a tool that is named a file
// which isn't there fails.
func (x *execution) present(ctx context.Context, paths []string) []string {
	sorted := slices.Sorted(slices.Values(paths))
	gone := map[string]bool{}
	_ = x.Tree.Revisit(ctx, sorted, func(i int, _ tree.Identity, err error) bool { // a path that can't be looked at is the tool's to report
		gone[sorted[i]] = errors.Is(err, tree.ErrAbsent)
		return true
	})
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return gone[p] })
}

func (x *execution) deadline(in engine.Invocation) time.Duration {
	if in.Exec.Deadline > 0 {
		return in.Exec.Deadline
	}
	return x.Deadline
}

// subject is what the re-read asks of an invocation.
func subject(in engine.Invocation) reread.Invocation {
	return reread.Invocation{Engine: in.EngineID, Scope: in.Scope, Selector: in.Selector, ReadOnly: in.ReadOnly}
}

func texts(entries glob.Entries) []string {
	if entries == nil {
		return nil
	}
	return entries.Strings()
}

func (x *execution) keepWithheld(paths []string) {
	x.report.Withheld = slices.Compact(slices.Sorted(slices.Values(append(x.report.Withheld, paths...))))
}
