package lifecycle

import (
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

// courseScenarios are decisions from Pod to Pod.
var courseScenarios = []scenario{
	{name: "a Pod at work is waited for", given: list(at("prepare", 1, nil), running()), wantEntry: "prepare #1", wantReason: v1alpha1.ReasonRunning, wantAfter: 20 * time.Minute},
	{
		name: "the next Pod is of the invocation that prepare stopped before", given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Next: fix()})),
		want: Start, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning, wantSays: "step 2 of 3, fix: eslint",
	},
	{
		name: "not before the Pod is over", given: list(at("1-0", 1, fix()), running(ended(pods.Workspace, 0, "Completed", "", 0)), said(v1alpha1.RunOutcome{Next: format()})),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a termination message counts where the status has no outcome", given: list(at("1-0", 1, fix()), running(both(`{"entry":"1-0","attempt":1,"next":{"step":2,"index":0,"kind":"format","engine":"prettier"}}`))),
		want: Start, wantEntry: "2-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "an outcome of another Pod doesn't count", given: list(at("1-0", 2, fix()), running(), func(o *Observation) {
			o.Run.Status.Outcome = &v1alpha1.RunOutcome{Entry: "1-0", Attempt: 1, Next: format()}
		}),
		wantEntry: "1-0 #2", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a tool that failed is tried again if the pipeline says so", given: list(at("1-0", 1, fix()), running(both("")), said(v1alpha1.RunOutcome{Next: fix()})),
		want: Start, wantEntry: "1-0 #2", wantReason: v1alpha1.ReasonRunning, wantSays: "(Pod 2)", wantCharged: 1,
	},
	{
		name: "and not beyond the limit", given: list(at("1-0", 2, fix(), charged(1)), running(both("")), said(v1alpha1.RunOutcome{Next: fix()})),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "a result ends the run at once", given: list(at("2-0", 1, format()), running(), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultChanged, Accounting: changed})),
		want: CleanUp, wantEntry: "2-0 #1", wantResult: v1alpha1.ResultChanged, wantReason: v1alpha1.ReasonChanged, wantSays: "4 of 9 acquired, files changed: +7 -3 lines",
	},
	{
		name: "a failure does when the Pod is over", given: list(at("1-0", 1, fix()), running(), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonToolFailed})),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "with the sidecar's reason", given: list(at("1-0", 1, fix()), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonToolFailed, Message: "exit code 2", FailedStep: new(int32(1))})),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonToolFailed, wantSays: "exit code 2: look at its output in the report",
	},
	{
		name: "unless the kubelet knows better", given: list(at("1-0", 1, fix()), running(both(""), ended(pods.Fixer, 137, "OOMKilled", "", 0)), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonToolFailed})),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonOOMKilled, wantSays: "fix: eslint exceeded its memory limit of 1Gi",
	},
	{
		name: "a gate is waited at", given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Waiting: &v1alpha1.GateStatus{Step: "fix", Digest: "sha256:0"}})),
		wantEntry: "prepare #1", wantReason: v1alpha1.ReasonAwaitingApproval, wantSays: "step fix",
	},
	{
		name: "a paused run stops before the next Pod", given: list(desired(v1alpha1.DesiredPaused), at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Next: fix()})),
		wantEntry: "prepare #1", wantReason: v1alpha1.ReasonPaused, wantSays: "before step 2 of 3, fix",
	},
	{
		name: "the time that it was paused doesn't count", given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Next: fix()}), func(o *Observation) {
			o.Run.Status.StartTime, o.Run.Status.HeldSince = new(ago(10*time.Hour)), new(ago(10*time.Hour-time.Minute))
		}),
		want: Start, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
}
