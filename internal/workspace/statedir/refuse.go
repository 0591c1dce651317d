package statedir

import "github.com/fettle-dev/fettle/internal/fault"

// unusable says that a file of the state can't be used, and which rule says so.
func unusable(file, format string, args ...any) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonState, "", "the state file "+file+" "+format, args...).
		WithHint("finish the run with the version of fettle that began it, or remove the state directory to give it up: what it did to the files stays")
}
