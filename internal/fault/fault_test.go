package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestNamingStepAndEngineLeavesTheRefusalItselfAlone(t *testing.T) {
	cause := New(BadArgument, ReasonRange, "a.ts", "it has 3 lines")
	got := OfEngine(InStep(fmt.Errorf("read: %w", cause), 1, "fix"), "eslint")
	if want := `BadArgument (range): step 2 fix: engine eslint: "a.ts": it has 3 lines`; got.Error() != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if cause.Step != nil || cause.Engine != "" {
		t.Errorf("the refusal was changed: step %v, engine %q", cause.Step, cause.Engine)
	}
}

func TestAnEngineThatIsNamedStays(t *testing.T) {
	named := OfEngine(New(StepFailed, ReasonCrash, "", "it crashed"), "tsc")
	if got := As(OfEngine(named, "eslint")).Engine; got != "tsc" {
		t.Errorf("got engine %q, want tsc", got)
	}
}

func TestAFailureThatIsNoRefusalKeepsItsChain(t *testing.T) {
	disk := errors.New("disk on fire")
	got := OfEngine(InStep(disk, 0, "save"), "eslint")
	if !errors.Is(got, disk) || As(got) != nil || got.Error() != "step 1 save: disk on fire" {
		t.Errorf("got %v, want the step and the cause", got)
	}
}
