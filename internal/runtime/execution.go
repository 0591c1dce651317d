package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
)

// execution is one run under way. What outlives the process is in books, progress and
// entry; the rest is made anew by whoever goes on.
type execution struct {
	Config
	books    persist.Books
	progress progress
	entry    *Entry
	report   *report.Report // progress.Report
	token    string         // spec §20

	decision  *gate.Decision    // on the gate of the step at Position, once made
	waiting   bool              // for such a decision
	failure   *fault.Error      // ended the run
	failed    *report.Step      // the step that it ended in, until the observer knows
	selection *engine.Selection // of the step at Position
	files     []string          // the workspace when that step began
	prepared  *reread.Prepared  // of the open invocation
	outcome   *Outcome          // of its last attempt; nil if nobody saw it end
	started   time.Time         // of the run, in this process
	begun     time.Time         // of the step at Position, in this process
	origins   map[string]string // acquisition path → present path of moved files, for the diff
	left      bool              // a tool left something alive: identities prove nothing
	rebooted  bool              // the machine has stopped since the entry was made
	stuck     bool              // the entry couldn't be closed: the next process must
	diffCut   bool              // the diff is above its limit
	inside    bool              // an interceptor is running the step at Position
}

func newExecution(c Config) *execution {
	x := &execution{Config: c}
	x.progress = progress{Pipeline: c.Pipeline, Digest: c.Digest, Only: c.Only, Position: plan.Acquisition}
	x.report = &x.progress.Report
	*x.report = report.Report{
		Version: report.Version, Run: c.Run, Pipeline: c.Pipeline, DryRun: c.DryRun,
		StartedAt: c.Now().UTC().Format(time.RFC3339),
		Changes:   []report.Change{}, Diagnostics: []diagnostic.Diagnostic{},
	}
	for i, step := range c.Plan.Steps {
		state := report.StepNotRun
		if c.Only != nil && *c.Only != i {
			state = report.StepSkipped
		}
		x.report.Steps = append(x.report.Steps, report.Step{Index: i, Name: step.Name, Action: string(step.Kind()), Target: targetOf(step), State: state})
	}
	for _, w := range c.Warnings {
		x.report.Diagnostics = append(x.report.Diagnostics, diagnostic.Diagnostic{
			Severity: diagnostic.Warning, Reason: string(fault.ReasonUnsaved), Message: w.Message,
		})
	}
	return x
}

func targetOf(step plan.Step) string {
	switch args := step.Args.(type) {
	case plan.ReadLines:
		return args.Path
	case plan.Edit:
		return args.Path
	default:
		return ""
	}
}

// run goes on until the run has ended or waits for a decision. An error means that what
// is under way couldn't be closed: the entry stays, for the next process.
func (x *execution) run(ctx context.Context) error {
	if x.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, x.Timeout, errTimeout(x.Timeout))
		defer cancel()
	}
	if err := x.mint(); err != nil {
		return err
	}
	for {
		if ended, err := x.advance(ctx); ended || err != nil {
			return err
		}
	}
}

// advance does what comes next. An error is fatal: see run.
func (x *execution) advance(ctx context.Context) (ended bool, err error) {
	defer x.announce()
	if x.report.Next != nil {
		return true, nil
	}
	x.passOver()
	switch plan.Next(x.Plan, x.observe(ctx)) {
	case plan.Acquire:
		x.fail(x.acquire(ctx))
	case plan.Ask:
		x.fail(x.ask(ctx))
	case plan.RunStep:
		x.fail(x.step(ctx))
	case plan.Retry:
		x.fail(x.retry(ctx))
	case plan.Recover:
		return false, x.close(ctx)
	case plan.FinishDeclined:
		x.fail(gate.Declination(*x.decision))
	case plan.FinishCancelled:
		x.fail(cancellation(ctx))
	default: // finished, or waiting for a gate; nothing here pauses a run or leaves a tool running
		return true, nil
	}
	return false, nil
}

// passOver skips the steps that the caller doesn't want.
func (x *execution) passOver() {
	if x.Only == nil || x.entry != nil || x.progress.Position == plan.Acquisition {
		return
	}
	switch at := &x.progress.Position; {
	case *at < *x.Only:
		*at = *x.Only
	case *at > *x.Only:
		*at = len(x.Plan.Steps)
	}
}

func (x *execution) observe(ctx context.Context) plan.Observation {
	o := plan.Observation{
		Position: x.progress.Position, Begun: x.progress.Begun, Failed: x.failure != nil, Retries: x.Retries,
		Gate: x.gateState(),
	}
	if ctx.Err() != nil {
		o.Desired = plan.DesiredCancelled
	}
	switch {
	case x.entry == nil:
	case x.entry.Write != nil:
		o.Open = &plan.Open{Kind: plan.OpenWrite}
	default:
		open := x.entry.Invocation
		o.Open = &plan.Open{
			Kind: plan.OpenInvocation, Attempts: open.Attempts - open.Lost,
			Done: x.failure != nil || x.outcome != nil && !x.retryable(),
		}
	}
	return o
}

// retryable says whether another attempt could end otherwise.
func (x *execution) retryable() bool {
	switch x.outcome.Ended {
	case report.EndedEngineError, report.EndedDeadline, report.EndedCrash:
		return x.outcome.Started
	default:
		return false
	}
}

// fail ends the run with err, if it is one; the first counts.
func (x *execution) fail(err error) {
	if err == nil {
		return
	}
	e := asFault(err)
	if at := x.progress.Position; at >= 0 && at < len(x.Plan.Steps) {
		e = inStep(err, at, x.Plan.Steps[at])
		if step := &x.report.Steps[at]; step.State != report.StepFailed {
			step.State = report.StepFailed
			x.stepTook(step)
			x.failed = step
		}
	}
	x.endBy(e)
}

// endBy ends the run; the first cause counts, and whoever goes on with the run knows it.
func (x *execution) endBy(e *fault.Error) {
	if x.failure == nil {
		x.failure, x.report.Error = e, FailureOf(e)
	}
}

// announce tells of a step that has failed, after whatever of it had to be told before.
func (x *execution) announce() {
	if x.failed != nil {
		x.Observer.StepEnded(*x.failed)
		x.failed = nil
	}
}

// next moves on to the following step.
func (x *execution) next() {
	x.progress.Position++
	x.progress.Begun, x.progress.Told, x.progress.Next, x.progress.Began = false, false, 0, fileSet{}
	x.decision, x.selection, x.files = nil, nil, nil
}

// checkpoint makes the present state durable, and with a nil entry closes what was open.
func (x *execution) checkpoint(entry *Entry) error {
	return x.save(Checkpoint{Books: x.books, Entry: entry})
}

// keepGoing is a checkpoint whose books haven't changed since the one before.
func (x *execution) keepGoing(entry *Entry) error {
	return x.save(Checkpoint{Books: x.books, SameBooks: true, Entry: entry})
}

func (x *execution) save(c Checkpoint) error {
	if x.files != nil {
		x.progress.Began = difference(x.files, x.books.Workspace.Paths())
	}
	var err error
	if c.Progress, err = x.progress.encode(); err != nil {
		return err
	}
	if err := x.State.Save(c); err != nil {
		return err
	}
	x.entry = c.Entry
	return nil
}

// diagnose adds to the report's diagnostics, in order of production (spec §15).
func (x *execution) diagnose(list ...diagnostic.Diagnostic) {
	x.report.Diagnostics = append(x.report.Diagnostics, list...)
}

func (x *execution) stepTook(s *report.Step) {
	if !x.begun.IsZero() {
		s.DurationMillis += x.Now().Sub(x.begun).Milliseconds()
		x.begun = time.Time{}
	}
}

func errTimeout(after time.Duration) error {
	return fault.New(fault.StepFailed, fault.ReasonDeadline, "", "the run took longer than its timeout of %s", after).
		WithHint("raise the pipeline's timeout, or split it")
}

// cancellation is the error of a run that was told to end, or took too long.
func cancellation(ctx context.Context) error {
	if cause := fault.As(context.Cause(ctx)); cause != nil {
		return cause
	}
	return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "the run was cancelled").
		WithCause(errors.Join(context.Cause(ctx)))
}
