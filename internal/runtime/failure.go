package runtime

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

// inStep names the step in an error, and makes a *fault.Error of what isn't one: an I/O
// failure or a cancelled context.
func inStep(err error, index int, step plan.Step) *fault.Error {
	return fault.As(fault.InStep(asFault(err), index, step.Name))
}

func asFault(err error) *fault.Error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if e := fault.As(err); e != nil && e.Kind == fault.StepFailed && e.Reason != fault.ReasonIO {
			return e
		}
		return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "the run was cancelled").WithCause(err)
	}
	if e := fault.As(err); e != nil {
		return e
	}
	return fault.New(fault.StepFailed, fault.ReasonIO, "", "the run can't go on").WithCause(err)
}

// FailureOf is an error as reports have it.
func FailureOf(err error) *report.Failure {
	e := asFault(err)
	f := &report.Failure{
		Kind: string(e.Kind), Reason: string(e.Reason), Path: e.Path, Engine: e.Engine,
		Message: e.Message, Hint: e.Hint, Written: e.Written,
	}
	if e.Step != nil {
		f.Step = &e.Step.Index
	}
	if e.Err != nil {
		f.Cause = strings.ReplaceAll(causeOf(e.Err), "\n", "; ")
	}
	if cause := fault.As(e.Err); cause != nil {
		f.Hint = cmp.Or(f.Hint, cause.Hint)
	}
	return f
}

// causeOf is everything that a chain of errors says, but of its refusals the sentences
// alone: the kind and what to do are said once, of the whole.
func causeOf(err error) string {
	var links []error
	text := err.Error()
	switch e := err.(type) { //nolint:errorlint // of this link, not of one behind it
	case *fault.Error:
		if text = e.Message; e.Path != "" {
			text = e.Path + ": " + text
		}
		if e.Err != nil {
			text += ": " + causeOf(e.Err)
		}
	case interface{ Unwrap() []error }:
		links = e.Unwrap()
	case interface{ Unwrap() error }:
		links = []error{e.Unwrap()}
	}
	for _, link := range links {
		if link != nil {
			text = strings.Replace(text, link.Error(), causeOf(link), 1)
		}
	}
	return text
}

// faultOf is the error that a report has, as far as a report keeps it.
func faultOf(f report.Failure) *fault.Error {
	e := fault.New(fault.Kind(f.Kind), fault.Reason(f.Reason), f.Path, "%s", f.Message)
	e.Engine, e.Hint, e.Written = f.Engine, f.Hint, f.Written
	if f.Step != nil {
		e.Step = &fault.Step{Index: *f.Step}
	}
	if f.Cause != "" {
		e.Err = errors.New(f.Cause)
	}
	return e
}
