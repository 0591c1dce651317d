package plan

import "testing"

func TestNext(t *testing.T) {
	invocation := func(o Open) *Open { o.Kind = OpenInvocation; return &o }
	ungated := Plan{Steps: []Step{{Args: Edit{}}, {Args: Check{}}}}
	gated := Plan{Steps: ungated.Steps, Gates: GateAlways}
	for _, tc := range []struct {
		name string
		plan Plan
		obs  Observation
		want Decision
	}{
		{"the workspace is acquired first", ungated, Observation{Position: Acquisition}, Acquire},
		{"then the steps run", ungated, Observation{Position: 1}, RunStep},
		{"after the last the run has succeeded", ungated, Observation{Position: 2}, FinishSucceeded},
		{"a failed step ends the run", ungated, Observation{Position: 1, Failed: true}, FinishFailed},
		{"a failure outranks a cancellation", ungated, Observation{Failed: true, Desired: DesiredCancelled}, FinishFailed},
		{"a cancelled run ends", ungated, Observation{Position: 1, Desired: DesiredCancelled}, FinishCancelled},
		{"a paused run waits", ungated, Observation{Position: 1, Desired: DesiredPaused}, WaitPaused},
		{"a paused run that is done is done", ungated, Observation{Position: 2, Desired: DesiredPaused}, FinishSucceeded},

		{"the acquisition is gated by Always", gated, Observation{Position: Acquisition}, Ask},
		{"and goes on once approved", gated, Observation{Position: Acquisition, Gate: GateApproved}, Acquire},
		{"a gated step asks", gated, Observation{Position: 0}, Ask},
		{"an asked gate is waited for", gated, Observation{Position: 0, Gate: GateWaiting}, WaitForGate},
		{"an approved step runs", gated, Observation{Position: 0, Gate: GateApproved}, RunStep},
		{"a declined step ends the run", gated, Observation{Position: 0, Gate: GateDeclined}, FinishDeclined},
		{"a step that was begun isn't asked for again", gated, Observation{Position: 0, Begun: true}, RunStep},
		{"a cancelled run isn't asked for", gated, Observation{Position: 0, Desired: DesiredCancelled}, FinishCancelled},

		{"a running tool is waited for", ungated, Observation{Open: invocation(Open{Running: true, Attempts: 1})}, WaitForTool},
		{"a paused run waits for its tool, too", ungated, Observation{Open: invocation(Open{Running: true, Attempts: 1}), Desired: DesiredPaused}, WaitForTool},
		{"a cancellation stops the tool", ungated, Observation{Open: invocation(Open{Running: true, Attempts: 1}), Desired: DesiredCancelled}, Stop},
		{"a cancellation never interrupts a write", ungated, Observation{Open: &Open{Kind: OpenWrite, Running: true}, Desired: DesiredCancelled}, WaitForTool},
		{"nor does it skip the re-read", ungated, Observation{Open: invocation(Open{Attempts: 1}), Desired: DesiredCancelled, Retries: 5}, Recover},
		{"nor does a failure", ungated, Observation{Open: invocation(Open{Attempts: 1}), Failed: true}, Recover},
		{"an attempt too few is made", ungated, Observation{Open: invocation(Open{Attempts: 2}), Retries: 2}, Retry},
		{"the last attempt is followed by the re-read", ungated, Observation{Open: invocation(Open{Attempts: 3}), Retries: 2}, Recover},
		{"an attempt that never started the tool is free", ungated, Observation{Open: invocation(Open{})}, Retry},
		{"a tool that ended well isn't run again", ungated, Observation{Open: invocation(Open{Attempts: 1, Done: true}), Retries: 5}, Recover},
		{"a pause holds back the next attempt", ungated, Observation{Open: invocation(Open{Attempts: 1}), Retries: 1, Desired: DesiredPaused}, WaitPaused},
		{"but not the re-read", ungated, Observation{Open: invocation(Open{Attempts: 1}), Desired: DesiredPaused}, Recover},
		{"an interrupted write is replayed", ungated, Observation{Open: &Open{Kind: OpenWrite}, Retries: 3, Desired: DesiredPaused}, Recover},
		{"an open entry comes before a gate", gated, Observation{Open: invocation(Open{Attempts: 1}), Gate: GateDeclined}, Recover},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Next(tc.plan, tc.obs); got != tc.want {
				t.Errorf("Next = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestGatesConcernStepsByModeAndKind(t *testing.T) {
	args := []Args{ReadLines{}, Edit{}, ApplyPatch{}, Blocks{}, Write{}, Format{}, Lint{}, Lint{Fix: true}, Check{}, Run{}, Publish{}}
	mutates := []bool{false, true, true, true, true, true, false, true, false, true, true}
	for i, a := range args {
		for mode, want := range map[GateMode]bool{"": false, GateNever: false, GateMutating: mutates[i], GateAlways: true} {
			if got := (Plan{Gates: mode, Steps: []Step{{Args: a}}}).Gated(0); got != want {
				t.Errorf("%s with fix %v under %q is gated: %v, want %v", a.Kind(), a, mode, got, want)
			}
			if mode == "" {
				continue
			}
			if got := (Plan{Gates: GateAlways, Steps: []Step{{Gate: mode, Args: a}}}).Gated(0); got != want {
				t.Errorf("%s that overrides Always by %q is gated: %v, want %v", a.Kind(), mode, got, want)
			}
		}
	}
	for mode, want := range map[GateMode]bool{"": false, GateNever: false, GateMutating: false, GateAlways: true} {
		if got := (Plan{Gates: mode}).Gated(Acquisition); got != want {
			t.Errorf("the acquisition under %q is gated: %v, want %v", mode, got, want)
		}
	}
}
