package local

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic/adapter"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// tailBytes is how much of the end of each stream a report keeps of an invocation.
const tailBytes = 16 << 10

// Driver runs the tools of a run as processes on this machine. It confines none yet, and
// says so: Declared.
type Driver struct {
	// Reopen, if it is set, opens the root afresh after each tool: one may have put
	// another directory in its place, and that is what there is to account for.
	Reopen func() error

	process *process.Driver
	roots   []string
}

var _ runtime.Driver = (*Driver)(nil)

// NewDriver returns a driver over processes. roots are the absolute paths that the root
// goes by: as it was given, and without links.
func NewDriver(p *process.Driver, roots ...string) *Driver {
	return &Driver{process: p, roots: slices.Compact(roots)}
}

// Invoke implements runtime.Driver.
func (d *Driver) Invoke(ctx context.Context, call runtime.Call) runtime.Outcome {
	in := call.Invocation
	reader, err := adapter.New(in.Exec.Diagnostics)
	if err != nil {
		return runtime.Outcome{Ended: report.EndedEngineError, Cause: asCause(err)}
	}
	result, err := d.process.Run(ctx, process.Request{
		Engine:   in.EngineID,
		Command:  in.Exec.Argv(in.Fix),
		Paths:    call.Paths,
		Passing:  process.PassingOf(in.Exec.Paths),
		Findings: in.Exec.ExitCodes.Findings,
		Deadline: call.Deadline,
	})
	outcome := d.outcome(result, err)
	found, unreadable := reader.Read(readingOf(in.EngineID, result))
	outcome.Diagnostics = found
	if unreadable != nil && outcome.Ended == report.EndedOK {
		outcome.Ended, outcome.Cause = string(process.EngineError), asCause(unreadable)
	}
	if gone := d.reopen(outcome.Started); gone != nil && outcome.Ended == report.EndedOK {
		outcome.Ended, outcome.Cause = string(process.EngineError), gone
	}
	return outcome
}

// reopen says what has become of the root if it can't be opened after a tool has run.
func (d *Driver) reopen(started bool) error {
	if d.Reopen == nil || !started {
		return nil
	}
	if err := d.Reopen(); err != nil {
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

// Version implements runtime.Driver.
func (d *Driver) Version(ctx context.Context, e engine.Engine) string {
	return d.process.Version(ctx, e.ID, e.VersionCommand)
}

// outcome translates the account of a process. err says why it didn't end well.
func (d *Driver) outcome(r process.Result, err error) runtime.Outcome {
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
		Stdout: tail(r.Outputs, func(o process.Output) wire.Output { return o.Stdout }),
		Stderr: tail(r.Outputs, func(o process.Output) wire.Output { return o.Stderr }),
		Roots:  d.roots,
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
func exited(r process.Result) bool {
	if !r.Started || r.Signal != "" || r.Ended != process.OK && r.Ended != process.EngineError {
		return false
	}
	return r.ExitCode != 0 || len(r.Outputs) == r.Planned
}

func readingOf(engineID string, r process.Result) adapter.Run {
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
func tail(outputs []process.Output, stream func(process.Output) wire.Output) *report.Tail {
	var text []byte
	var total int64
	whole := true // of the batches after this one
	for _, o := range slices.Backward(outputs) {
		s := stream(o)
		total += s.Total
		if !whole {
			continue
		}
		last, before := s.Last(tailBytes - len(text))
		text = slices.Concat(last, text)
		whole = before == 0
	}
	if total == 0 {
		return nil
	}
	return &report.Tail{Text: strings.ToValidUTF8(string(text), "\uFFFD"), Dropped: total - int64(len(text))}
}

// Look says what is wrong with the tool of an invocation as far as that can be told
// without running it: it isn't installed, or its output can't be read.
func (d *Driver) Look(engineID string, x engine.Exec) error {
	if _, err := adapter.New(x.Diagnostics); err != nil {
		return ofEngine(engineID, err)
	}
	_, err := d.process.Look(engineID, x.Command)
	return err
}

// ofEngine names the engine in a refusal that doesn't.
func ofEngine(id string, err error) error {
	cause := fault.As(err)
	if cause == nil || cause.Engine != "" {
		return err
	}
	refusal := *cause
	refusal.Engine = id
	return &refusal
}
