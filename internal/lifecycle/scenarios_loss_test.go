package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

// lossScenarios are decisions when something is lost or in the way.
var lossScenarios = []scenario{
	{
		name: "a Pod that vanished may still be writing", given: list(at("1-0", 1, fix())),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonPodLost, wantAfter: LostGrace,
	},
	{
		name: "after a minute another attempt is made, and charged", given: list(at("1-0", 1, fix(), missing(LostGrace))),
		want: NothingYet, wantEntry: "1-0 #2", wantReason: v1alpha1.ReasonRunning, wantCharged: 1, wantAfter: firstBackoff,
	},
	{
		name: "without retries left it is looked at", given: list(at("1-0", 2, fix(), charged(1), missing(LostGrace))),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering, wantSays: "was deleted while it was at work",
	},
	{
		name: "a loss before the first tool is free", given: list(at("prepare", 3, nil, missing(LostGrace))),
		wantEntry: "prepare #4", wantReason: v1alpha1.ReasonRunning, wantAfter: 4 * firstBackoff,
	},
	{
		name: "up to a limit", given: list(at("prepare", maxFree+1, nil, missing(LostGrace))),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "a Pod that vanished with a word isn't missed", given: list(at("1-0", 1, fix()), said(v1alpha1.RunOutcome{Next: format()})),
		want: Start, wantEntry: "2-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a node that is gone isn't waited for", given: list(at("1-0", 2, fix(), charged(1)), running(), with(func(o *Observation) { o.NodeGone = true })),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering, wantSays: "node-1 is gone",
	},
	{
		name: "an eviction before the tool started is free", given: list(at("1-0", 1, fix()), running(held(pods.Fixer, "ContainerCreating", ""), phase(corev1.PodFailed, "Evicted", ""))),
		wantEntry: "1-0 #2", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "one after it is charged", given: list(at("1-0", 1, fix()), running(both(""), phase(corev1.PodFailed, "Evicted", ""))),
		wantEntry: "1-0 #2", wantReason: v1alpha1.ReasonRunning, wantCharged: 1,
	},
	{
		name: "the backstop isn't followed by another attempt", given: list(at("1-0", 1, fix()), running(both(""), phase(corev1.PodFailed, "DeadlineExceeded", ""))),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "an image that can't be pulled is said", given: list(at("1-0", 1, fix()), running(held(pods.Fixer, "ImagePullBackOff", "not found"))),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonImagePullFailed, wantSays: "registry.example.com/fixer", wantAfter: time.Minute,
	},
	{
		name: "and ends the Pod after its grace", given: list(at("1-0", 1, fix()), running(held(pods.Fixer, "ImagePullBackOff", "not found"), scheduledAgo(PullGrace))),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonImagePullFailed,
	},
	{
		name: "and the run, once what is open is closed", given: list(at("1-0", 1, fix(), ending(v1alpha1.ReasonImagePullFailed))),
		want: Start, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "a fixer that isn't needed is taken away", given: list(at("1-0", 1, fix()), running(ended(pods.Workspace, 0, "Completed", "", 0), held(pods.Fixer, "ImagePullBackOff", "")), said(v1alpha1.RunOutcome{Next: format()})),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonNoReport,
	},
	{
		name: "and the run goes on", given: list(at("1-0", 1, fix(), ending(v1alpha1.ReasonNoReport)), said(v1alpha1.RunOutcome{Next: format()})),
		want: Start, wantEntry: "2-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a Pod that can't be scheduled waits", given: list(at("1-0", 1, fix(), unbound), running(unscheduled("0/1 nodes"))),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonUnschedulable, wantSays: "0/1 nodes", wantAfter: lookAgain,
	},
	{
		name: "until the timeout", given: list(at("1-0", 1, fix(), unbound), running(unscheduled("0/1 nodes")), timedOut, saidBefore(v1alpha1.ReasonUnschedulable, "0/1 nodes")),
		want: End, wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonUnschedulable, wantSays: "until the timeout", wantExact: true,
	},
	{
		name: "a recovery that is lost is made again", given: list(at("recover", 1, fix(), because(v1alpha1.ReasonPodLost), missing(LostGrace))),
		wantEntry: "recover #2", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "but not for ever", given: list(at("recover", maxRecoveries, fix(), because(v1alpha1.ReasonPodLost), missing(LostGrace))),
		want: CleanUp, wantEntry: "recover #3", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonPodLost, wantSays: "isn't known",
	},
	{
		name: "a recovery that doesn't end is ended", given: list(at("recover", 1, fix(), because(v1alpha1.ReasonPodLost), func(p *v1alpha1.RunPodStatus) { p.Since = new(ago(RecoverGrace)) }), running()),
		want: End, wantEntry: "recover #1", wantReason: v1alpha1.ReasonRecovering,
	},
	{
		name: "one that can't be created is given up", given: list(at("recover", 1, fix(), uncreated, because(v1alpha1.ReasonPodLost), func(p *v1alpha1.RunPodStatus) { p.Since = new(ago(RecoverGrace)) })),
		want: CleanUp, wantEntry: "recover #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonPodLost, wantSays: "isn't known",
	},
}
