package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/scratch"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Run runs a tool and returns how that ended. The error is nil iff Result.Ended is OK,
// and else a *fault.Error of kind StepFailed whose reason is Result.Ended. Cancelling
// ctx ends the tool, politely first; Run returns when it is dead.
func (d *Driver) Run(ctx context.Context, r Request) (Result, error) {
	result, err := d.run(ctx, r)
	if err == nil {
		return result, nil
	}
	if err.Engine == "" {
		err.Engine = r.Engine
	}
	result.Ended = err.Reason
	return result, err
}

func (d *Driver) run(ctx context.Context, r Request) (Result, *fault.Error) {
	result := Result{Ended: OK, Containment: wire.Containment{Kind: wire.Declared}}
	if ctx.Err() != nil {
		return result, cancelled(ctx)
	}
	program, refused := d.look(r.Engine, r.Command)
	if refused != nil {
		return result, refused
	}
	result.Program = program
	folder, err := os.MkdirTemp(d.folder, "")
	if err != nil {
		return result, failed("the invocation's private folder: %s", err)
	}
	answer, err := d.converse(ctx, folder, d.ask(r, program, folder), r.Started)
	if cleared := scratch.Remove(folder); cleared != nil && err == nil && answer.Unemptied == "" {
		answer.Unemptied = cleared.Error()
	}
	if err != nil {
		result.Started, result.Alive = answer.Started, errors.Is(err, errAlive)
		return result, noAnswer(ctx, err)
	}
	result.fill(answer, r.Findings)
	return result, d.judge(ctx, answer, r)
}

// ask translates a request for the shim.
func (d *Driver) ask(r Request, program, folder string) wire.Request {
	w := wire.Request{
		Argv:     append([]string{program}, r.Command[1:]...),
		Dir:      d.options.Root,
		Env:      append([]string{"PATH=" + d.options.Path}, d.options.Env...),
		Umask:    0o022,
		Marker:   folder,
		Home:     filepath.Join(folder, "home"),
		Tmp:      filepath.Join(folder, "tmp"),
		Cache:    filepath.Join(folder, "cache"),
		Paths:    r.Paths,
		Passing:  r.Passing,
		GoOn:     r.Findings,
		Deadline: r.Deadline,
		Grace:    wire.DefaultGrace,
		Limits:   r.Limits,
	}
	if w.Passing.As == "" {
		w.Passing.As = wire.Arguments
	}
	if w.Deadline == 0 {
		w.Deadline = DefaultDeadline
	}
	if w.Limits == (wire.Limits{}) {
		w.Limits = wire.Limits{Stdout: wire.DefaultStdout, Stderr: wire.DefaultStderr, Tail: wire.DefaultTail}
	}
	return w
}

// fill takes over what the shim reports.
func (r *Result) fill(answer wire.Result, findings []int) {
	r.Started, r.Alive = answer.Started, answer.Unkillable > 0
	r.ExitCode, r.Signal = answer.ExitCode, answer.Signal
	r.Planned, r.Leftovers = answer.Planned, answer.Leftovers
	r.Wall, r.Usage, r.Containment = answer.Wall, answer.Usage, answer.Containment
	r.Findings = answer.Ended == wire.Exited && slices.Contains(findings, answer.ExitCode)
	for _, b := range answer.Batches {
		r.Outputs = append(r.Outputs, Output{Stdout: b.Stdout, Stderr: b.Stderr})
	}
}

// judge says what is wrong with an end, nil if nothing is.
func (d *Driver) judge(ctx context.Context, answer wire.Result, r Request) *fault.Error {
	name := r.Command[0]
	if answer.Unkillable > 0 {
		return fault.New(fault.StepFailed, Crash, "", "%d processes of %s outlive SIGKILL and may still write", answer.Unkillable, name).
			WithHint("end them, or restart the machine, before you run again")
	}
	switch answer.Ended {
	case wire.NotStarted:
		return d.cannotRun(r.Engine, answer.Failure)
	case wire.Deadline:
		return fault.New(fault.StepFailed, Deadline, "", "%s was ended after its deadline of %s", name, d.ask(r, "", "").Deadline).
			WithHint("raise the capability's deadline, or give it fewer paths")
	case wire.Cancelled:
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		return fault.New(fault.StepFailed, Crash, "", "the shim that ran %s was told to stop by a signal", name)
	case wire.Signalled:
		return fault.New(fault.StepFailed, Crash, "", "%s was ended by %s", name, answer.Signal).
			WithHint("what it printed last is in the report")
	}
	if answer.ExitCode != 0 && !slices.Contains(r.Findings, answer.ExitCode) {
		return failed("%s exited with code %d, which %s", name, answer.ExitCode, meaning(r.Findings)).
			WithHint("what it printed last is in the report")
	}
	return nil
}

func meaning(findings []int) string {
	if len(findings) == 0 {
		return "means failure"
	}
	codes := strings.Trim(strings.ReplaceAll(fmt.Sprint(findings), " ", ", "), "[]")
	return fmt.Sprintf("means failure: findings are %s", codes)
}

func failed(format string, args ...any) *fault.Error {
	return fault.New(fault.StepFailed, EngineError, "", format, args...)
}

func cancelled(ctx context.Context) *fault.Error {
	return fault.New(fault.StepFailed, Cancelled, "", "the run was cancelled").WithCause(context.Cause(ctx))
}

// noAnswer explains a conversation without result.
func noAnswer(ctx context.Context, err error) *fault.Error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if errors.Is(err, errAlive) {
		return fault.New(fault.StepFailed, Crash, "", "processes of the tool may still write").WithCause(err).
			WithHint("end them, or restart the machine, before you run again")
	}
	if !errors.Is(err, wire.ErrBroken) {
		return failed("%s", err)
	}
	return fault.New(fault.StepFailed, Crash, "", "the shim died while the tool ran, and the tool with it").WithCause(err)
}
