package runtime

import (
	"context"
	"errors"

	"github.com/fettle-dev/fettle/internal/diagnostic/adapter"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
)

var errDied = errors.New("the run's process ended while the tool was at work")

// close finds out what came of the open entry and books it. What it does is done whatever
// has become of the run; an error means that it couldn't be, and the entry stays open.
func (x *execution) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if x.entry.Write != nil {
		return x.closeWrite(ctx)
	}
	return x.closeInvocation(ctx)
}

// closeWrite does what is left of a write (spec §16.6).
func (x *execution) closeWrite(ctx context.Context) error {
	result, err := x.writer().Replay(ctx, &x.books, x.entry.Write, x.rebooted)
	x.wrote(result)
	if !result.Durable {
		return errors.Join(err, errors.New("what was written can't be made durable"))
	}
	x.entry = nil
	x.fail(err)
	if x.failure != nil {
		return x.checkpoint(nil)
	}
	if err := x.mint(); err != nil {
		return err
	}
	return x.endStep()
}

func (x *execution) writer() *persist.Writer {
	return &persist.Writer{Tree: x.Tree, Store: x.State.Store(), Policy: x.Policy, Journal: x, Random: x.Random}
}

// closeInvocation re-reads what the tool may have touched and follows it (spec §13).
func (x *execution) closeInvocation(ctx context.Context) error {
	open := x.entry.Invocation
	env := x.rereadEnv()
	restorer := persist.Restorer{Tree: x.Tree, Store: x.State.Store(), Seed: open.Seed}
	if err := restorer.Sweep(pathsOf(open.Undone)); err != nil {
		return err
	}
	env.Restorer = restorer
	env.BeforeRestore = func(undone []reread.Violation) error {
		open.Undone = undone
		return x.checkpoint(x.entry)
	}
	if x.prepared == nil {
		subject, err := open.subject(x.Acquire.Bounds.MaxDepth)
		if err != nil {
			return err
		}
		if x.prepared, err = env.Prepare(x.books.Workspace, x.books.Baselines, subject); err != nil {
			return err
		}
	}
	result, err := env.Reread(ctx, x.prepared, open.Snapshot, x.end(open))
	if err != nil {
		return err
	}
	x.books.Workspace, x.books.Baselines = result.Workspace, result.Baselines
	x.account(open, result)
	x.progress.Next++
	x.entry, x.prepared, x.outcome = nil, nil, nil
	if result.Err != nil {
		x.fail(result.Err)
	}
	if err := x.mint(); err != nil {
		return err
	}
	save := x.checkpoint
	if len(result.Changed)+len(result.Notes)+len(result.Errors) == 0 {
		// At most identities were refreshed, and an old one only costs a look.
		save = x.keepGoing
	}
	if err := save(nil); err != nil {
		return err
	}
	x.Observer.InvocationEnded(x.report.Invocations[len(x.report.Invocations)-1])
	return nil
}

func pathsOf(violations []reread.Violation) []string {
	paths := make([]string, len(violations))
	for i, v := range violations {
		paths[i] = v.Path
	}
	return paths
}

// subject rebuilds what the re-read asks, from what was recorded before the tool began.
func (o *OpenInvocation) subject(maxDepth int) (reread.Invocation, error) {
	scope, err := entriesOf(o.Scope, glob.Scope, maxDepth)
	if err != nil {
		return reread.Invocation{}, err
	}
	selector, err := entriesOf(o.Selector, glob.Paths, maxDepth)
	if err != nil {
		return reread.Invocation{}, err
	}
	return reread.Invocation{Engine: o.Engine, Scope: scope, Selector: selector, ReadOnly: o.ReadOnly}, nil
}

func entriesOf(texts []string, place glob.Place, maxDepth int) (glob.Entries, error) {
	if texts == nil {
		return nil, nil
	}
	return glob.ParseEntries(texts, place, maxDepth)
}

// end is how the invocation ended, for the re-read.
func (x *execution) end(open *OpenInvocation) reread.End {
	end := reread.End{Undone: open.Undone}
	if x.outcome == nil {
		end.Reason, end.Cause, end.Alive = fault.ReasonCrash, errDied, true
		return end
	}
	if x.outcome.Ended != report.EndedOK {
		end.Reason, end.Cause = fault.Reason(x.outcome.Ended), x.outcome.Cause
	}
	end.Alive, end.Claims = x.outcome.Alive, x.outcome.Claims
	return end
}

// account adds an invocation and what was found after it to the report, in the order of
// spec §15: the engine's diagnostics, then the re-read's.
func (x *execution) account(open *OpenInvocation, r *reread.Result) {
	record := report.Invocation{
		Step: open.Step, Engine: open.Engine, Kind: open.Kind, Capability: open.Cap, ReadOnly: open.ReadOnly,
		Attempts: open.Attempts, Files: open.Files, Changed: len(r.Changed), Ended: report.EndedCrash,
	}
	if o := x.outcome; o != nil {
		record.Ended, record.ExitCode, record.Signal, record.LeftProcesses = o.Ended, o.ExitCode, o.Signal, o.Left
		record.DurationMillis, record.Usage, record.ImageDigest = o.Duration.Milliseconds(), o.Usage, o.ImageDigest
		record.Stdout, record.Stderr = o.Stdout, o.Stderr
		containment := o.Containment
		record.Containment = &containment
		found, notes := adapter.Normalise(o.Diagnostics, open.Engine, x.place(o, r))
		record.Findings = len(found)
		x.diagnose(found...)
		x.diagnose(notes...)
	}
	record.Version = x.version(open.Engine)
	x.report.Invocations = append(x.report.Invocations, record)
	x.report.Steps[open.Step].Changed += len(r.Changed)
	x.diagnose(r.Errors...)
	x.diagnose(r.Warnings...)
	for _, n := range r.Notes {
		x.report.Identity = append(x.report.Identity, report.Note(n))
	}
	if r.Advisory != nil && !r.Advisory.Empty() {
		a := r.Advisory
		x.report.Discrepancies = append(x.report.Discrepancies, report.Discrepancy{
			Step: open.Step, Engine: open.Engine, ClaimedUnchanged: a.ClaimedUnchanged, ChangedUnclaimed: a.ChangedUnclaimed,
			ClaimedUnauthorized: a.ClaimedUnauthorized, Unparseable: a.Unparseable,
		})
	}
}

func (x *execution) place(o *Outcome, r *reread.Result) adapter.Place {
	return adapter.Place{
		Roots: o.Roots, MaxDepth: x.Acquire.Bounds.MaxDepth,
		Known: func(path string) bool { _, ok := r.Workspace.File(path); return ok },
	}
}

// version asks once per engine and run (spec §18); the driver remembers.
func (x *execution) version(id string) string {
	if x.Engines == nil {
		return ""
	}
	e, ok := x.Engines.Engine(id)
	if !ok {
		return ""
	}
	return x.Driver.Version(context.Background(), e)
}

// rereadEnv is what all re-reads of the run have in common.
func (x *execution) rereadEnv() reread.Env {
	env := reread.Env{
		Tree: x.Tree, Store: x.State.Store(), Policy: x.Policy, Types: x.types(), Bounds: x.Acquire.Bounds,
		Exclude: x.Acquire.Exclude, Now: x.FileTime, FullCompare: x.left || x.FullCompare,
	}
	if x.Acquire.RespectGitignore {
		env.Gitignore = x.Gitignore
	}
	return env
}
