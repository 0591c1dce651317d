package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic/adapter"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// TailBytes is how much of the end of each stream a report keeps of an invocation.
const TailBytes = 16 << 10

// Place is where the tools of a driver run.
type Place struct {
	// Run runs one tool. Its error is nil iff Result.Ended is OK, and else a *fault.Error
	// of kind StepFailed whose reason is Result.Ended.
	Run func(context.Context, Request) (Result, error)
	// Reopen opens the root afresh after a tool: one may have put another directory in its
	// place, and that is what there is to account for. Nil: it can't.
	Reopen func() error
	Roots  []string // absolute paths that tools may call the root by
}

// Invoke makes one call, as runtime.Driver wants it made.
func (p Place) Invoke(ctx context.Context, call runtime.Call) runtime.Outcome {
	in := call.Invocation
	reader, err := adapter.New(in.Exec.Diagnostics)
	if err != nil {
		return runtime.Outcome{Ended: report.EndedEngineError, Cause: asCause(err)}
	}
	result, err := p.Run(ctx, RequestOf(call))
	outcome := p.outcome(result, err)
	found, unreadable := reader.Read(readingOf(in.EngineID, result))
	outcome.Diagnostics = found
	if unreadable != nil && outcome.Ended == report.EndedOK {
		outcome.Ended, outcome.Cause = string(EngineError), asCause(unreadable)
	}
	if gone := p.reopen(outcome.Started); gone != nil && outcome.Ended == report.EndedOK {
		outcome.Ended, outcome.Cause = string(EngineError), gone
	}
	return outcome
}

// reopen says what has become of the root if it can't be opened after a tool has run.
func (p Place) reopen(started bool) error {
	if p.Reopen == nil || !started {
		return nil
	}
	if err := p.Reopen(); err != nil {
		return fmt.Errorf("it took the root away: %w", asCause(err))
	}
	return nil
}

// cause is a refusal as the reason for another one, which says kind, step and engine.
type cause struct{ refusal *fault.Error }

// Error is the sentence alone.
func (c cause) Error() string {
	if c.refusal.Err != nil {
		return c.refusal.Message + ": " + c.refusal.Err.Error()
	}
	return c.refusal.Message
}

// Unwrap returns the refusal.
func (c cause) Unwrap() error { return c.refusal }

func asCause(err error) error {
	if refusal := fault.As(err); refusal != nil {
		return cause{refusal}
	}
	return err
}

// outcome translates the account of a tool. err says why it didn't end well.
func (p Place) outcome(r Result, err error) runtime.Outcome {
	o := runtime.Outcome{
		Ended:    string(r.Ended),
		Started:  r.Started,
		Alive:    r.Alive,
		Cause:    asCause(err),
		Signal:   r.Signal,
		Left:     r.Leftovers,
		Duration: r.Wall,
		Containment: report.Containment{
			Kind: r.Containment.Kind, Roots: r.Containment.Roots, Exceeds: r.Containment.Kind == wire.Declared,
		},
		Stdout: tail(r.Outputs, func(o Output) wire.Output { return o.Stdout }),
		Stderr: tail(r.Outputs, func(o Output) wire.Output { return o.Stderr }),
		Roots:  p.Roots,
	}
	if r.Started {
		o.Usage = &report.Usage{
			UserMillis: r.Usage.User.Milliseconds(), SystemMillis: r.Usage.System.Milliseconds(), MaxRSSKiB: r.Usage.MaxRSS >> 10,
		}
	}
	if exited(r) {
		o.ExitCode = &r.ExitCode
	}
	return o
}

// exited says whether the tool ended by itself, with the exit code that decided.
func exited(r Result) bool {
	if !r.Started || r.Signal != "" || r.Ended != OK && r.Ended != EngineError {
		return false
	}
	return r.ExitCode != 0 || len(r.Outputs) == r.Planned
}

func readingOf(engineID string, r Result) adapter.Run {
	run := adapter.Run{Engine: engineID, ExitCode: r.ExitCode, Findings: r.Findings}
	for _, o := range r.Outputs {
		run.Outputs = append(run.Outputs, adapter.Output{
			Stdout: o.Stdout.Head, StdoutCut: o.Stdout.Truncated(),
			Stderr: o.Stderr.Head, StderrCut: o.Stderr.Truncated(),
		})
	}
	return run
}

// tail returns the end of what a tool printed over all its batches, nil if it printed
// nothing.
func tail(outputs []Output, stream func(Output) wire.Output) *report.Tail {
	var text []byte
	var total int64
	whole := true // of the batches after this one
	for _, o := range slices.Backward(outputs) {
		s := stream(o)
		total += s.Total
		if !whole {
			continue
		}
		last, before := s.Last(TailBytes - len(text))
		text = slices.Concat(last, text)
		whole = before == 0
	}
	if total == 0 {
		return nil
	}
	return &report.Tail{Text: strings.ToValidUTF8(string(text), "\uFFFD"), Dropped: total - int64(len(text))}
}
