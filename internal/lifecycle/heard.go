package lifecycle

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

// heard goes on from where the sidecar says that the run stands.
func (d *decider) heard(o v1alpha1.RunOutcome, s sight) bool {
	d.keep(o)
	p := d.Status.Pod
	if succeeded(o.Result) {
		return d.finish(o.Result, string(o.Result), o.Message)
	}
	if p.Entry == outcome.Recover {
		return d.finish(resultOf(p.Reason), p.Reason, p.Message)
	}
	if o.Result != "" {
		return d.failed(o, s)
	}
	if o.Redo != nil {
		return d.redo(*o.Redo)
	}
	if stop := d.stop(); stop.Reason != "" {
		return d.finish(resultOf(stop.Reason), stop.Reason, stop.Message)
	}
	if o.Waiting != nil {
		d.Status.Gate = o.Waiting
		return d.hold(v1alpha1.ReasonAwaitingApproval, fmt.Sprintf("step %s waits for an approval of %s", cmp.Or(string(o.Waiting.Step), "acquisition"), o.Waiting.Digest))
	}
	if d.Run.Spec.DesiredState == v1alpha1.DesiredPaused {
		return d.hold(v1alpha1.ReasonPaused, "the run is paused before "+d.naming(o.Next))
	}
	return d.next(*o.Next)
}

// keep takes over what a sidecar said of the run as a whole.
func (d *decider) keep(o v1alpha1.RunOutcome) {
	d.heardLast = &o
	if o.Accounting != nil {
		d.Status.Accounting = o.Accounting
	}
	if o.Report != nil {
		d.Status.Report = o.Report
	}
	if o.Revision != "" {
		d.keepClaims()
		d.Status.Source.Revision = o.Revision
	}
}

func (d *decider) hold(reason, message string) bool {
	if d.Status.HeldSince == nil {
		d.Status.HeldSince = new(metav1.NewTime(d.Now))
	}
	return d.wait(reason, message, 0)
}

// next starts the Pod of an invocation: another one, or the same for another attempt.
func (d *decider) next(next v1alpha1.NextInvocation) bool {
	p := d.Status.Pod
	entry := outcome.Of(next)
	if entry != p.Entry {
		return d.start(v1alpha1.RunPodStatus{Entry: entry, Attempt: 1, Invocation: &next})
	}
	if p.Charged >= d.Run.Spec.Plan.Retry.Limit {
		return d.close(Refusal{v1alpha1.ReasonToolFailed, fmt.Sprintf("%s failed %d times", d.naming(&next), p.Charged+1)}, false)
	}
	return d.start(v1alpha1.RunPodStatus{Entry: entry, Attempt: p.Attempt + 1, Charged: p.Charged + 1, Invocation: &next})
}

// redo starts the first Pod again with the properties that it lacked.
func (d *decider) redo(wish v1alpha1.PodRedo) bool {
	p := d.Status.Pod
	d.keepClaims()
	s := d.Status.Source
	again := v1alpha1.RunPodStatus{Entry: outcome.Prepare, Attempt: p.Attempt + 1}
	switch {
	case p.Entry != outcome.Prepare || p.Attempt >= maxRedo:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonNotWritable, "the sidecar can't work with any identity that it asked for")
	case wish.RunAs != nil && wish.RunAs.User == 0:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonNotWritable, "the files belong to the root, which no Pod may be")
	case wish.RunAs != nil && s.RunAs != nil:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonNotWritable,
			fmt.Sprintf("the files belong to user %d, and user %d can't write them", wish.RunAs.User, s.RunAs.User))
	case wish.RunAs != nil && pods.InPlace(d.Run) && d.Run.Spec.Plan.Source.PersistentVolumeClaim.RunAs != nil && d.Run.Spec.Plan.Source.PersistentVolumeClaim.RunAs.User != wish.RunAs.User:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonNotWritable,
			fmt.Sprintf("the files belong to user %d, and the source says runAs %d", wish.RunAs.User, d.Run.Spec.Plan.Source.PersistentVolumeClaim.RunAs.User))
	case wish.Folders && s.Folders:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonNotWritable, fmt.Sprintf("the claim %s can't be written to", d.ownClaim()))
	}
	if wish.RunAs != nil {
		s.RunAs = wish.RunAs
	}
	if wish.Folders {
		again.Entry, again.Attempt = outcome.Folders, p.Attempt
	}
	return d.start(again)
}

// failed ends a run that its sidecar calls failed. What the controller did, and what a
// kubelet says of the containers, it knows better.
func (d *decider) failed(o v1alpha1.RunOutcome, s sight) bool {
	p := d.Status.Pod
	reason, message := cmp.Or(o.Reason, v1alpha1.ReasonStepFailed), o.Message
	switch {
	case p.Ending && p.Reason != v1alpha1.ReasonNoReport:
		reason, message = p.Reason, p.Message
	case s.oom != "" && (reason == v1alpha1.ReasonToolFailed || reason == v1alpha1.ReasonStepFailed):
		reason, message = v1alpha1.ReasonOOMKilled, fmt.Sprintf("%s exceeded its memory limit of %s", d.naming(p.Invocation), s.oom)
	}
	return d.finish(cmp.Or(resultIf(p.Ending, reason), o.Result), reason, message)
}

func resultIf(ending bool, reason string) v1alpha1.RunResult {
	if !ending {
		return ""
	}
	return resultOf(reason)
}

func succeeded(r v1alpha1.RunResult) bool {
	return r != "" && r != v1alpha1.ResultFailed && r != v1alpha1.ResultCancelled
}
