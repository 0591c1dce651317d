package sidecar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/reasons"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/sidecar/status"
)

// word is what a sidecar tells.
type word struct {
	outcome v1alpha1.RunOutcome
	entry   *v1alpha1.InvocationStatus // nil: no invocation was served
	report  *report.Report             // nil: nothing is known of the run
}

// wordOf is what there is to tell of a run that came to where its report says.
func (s *session) wordOf(r report.Report) word {
	w := word{outcome: status.Standing(r, s.gate.payload), report: &r}
	if a, ok := s.attempt(); ok {
		w.entry = new(status.Entry(a, r.Steps, r.Error))
	}
	o := s.fixer.outcome
	if o == nil || o.Cause == nil {
		return w
	}
	if r.Next != nil && outcome.Invocation(r.Next.Step, r.Next.Index) == s.Entry { // another attempt
		w.outcome.Reason = reasons.OfFault(fault.StepFailed, fault.Reason(o.Ended))
		w.outcome.Message = report.Printable(o.Cause.Error())
	}
	switch {
	case w.outcome.Reason != v1alpha1.ReasonToolFailed:
	case s.fixer.missing:
		w.outcome.Reason = v1alpha1.ReasonCommandNotFound
	case o.ExitCode != nil:
		w.outcome.Reason = reasons.OfTool(w.outcome.Reason, *o.ExitCode, printed(o.Stdout)+printed(o.Stderr))
	}
	return w
}

func printed(t *report.Tail) string {
	if t == nil {
		return ""
	}
	return t.Text
}

// attempt is the attempt of an invocation that this Pod has to do with, if there is one.
func (s *session) attempt() (status.Attempt, bool) {
	if open := s.watch.open; open != nil {
		return status.Attempt{
			Step: open.Step, Index: open.Index, Engine: open.Engine, Capability: open.Cap, Number: max(1, open.Attempts),
			Paths: open.Files, Record: s.watch.record, Ended: s.watch.ended,
		}, true
	}
	f := s.fixer
	if !f.used {
		return status.Attempt{}, false
	}
	var step, index int
	if _, err := fmt.Sscanf(s.Entry, "%d-%d", &step, &index); err != nil {
		return status.Attempt{}, false
	}
	a := status.Attempt{
		Step: step, Index: index, Engine: f.call.Invocation.EngineID, Capability: f.call.Invocation.Capability,
		Number: s.Attempt, Paths: len(f.call.Paths), Started: f.started, Outcome: f.outcome, Record: s.watch.record, Ended: s.watch.ended,
	}
	if a.Record == nil {
		a.Ended = s.Now()
	}
	return a, true
}

// tell writes a word wherever it is to be read, and returns the exit code that goes with
// it. The termination message is first, because nobody else has to be there for it; it is
// read only where the status has no word of this Pod.
func (s *session) tell(ctx context.Context, w word) (int, error) {
	w.outcome.Entry, w.outcome.Attempt = s.Entry, int32(s.Attempt)
	if err := s.write(w); err != nil {
		return ExitStuck, err
	}
	ctx, cancel := s.patient(ctx)
	defer cancel()
	reported := s.saveReport(ctx, &w)
	w.outcome = outcome.Fit(w.outcome)
	told := status.Told{Outcome: w.outcome}
	if w.entry != nil {
		if e, ok := outcome.FitEntry(s.run.Status.Invocations, *w.entry); ok {
			told.Invocations = []v1alpha1.InvocationStatus{e}
		}
	}
	err := status.Patiently(ctx, func(ctx context.Context) error {
		return s.api.Tell(ctx, string(s.run.UID), outcome.Manager(s.Entry), told)
	})
	for _, err := range []error{reported, err, s.write(w)} {
		if err != nil {
			s.note(err) // the termination message holds what matters
		}
	}
	fmt.Fprintln(s.Log, "fettle sidecar:", summary(w.outcome))
	return exitCode(w.outcome), nil
}

// write leaves the outcome as the container's last words.
func (s *session) write(w word) error {
	text, err := outcome.Encode(w.outcome)
	if err != nil {
		return err
	}
	s.lastWords(text)
	return nil
}

// saveReport replaces the content of the run's report, and refers to it.
func (s *session) saveReport(ctx context.Context, w *word) error {
	if w.report == nil {
		return nil
	}
	content, err := status.Content(*w.report, s.ReportLimit)
	if err != nil {
		return err
	}
	err = status.Patiently(ctx, func(ctx context.Context) error { return s.api.SaveReport(ctx, content) })
	if err == nil {
		w.outcome.Report = content.Reference(s.Run)
	}
	return err
}

// patient bounds what is done with an API server that may be away: to the patience that
// there is, and to a moment once the Pod is ended.
func (s *session) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Patience, errAway)
	go func() {
		select {
		case <-s.stop:
			select {
			case <-time.After(hurry):
				cancel()
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// hurry is what the API server gets when the Pod is ended: the kubelet kills what takes
// longer than its grace.
const hurry = 10 * time.Second

var errAway = errors.New("the API server is away")

// exitCode is the verdict that goes with an outcome.
func exitCode(o v1alpha1.RunOutcome) int {
	if o.Result == v1alpha1.ResultFailed || o.Result == v1alpha1.ResultCancelled {
		return ExitFailed
	}
	return ExitOK
}
