package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// editedScenarios are decisions after somebody edited the status.
var editedScenarios = []scenario{
	{
		name: "a status without Pod takes up the one that there is", given: list(at("1-0", 1, fix()), running(), func(o *Observation) {
			o.Run.Status = v1alpha1.DevPipelineRunStatus{}
		}),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a condition that is wrong is put right", given: list(at("1-0", 1, fix()), running(), func(o *Observation) {
			meta.SetStatusCondition(&o.Run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonChanged})
		}),
		wantEntry: "1-0 #1", wantReason: v1alpha1.ReasonRunning,
	},
	{
		name: "a run that has ended is cleaned up", given: list(at("1-0", 1, fix()), func(o *Observation) {
			o.Run.Status.Result, o.Run.Status.CompletionTime = v1alpha1.ResultChanged, new(ago(time.Second))
		}),
		want: CleanUp, wantEntry: "1-0 #1", wantResult: v1alpha1.ResultChanged, wantReason: v1alpha1.ReasonChanged,
	},
}
