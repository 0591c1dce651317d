package lifecycle

import (
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// beginScenarios are decisions before the first Pod.
var beginScenarios = []scenario{
	{name: "a new run starts with prepare", want: Start, wantEntry: "prepare #1", wantReason: v1alpha1.ReasonRunning},
	{
		name: "a run on a user's claim first reserves it", source: inPlace, given: list(with(func(o *Observation) { o.Own = ClaimAbsent })),
		want: Reserve, wantReason: v1alpha1.ReasonPending,
	},
	{name: "and then starts", source: inPlace, want: Start, wantEntry: "prepare #1", wantReason: v1alpha1.ReasonRunning},
	{
		name: "a claim that isn't there is waited for", source: inPlace, given: list(with(func(o *Observation) { o.Source = ClaimAbsent })),
		wantReason: v1alpha1.ReasonSourceNotFound, wantSays: "there is no PersistentVolumeClaim checkout", wantAfter: lookAgain,
	},
	{
		name: "a claim that is being deleted isn't begun with", source: inPlace, given: list(with(func(o *Observation) { o.Source = ClaimLeaving })),
		wantReason: v1alpha1.ReasonSourceNotFound,
	},
	{
		name: "the run ahead is named", source: inPlace, given: list(with(func(o *Observation) { o.Ahead = "web-0" })),
		wantReason: v1alpha1.ReasonClaimInUse, wantSays: "the run web-0 works on the claim checkout", wantWaiting: true,
	},
	{
		name: "what an earlier run leaves is waited for", source: inPlace, given: list(with(func(o *Observation) { o.Own = ClaimTaken })),
		wantReason: v1alpha1.ReasonClaimInUse, wantWaiting: true,
	},
	{name: "a paused run doesn't start", given: list(desired(v1alpha1.DesiredPaused)), wantReason: v1alpha1.ReasonPaused},
	{
		name: "a run that is cancelled before its start", given: list(desired(v1alpha1.DesiredCancelled)),
		want: CleanUp, wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "a run that is deleted before its start", source: inPlace, given: list(deleted),
		want: Complete, wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonCancelled,
	},
	{
		name: "a run that isn't what its pipeline is", given: list(with(func(o *Observation) { o.Refusal = Refusal{v1alpha1.ReasonInvalidPipeline, "it is stale"} })),
		want: CleanUp, wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonInvalidPipeline, wantSays: "it is stale",
	},
	{
		name: "a policy that changed before the start", given: list(with(func(o *Observation) { o.Withdrawn = "the policy p was deleted" })),
		want: CleanUp, wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonPolicyChanged, wantSays: "the policy p was deleted",
	},
	{
		name: "a quota is said and waited for", given: list(at("prepare", 1, nil, uncreated), with(func(o *Observation) { o.Obstacle = Refusal{v1alpha1.ReasonQuotaExceeded, "exceeded quota"} })),
		want: Start, wantEntry: "prepare #1", wantReason: v1alpha1.ReasonQuotaExceeded, wantSays: "exceeded quota: free or raise",
	},
	{
		name: "it is still said when the next attempt is about to be made", given: list(at("prepare", 1, nil, uncreated), saidBefore(v1alpha1.ReasonQuotaExceeded, "exceeded quota: free or raise the quota: the run goes on by itself until its timeout")),
		want: Start, wantEntry: "prepare #1", wantReason: v1alpha1.ReasonQuotaExceeded, wantSays: "exceeded quota: free or raise",
	},
	{
		name: "and ends the run at its timeout", given: list(at("prepare", 1, nil, uncreated), timedOut, saidBefore(v1alpha1.ReasonQuotaExceeded, "exceeded quota")),
		want: CleanUp, wantEntry: "prepare #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonQuotaExceeded, wantSays: "until the timeout of 30m0s",
	},
	{
		name: "a Pod that no API server takes", given: list(at("prepare", 1, nil, uncreated), with(func(o *Observation) {
			o.Obstacle, o.Final = Refusal{v1alpha1.ReasonStartFailed, "invalid"}, true
		})),
		want: CleanUp, wantEntry: "prepare #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonStartFailed,
	},
	{
		name: "a Pod isn't created before its time", given: list(at("prepare", 2, nil, uncreated, func(p *v1alpha1.RunPodStatus) { p.NotBefore = new(ago(-7 * time.Second)) })),
		wantEntry: "prepare #2", wantReason: v1alpha1.ReasonRunning, wantAfter: 7 * time.Second,
	},
}
