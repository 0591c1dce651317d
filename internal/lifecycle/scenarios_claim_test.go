package lifecycle

import (
	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// claimScenarios are decisions with claims of users.
var claimScenarios = []scenario{
	{
		name: "the Pod gets the identity of the files", source: inPlace, given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{RunAs: &v1alpha1.RunAs{User: 1000}}})),
		want: Start, wantEntry: "prepare #2", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "but not that of the root", source: inPlace, given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{RunAs: &v1alpha1.RunAs{User: 0}}})),
		want: CleanUp, wantEntry: "prepare #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonNotWritable,
	},
	{
		name: "nor another one than the source says", source: inPlace, given: list(at("prepare", 1, nil), running(both("")), func(o *Observation) {
			o.Run.Spec.Plan.Source.PersistentVolumeClaim.RunAs = &v1alpha1.RunAs{User: 7}
		}, said(v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{RunAs: &v1alpha1.RunAs{User: 1000}}})),
		want: CleanUp, wantEntry: "prepare #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonNotWritable, wantSays: "belong to user 1000, and the source says runAs 7",
	},
	{
		name: "nor a second one", source: inPlace, given: list(at("prepare", 2, nil), running(both("")), func(o *Observation) {
			o.Run.Status.Source = &v1alpha1.SourceStatus{ClaimName: "checkout", StateClaimName: "s", RunAs: &v1alpha1.RunAs{User: 7}}
		}, said(v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{RunAs: &v1alpha1.RunAs{User: 1000}}})),
		want: CleanUp, wantEntry: "prepare #2", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonNotWritable,
	},
	{
		name: "folders are made by a Pod of their own", source: inPlace, given: list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{Folders: true}})),
		want: Start, wantEntry: "folders #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "and prepare follows", source: inPlace, given: list(at("folders", 1, nil), func(o *Observation) {
			o.Run.Status.Source = &v1alpha1.SourceStatus{ClaimName: "checkout", StateClaimName: "s"}
		}, running(both(""))),
		want: Start, wantEntry: "prepare #2", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a user's claim that goes away lets the run go", source: inPlace, given: list(at("1-0", 1, fix()), running(), with(func(o *Observation) { o.Source = ClaimLeaving })),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonAbandoned,
	},
	{
		name: "a user's claim that is gone", source: inPlace, given: list(at("1-0", 1, fix()), running(), with(func(o *Observation) { o.Source = ClaimAbsent })),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonVolumeLost, wantSays: "checkout",
	},
	{
		name: "the run's own claim that is gone", given: list(at("1-0", 1, fix()), running(), with(func(o *Observation) { o.Own = ClaimAbsent })),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultFailed, wantReason: v1alpha1.ReasonVolumeLost,
	},
	{
		name: "a namespace that goes away lets a deleted run go", source: inPlace, given: list(at("1-0", 1, fix()), running(), deleted, with(func(o *Observation) { o.Leaving = true })),
		want: Complete, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultCancelled, wantReason: v1alpha1.ReasonAbandoned,
	},
}
