package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/report"
)

// The exit codes, which docs/cli.md promises.
const (
	ExitOK      = 0 // all done, or nothing to do
	ExitChanges = 1 // changes would be made, or there are diagnostics of severity error
	ExitFailed  = 2 // the run failed
	ExitRefused = 3 // nothing ran: the input was refused
	ExitWaiting = 4 // a gate waits for an approval
)

// exitError ends a command with an exit code; what there is to say has been said.
type exitError int

// Error is for the sake of the interface.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitOf is the exit code for a report.
func exitOf(r report.Report) int {
	switch {
	case r.Waiting != nil:
		return ExitWaiting
	case r.Error != nil && refused(r):
		return ExitRefused
	case r.Error != nil:
		return ExitFailed
	case !r.OK, r.DryRun && len(r.Changes) > 0:
		return ExitChanges
	default:
		return ExitOK
	}
}

// refused says whether a run ended before its first step because of what it was given: a
// path that isn't there, say, or more files than the bounds allow.
func refused(r report.Report) bool {
	switch fault.Kind(r.Error.Kind) {
	case fault.StepFailed, fault.GateDeclined:
		return false
	}
	return r.Error.Step == nil
}

// ended ends a command with a report's exit code.
func ended(r report.Report) error {
	if code := exitOf(r); code != ExitOK {
		return exitError(code)
	}
	return nil
}

// usage is the refusal of arguments and flags.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return fault.New(fault.BadArgument, "", "", format, args...).
		WithHint("see %s --help", cmd.CommandPath())
}

// complain says on stderr what is wrong.
func (c *app) complain(err error) {
	text := "fettle: " + safe(err.Error())
	if c.Terminal.Err && c.colors() {
		text = strings.Replace(text, "fettle:", red+"fettle:"+plain, 1)
	}
	fmt.Fprintln(c.Stderr, text)
}
