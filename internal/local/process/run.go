package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/scratch"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Run runs a tool and returns how that ended. The error is nil iff Result.Ended is OK,
// and else a *fault.Error of kind StepFailed whose reason is Result.Ended. Cancelling
// ctx ends the tool, politely first; Run returns when it is dead.
func (d *Driver) Run(ctx context.Context, r driver.Request) (driver.Result, error) {
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

func (d *Driver) run(ctx context.Context, r driver.Request) (driver.Result, *fault.Error) {
	result := driver.Unstarted()
	if ctx.Err() != nil {
		return result, driver.CancelledBy(ctx)
	}
	program, refused := d.look(r.Engine, r.Command)
	if refused != nil {
		return result, refused
	}
	result.Program = program
	folder, err := os.MkdirTemp(d.folder, "")
	if err != nil {
		return result, driver.Failed("the invocation's private folder: %s", err)
	}
	answer, err := d.converse(ctx, folder, d.ask(r, program, folder), r.Started)
	if cleared := scratch.Remove(folder); cleared != nil && err == nil && answer.Unemptied == "" {
		answer.Unemptied = cleared.Error()
	}
	if err != nil {
		result.Started, result.Alive = answer.Started, errors.Is(err, errAlive)
		return result, noAnswer(ctx, err)
	}
	result.Fill(answer, r.Findings)
	return result, driver.Judge(ctx, answer, r, func(f *wire.Failure) *fault.Error { return d.cannotRun(r.Engine, f) })
}

// ask translates a request for the shim.
func (d *Driver) ask(r driver.Request, program, folder string) wire.Request {
	w := r.Wire()
	w.Argv = append([]string{program}, r.Command[1:]...)
	w.Dir = d.options.Root
	w.Env = append([]string{"PATH=" + d.options.Path}, d.options.Env...)
	w.Marker = folder
	w.Home = filepath.Join(folder, "home")
	w.Tmp = filepath.Join(folder, "tmp")
	w.Cache = filepath.Join(folder, "cache")
	return w
}

// noAnswer explains a conversation without result.
func noAnswer(ctx context.Context, err error) *fault.Error {
	if ctx.Err() != nil {
		return driver.CancelledBy(ctx)
	}
	if errors.Is(err, errAlive) {
		return fault.New(fault.StepFailed, driver.Crash, "", "processes of the tool may still write").WithCause(err).
			WithHint("end them, or restart the machine, before you run again")
	}
	if !errors.Is(err, wire.ErrBroken) {
		return driver.Failed("%s", err)
	}
	return fault.New(fault.StepFailed, driver.Crash, "", "the shim died while the tool ran, and the tool with it").WithCause(err)
}
