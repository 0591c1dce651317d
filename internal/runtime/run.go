package runtime

import (
	"context"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

// Run executes a new run over a state that holds none. It always returns a report; one
// that says Waiting is of a run that Resume goes on with.
func Run(ctx context.Context, c Config) report.Report {
	return newExecution(c).toEnd(ctx)
}

// Resume goes on with the run that the state holds: a tool that was at work is started
// again with its first snapshot, and the accounting covers everything since the run
// began. It refuses, with a *fault.Error, if the state holds no run, or one of another
// plan; nothing has happened then.
func Resume(ctx context.Context, c Config) (report.Report, error) {
	x, err := kept(c)
	if err != nil {
		return report.Report{}, err
	}
	if x == nil {
		return report.Report{}, fault.New(fault.BadArgument, fault.ReasonAbsent, "", "there is no interrupted run to resume").
			WithHint("run without --resume")
	}
	if x.progress.Digest != c.Digest {
		return report.Report{}, fault.New(fault.BadArgument, fault.ReasonUnknownArgument, "",
			"the interrupted run %s is of another plan: the pipeline or an engine has changed since", x.report.Run).
			WithHint("undo that change, or run without --resume, which closes the interrupted run first")
	}
	if x.progress.Finished {
		return *x.report, nil
	}
	if x.entry != nil && x.entry.Invocation != nil && x.entry.Invocation.Seen < x.entry.Invocation.Attempts {
		x.entry.Invocation.Lost++
	}
	x.report.Waiting, x.report.Next = nil, nil
	return x.toEnd(ctx), nil
}

// Recover closes the run that the state holds, if there is one: a write is completed,
// what a tool did is accounted for, and the report says that the run was interrupted. It
// needs nothing of the pipeline that the run was of.
func Recover(ctx context.Context, c Config) (r report.Report, found bool, err error) {
	return RecoverBecause(ctx, c, fault.New(fault.StepFailed, fault.ReasonCrash, "", "the run's process ended before the run did").
		WithHint("what it had done to the tree is accounted for here; run again"))
}

// RecoverBecause is Recover of a run that ended for a reason which is known.
func RecoverBecause(ctx context.Context, c Config, cause *fault.Error) (r report.Report, found bool, err error) {
	x, err := kept(c)
	if err != nil || x == nil {
		return report.Report{}, false, err
	}
	if x.progress.Finished {
		return *x.report, true, nil
	}
	if x.report.Waiting != nil {
		cause = fault.New(fault.StepFailed, fault.ReasonCancelled, "", "the run waited for an approval, and was given up").
			WithHint("go on with such a run by resuming it")
	}
	x.endBy(cause)
	x.Plan = plan.Plan{Steps: make([]plan.Step, len(x.report.Steps))}
	if x.entry != nil {
		if err := x.close(ctx); err != nil {
			return report.Report{}, true, err
		}
	}
	return x.settle(ctx), true, nil
}

// kept takes up the run that the state holds, nil if there is none.
func kept(c Config) (*execution, error) {
	checkpoint, err := c.State.Load()
	if err != nil || checkpoint == nil {
		return nil, err
	}
	x := newExecution(c)
	if x.progress, err = decodeProgress(checkpoint.Progress); err != nil {
		return nil, fault.New(fault.StepFailed, fault.ReasonState, "", "the interrupted run's progress can't be read").WithCause(err).
			WithHint("it was made by another version of fettle: finish it with that one, or remove the state directory")
	}
	if x.report.Error != nil {
		x.failure = faultOf(*x.report.Error) // it was on its way to its end
	}
	if c.Only == nil {
		x.Only = x.progress.Only
	}
	x.books, x.entry, x.rebooted = checkpoint.Books, checkpoint.Entry, checkpoint.Rebooted
	return x, nil
}

// toEnd runs and settles.
func (x *execution) toEnd(ctx context.Context) report.Report {
	x.started = x.Now()
	if err := x.run(ctx); err != nil {
		x.fail(err)
		x.stuck = true
	}
	return x.settle(ctx)
}

// settle makes the report, and leaves in the state what the next process needs: a
// finished run, until whoever keeps reports clears it; a waiting one; or an open entry.
func (x *execution) settle(ctx context.Context) report.Report {
	if x.started.IsZero() {
		x.started = x.Now()
	}
	if (x.waiting || x.report.Next != nil) && x.failure == nil {
		x.report.DurationMillis += x.Now().Sub(x.started).Milliseconds()
		return *x.report
	}
	r := x.finish(ctx)
	if x.stuck {
		return r
	}
	x.progress.Finished = true
	if err := x.keepGoing(nil); err != nil && x.failure == nil {
		x.fail(err)
		r.Error, r.OK = x.report.Error, false
	}
	return r
}
