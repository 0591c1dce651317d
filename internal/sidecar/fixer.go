package sidecar

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// fixer runs the tool in the other container of the Pod, once. It implements
// runtime.Driver.
type fixer struct {
	options *Options
	engines *engine.Registry
	reopen  func() error
	stop    <-chan struct{} // closed when the Pod is ended

	used     bool
	attached bool
	started  time.Time // of the tool
	call     runtime.Call
	outcome  *runtime.Outcome  // of the call, unless it is lost
	lost     error             // why the attempt doesn't count
	missing  bool              // the program of the tool can't be executed
	versions map[string]string // by engine, as far as they are known
}

var _ runtime.Driver = (*fixer)(nil)

// Invoke implements runtime.Driver. An attempt for which no shim has come, or in which the
// Pod was ended, is lost.
func (f *fixer) Invoke(ctx context.Context, call runtime.Call) runtime.Outcome {
	f.used, f.call = true, call
	place := driver.Place{Run: f.run, Reopen: f.reopen, Roots: []string{f.options.Layout.tree()}}
	o := place.Invoke(ctx, call)
	if f.lost != nil {
		return runtime.Outcome{Lost: true}
	}
	f.outcome = &o
	return o
}

// Version implements runtime.Driver. It knows what the shim was asked along with a tool,
// and what earlier Pods were.
func (f *fixer) Version(_ context.Context, e engine.Engine) string { return f.versions[e.ID] }

// Errors of attempts that are lost.
var (
	errEnded      = errors.New("the Pod was ended while the tool was at work")
	errUnattached = errors.New("the container of the tool didn't start")
)

// run implements driver.Place.Run.
func (f *fixer) run(ctx context.Context, r driver.Request) (driver.Result, error) {
	result := driver.Unstarted()
	answer, err := f.converse(ctx, f.wire(r), &result)
	var failure *fault.Error
	switch {
	case f.lost != nil:
		failure = driver.Failed("%s", f.lost)
	case err != nil:
		failure = f.silent(ctx, err)
		result.Alive = result.Started // the first process of a container is gone before the others
	default:
		result.Fill(answer, r.Findings)
		failure = driver.Judge(ctx, answer, r, f.cannotRun)
	}
	if failure == nil {
		return result, nil
	}
	if failure.Engine == "" {
		failure.Engine = r.Engine
	}
	result.Ended = failure.Reason
	return result, failure
}

// converse has one conversation with the shim. result.Started is true from the moment the
// request is sent: only the disk knows how far a shim came that has died.
func (f *fixer) converse(ctx context.Context, r wire.Request, result *driver.Result) (wire.Result, error) {
	if err := r.Validate(); err != nil {
		return wire.Result{}, err
	}
	asker, err := f.attach(ctx)
	if err != nil {
		return wire.Result{}, err
	}
	defer asker.Close()
	f.attached = true
	if err := f.call.Attached(); err != nil {
		return wire.Result{}, fmt.Errorf("record that the tool may start: %w", err)
	}
	result.Started = true
	asking, cancel := f.untilStopped(ctx)
	defer cancel()
	answer, err := asker.Ask(asking, r, func(wire.Started) { f.started = f.options.Now() })
	if err != nil && !f.isStopped() {
		f.settle()
	}
	switch {
	case f.isStopped() && (err != nil || answer.Ended == wire.Cancelled):
		f.lost = errEnded
	case err == nil && answer.Ended == wire.Cancelled && ctx.Err() == nil && f.stopsSoon():
		f.lost = errEnded // the kubelet told the other container a moment earlier
	case err == nil && r.Version != nil:
		f.versions[f.call.Invocation.EngineID] = driver.VersionIn(answer.Version)
	}
	return answer, err
}

// untilStopped is ctx, ended also when the Pod is.
func (f *fixer) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-f.stop:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

func (f *fixer) isStopped() bool {
	select {
	case <-f.stop:
		return true
	default:
		return false
	}
}

// stopsSoon waits a moment for the Pod to be ended.
func (f *fixer) stopsSoon() bool {
	select {
	case <-f.stop:
		return true
	case <-time.After(f.options.Settle):
		return false
	}
}

// settle waits after the death of a shim: the kernel ends what else is in its container
// only after it has closed the connection.
func (f *fixer) settle() {
	select {
	case <-f.stop:
	case <-time.After(f.options.Settle):
	}
}

// wire words a request for the shim: where things are in its container.
func (f *fixer) wire(r driver.Request) wire.Request {
	l := f.options.Layout
	w := r.Wire()
	w.Dir = l.tree()
	w.Search = []string{filepath.Join(l.tree(), "node_modules", ".bin"), filepath.Join(l.modules(), ".bin")}
	w.Env = []string{"FETTLE_DEPS=" + l.modules()}
	w.Home = filepath.Join(l.Home, "home")
	w.Cache = filepath.Join(l.Home, "cache")
	w.Tmp = filepath.Join(l.Tmp, "fettle")
	if _, known := f.versions[r.Engine]; !known {
		if e, ok := f.engines.Engine(r.Engine); ok {
			w.Version = e.VersionCommand
		}
	}
	return w
}

// cannotRun words a failure to execute the tool.
func (f *fixer) cannotRun(failure *wire.Failure) *fault.Error {
	e := driver.Failed("%s", failure.Message)
	switch failure.Cause {
	case wire.NotFound:
		f.missing = true
		if failure.Program != "" && !strings.Contains(failure.Program, "/") {
			e.Message = fmt.Sprintf("the image has no %s: it is neither in the project's node_modules/.bin nor in PATH", failure.Program)
		}
		return e.WithHint("name a command that the image has, or an image that has the command")
	case wire.NoInterpreter, wire.NotExecutable, wire.IsDirectory, wire.BadFormat:
		f.missing = true
		return e.WithHint("name a program that the image can execute")
	case wire.TooLong:
		return e.WithHint("let the engine take its paths by File or Stdin")
	default:
		return e
	}
}

// silent words a conversation without result.
func (f *fixer) silent(ctx context.Context, err error) *fault.Error {
	switch {
	case ctx.Err() != nil:
		return driver.CancelledBy(ctx)
	case errors.Is(err, wire.ErrBroken):
		return fault.New(fault.StepFailed, driver.Crash, "", "the container of the tool died while the tool ran").WithCause(err).
			WithHint("it may have run out of memory: raise the limit of its resources")
	default:
		return driver.Failed("%s", err)
	}
}
