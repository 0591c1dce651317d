package runtime

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestAReportKeepsEverySentenceOfACause(t *testing.T) {
	full := errors.New("no space left on device")
	drift := fault.New(fault.StepFailed, fault.ReasonDrift, "a", "its bytes changed").WithHint("run again")
	for _, tt := range []struct {
		name       string
		cause      error
		want, hint string
	}{
		{"none", nil, "", ""},
		{"of the system", full, "no space left on device", ""},
		{"a refusal, without kind and hint", drift, "a: its bytes changed", "run again"},
		{"a refusal that has a cause", fault.New(fault.StepFailed, fault.ReasonIO, "", "it can't be kept").WithCause(full), "it can't be kept: no space left on device", ""},
		{"a refusal that is wrapped", fmt.Errorf("it took the root away: %w", drift), "it took the root away: a: its bytes changed", "run again"},
		{"several", errors.Join(drift, full), "a: its bytes changed; no space left on device", "run again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := FailureOf(fault.New(fault.StepFailed, fault.ReasonIO, "b", "it failed").WithCause(tt.cause))
			if got.Cause != tt.want || got.Hint != tt.hint {
				t.Errorf("cause = %q, hint %q, want %q, %q", got.Cause, got.Hint, tt.want, tt.hint)
			}
		})
	}
}
