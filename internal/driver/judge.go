package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Judge says what is wrong with an answer of the shim, nil if nothing is. cannotRun words
// a failure to execute the tool: what there is to do hangs on where it runs.
func Judge(ctx context.Context, answer wire.Result, r Request, cannotRun func(*wire.Failure) *fault.Error) *fault.Error {
	name := r.Command[0]
	if answer.Unkillable > 0 {
		return fault.New(fault.StepFailed, Crash, "", "%d processes of %s outlive SIGKILL and may still write", answer.Unkillable, name).
			WithHint("end them, or restart the machine, before you run again")
	}
	switch answer.Ended {
	case wire.NotStarted:
		return cannotRun(answer.Failure)
	case wire.Deadline:
		return fault.New(fault.StepFailed, Deadline, "", "%s was ended after its deadline of %s", name, r.deadline()).
			WithHint("raise the capability's deadline, or give it fewer paths")
	case wire.Cancelled:
		if ctx.Err() != nil {
			return CancelledBy(ctx)
		}
		return fault.New(fault.StepFailed, Crash, "", "the shim that ran %s was told to stop by a signal", name)
	case wire.Signalled:
		return fault.New(fault.StepFailed, Crash, "", "%s was ended by %s", name, answer.Signal).
			WithHint("what it printed last is in the report")
	}
	if answer.ExitCode != 0 && !slices.Contains(r.Findings, answer.ExitCode) {
		return Failed("%s exited with code %d, which %s", name, answer.ExitCode, meaning(r.Findings)).
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

// Failed is the failure of a tool that is its own.
func Failed(format string, args ...any) *fault.Error {
	return fault.New(fault.StepFailed, EngineError, "", format, args...)
}

// CancelledBy is the failure of a tool that was ended with ctx.
func CancelledBy(ctx context.Context) *fault.Error {
	return fault.New(fault.StepFailed, Cancelled, "", "the run was cancelled").WithCause(context.Cause(ctx))
}
