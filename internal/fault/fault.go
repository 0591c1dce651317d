// Package fault holds the error kinds and reasons of the runtime (runtime spec §19).
//
// A refusal is a value of *Error with a Kind and a Reason, so that callers decide by
// errors.As and people read one clear sentence. I/O failures are wrapped, never
// turned into refusals.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says who must act on an error (spec §19).
type Kind string

// The kinds of spec §19.
const (
	InvalidPipeline Kind = "InvalidPipeline"
	UnknownStep     Kind = "UnknownStep"
	BadArgument     Kind = "BadArgument"
	EngineRequired  Kind = "EngineRequired"
	StepFailed      Kind = "StepFailed"
	StepUnavailable Kind = "StepUnavailable"
	WorkspaceBounds Kind = "WorkspaceBounds"
	GateDeclined    Kind = "GateDeclined"
	PathRefused     Kind = "PathRefused"
)

// Reason is the one word of spec §19 that says which rule decided.
type Reason string

// Error is a refusal or failure of the runtime. Path, Engine, Hint and Err may be
// empty; Step is nil where no step is concerned.
type Error struct {
	Kind    Kind
	Reason  Reason
	Path    string   // workspace path, never a host path
	Step    *Step    // the step it happened in
	Engine  string   // engine id
	Message string   // the thing and the rule, one sentence, lower case
	Hint    string   // what to do next
	Written []string // what a failed write step has completed (spec §16.7)
	Err     error    // cause
}

// Step names a step of a plan.
type Step struct {
	Index int // from 0
	Name  string
}

// New returns an Error whose message is formatted as by fmt.Sprintf.
func New(kind Kind, reason Reason, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Reason: reason, Path: path, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns e with a hint that says what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithCause returns e with err as its cause.
func (e *Error) WithCause(err error) *Error {
	e.Err = err
	return e
}

// Error renders kind, place, rule, cause and hint on one or two lines.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", e.Reason)
	}
	b.WriteString(": ")
	if e.Step != nil {
		fmt.Fprintf(&b, "step %d", e.Step.Index+1)
		if e.Step.Name != "" {
			fmt.Fprintf(&b, " %s", e.Step.Name)
		}
		b.WriteString(": ")
	}
	if e.Engine != "" {
		fmt.Fprintf(&b, "engine %s: ", e.Engine)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, "%q: ", e.Path)
	}
	b.WriteString(e.Message)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  %s", e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// InStep returns err with the step named: in a copy of its *Error or, where there is none,
// before it.
func InStep(err error, index int, name string) error {
	e := As(err)
	if e == nil {
		return fmt.Errorf("step %d %s: %w", index+1, name, err)
	}
	named := *e
	named.Step = &Step{Index: index, Name: name}
	return &named
}

// OfEngine returns err with the engine named, in a copy of its *Error. One that names an
// engine, and any other error, is returned as it is.
func OfEngine(err error, id string) error {
	e := As(err)
	if e == nil || e.Engine != "" {
		return err
	}
	named := *e
	named.Engine = id
	return &named
}

// As returns the *Error in err's chain, or nil.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// Is reports whether err's chain holds an *Error of this kind and reason; an empty
// reason matches every reason.
func Is(err error, kind Kind, reason Reason) bool {
	e := As(err)
	return e != nil && e.Kind == kind && (reason == "" || e.Reason == reason)
}
