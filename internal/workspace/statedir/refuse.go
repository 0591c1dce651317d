package statedir

import "github.com/fettle-dev/fettle/internal/fault"

// unusable says that a file of the state can't be used, and which rule says so.
func unusable(file, format string, args ...any) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonState, "", "the state file "+file+" "+format, args...).
		WithHint("start a new run, without --resume: it keeps what is in the tree and begins a new state")
}
