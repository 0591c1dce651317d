package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// stopScenarios are decisions when a run is to stop.
var stopScenarios = []scenario{
	{
		name: "cancelling ends the Pod", given: list(desired(v1alpha1.DesiredCancelled), at("1-0", 1, fix()), running()),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "what it did is then looked at", given: list(desired(v1alpha1.DesiredCancelled), at("1-0", 1, fix(), ending(v1alpha1.ReasonCancelled))),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "and the run is cancelled", given: list(desired(v1alpha1.DesiredCancelled), at("recover", 1, fix(), because(v1alpha1.ReasonCancelled)), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonToolFailed, Accounting: changed})),
		want: CleanUp, wantEntry: "recover #1", wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "unless it had succeeded before", given: list(desired(v1alpha1.DesiredCancelled), at("recover", 1, format(), because(v1alpha1.ReasonCancelled)), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultChanged, Accounting: changed})),
		want: CleanUp, wantEntry: "recover #1", wantResult: v1alpha1.ResultChanged, wantReason: v1alpha1.ReasonChanged,
	},
	{
		name: "between two Pods nothing has to be looked at", given: list(desired(v1alpha1.DesiredCancelled), at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Next: fix(), Accounting: changed})),
		want: CleanUp, wantEntry: "prepare #1", wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "a Pod that no node has taken is ended as it is", given: list(desired(v1alpha1.DesiredCancelled), at("1-0", 1, fix(), unbound), running(unscheduled(""))),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonCancelled, wantExact: true,
	},
	{
		name: "and leaves nothing to be looked at", source: inPlace, given: list(desired(v1alpha1.DesiredCancelled), at("1-0", 1, fix(), unbound, ending(v1alpha1.ReasonCancelled), idle)),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "a second attempt does", given: list(desired(v1alpha1.DesiredCancelled), at("1-0", 2, fix(), unbound, ending(v1alpha1.ReasonCancelled), idle)),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "and so does one that a node may have started on a user's files", source: inPlace, given: list(desired(v1alpha1.DesiredCancelled), at("prepare", 1, nil, ending(v1alpha1.ReasonCancelled), idle)),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "a deleted run is ended like a cancelled one", source: inPlace, given: list(deleted, at("1-0", 1, fix()), running()),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonCancelled, wantSays: "deleted",
	},
	{
		name: "a policy that was withdrawn ends the Pod", given: list(with(func(o *Observation) { o.Withdrawn = "the policy p was changed" }), at("1-0", 1, fix()), running()),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonPolicyChanged, wantSays: "the policy p was changed",
	},
	{
		name: "the timeout ends the Pod", given: list(at("1-0", 1, fix()), running(), timedOut),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonDeadlineExceeded, wantSays: "30m",
	},
	{
		name: "a Pod that looks isn't stopped", given: list(desired(v1alpha1.DesiredCancelled), at("recover", 1, fix(), because(v1alpha1.ReasonDeadlineExceeded)), running(), timedOut),
		wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "a Pod that is being deleted is waited for", given: list(at("1-0", 1, fix()), running(func(p *corev1.Pod) { p.DeletionTimestamp = new(ago(time.Minute)) })),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning, wantAfter: lookAgain,
	},
	{
		name: "but not for ever", given: list(at("1-0", 1, fix()), running(func(p *corev1.Pod) { p.DeletionTimestamp = new(ago(StuckGrace)) })),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonNodeLost, wantSays: "isn't known",
	},
}
