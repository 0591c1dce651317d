// Package driver is what the drivers of the runtime do alike, wherever their tools run: it
// words an invocation for the shim, judges the shim's answer, makes an outcome of it, and
// turns a pipeline into what a run needs.
//
// It refuses nothing itself but what the shim's answer says. It starts no process but git,
// where a pipeline respects what that ignores, opens no socket, and never touches a tree.
package driver

import (
	"slices"
	"time"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Request is one invocation of a tool.
type Request struct {
	Engine  string       // its id, for errors
	Command []string     // program and arguments without paths
	Paths   []string     // workspace paths, in the order to pass them
	Passing wire.Passing // zero is Arguments without separator; see PassingOf
	// Findings are the exit codes that mean that the tool ran and found something.
	Findings []int
	Deadline time.Duration // counted from exec; 0 is pipeline.DefaultDeadline
	Limits   wire.Limits   // of its output; zero is the defaults of package wire
	Started  func()        // called once when the tool runs; may be nil
}

// RequestOf words a call of the runtime.
func RequestOf(call runtime.Call) Request {
	in := call.Invocation
	return Request{
		Engine:   in.EngineID,
		Command:  in.Exec.Argv(in.Fix),
		Paths:    call.Paths,
		Passing:  PassingOf(in.Exec.Paths),
		Findings: in.Exec.ExitCodes.Findings,
		Deadline: call.Deadline,
	}
}

// PassingOf returns how a capability wants its paths: a list file has one path a line, so
// paths with line feeds in them can't be passed that way.
func PassingOf(p engine.PathArgs) wire.Passing {
	return wire.Passing{As: wire.As(p.As), Separator: p.Separator, Newline: p.As == engine.PathsFile}
}

// Wire is the request as a shim gets it, but for where the tool runs: directories, search,
// environment and marker are the caller's to add.
func (r Request) Wire() wire.Request {
	w := wire.Request{
		Argv:     r.Command,
		Umask:    0o022,
		Paths:    r.Paths,
		Passing:  r.Passing,
		GoOn:     r.Findings,
		Deadline: r.deadline(),
		Grace:    wire.DefaultGrace,
		Limits:   r.Limits,
	}
	if w.Passing.As == "" {
		w.Passing.As = wire.Arguments
	}
	if w.Limits == (wire.Limits{}) {
		w.Limits = wire.Limits{Stdout: wire.DefaultStdout, Stderr: wire.DefaultStderr, Tail: wire.DefaultTail}
	}
	return w
}

func (r Request) deadline() time.Duration {
	if r.Deadline == 0 {
		return pipeline.DefaultDeadline
	}
	return r.Deadline
}

// Ended says how an invocation ended (runtime spec §12.6): OK, or the reason of the
// StepFailed that follows.
type Ended = fault.Reason

// The ends of an invocation.
const (
	OK          Ended = "ok"
	EngineError Ended = fault.ReasonEngineError
	Deadline    Ended = fault.ReasonDeadline
	Crash       Ended = fault.ReasonCrash
	Cancelled   Ended = fault.ReasonCancelled
)

// Result is the account of an invocation. It is whole however the invocation ended, as
// far as the shim lived to tell.
type Result struct {
	Ended Ended
	// Started is false iff the tool was certainly never executed: the tree is then as it
	// was, and needs no re-read. Alive is true if something of the tool may still run.
	Started  bool
	Alive    bool
	Program  string // as it was found, "" if it wasn't
	ExitCode int    // that decided; 0 unless the tool exited
	Signal   string // that ended it: SIGSEGV
	Findings bool   // ExitCode is one of the request's Findings

	// Outputs are what the tool printed, by batch of paths.
	Outputs []Output
	// Planned is how many batches there were to be; Leftovers, how many processes the
	// tool left alive, which were killed.
	Planned   int
	Leftovers int

	Wall        time.Duration
	Usage       wire.Usage
	Containment wire.Containment
}

// Output is what one run of the tool printed.
type Output struct {
	Stdout, Stderr wire.Output
}

// Unstarted is the result of a request before there is an answer to it.
func Unstarted() Result {
	return Result{Ended: OK, Containment: wire.Containment{Kind: wire.Declared}}
}

// Fill takes over what the shim reports. findings are the request's.
func (r *Result) Fill(answer wire.Result, findings []int) {
	r.Started, r.Alive = answer.Started, answer.Unkillable > 0
	r.ExitCode, r.Signal = answer.ExitCode, answer.Signal
	r.Planned, r.Leftovers = answer.Planned, answer.Leftovers
	r.Wall, r.Usage, r.Containment = answer.Wall, answer.Usage, answer.Containment
	r.Findings = answer.Ended == wire.Exited && slices.Contains(findings, answer.ExitCode)
	for _, b := range answer.Batches {
		r.Outputs = append(r.Outputs, Output{Stdout: b.Stdout, Stderr: b.Stderr})
	}
}
