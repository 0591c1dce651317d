package lifecycle

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

// ended cleans up after a run whose result is known.
func (d *decider) ended() bool {
	if d.Status.CompletionTime == nil {
		return false
	}
	d.Act = CleanUp
	if d.Run.DeletionTimestamp != nil {
		d.Act = Complete
	}
	return true
}

// adopt takes up a Pod of the run that the status has forgotten: somebody edited it.
func (d *decider) adopt() bool {
	if d.Status.Pod != nil || d.Pod == nil {
		return false
	}
	entry, attempt, ok := pods.EntryOf(d.Pod.Labels)
	if !ok {
		return false
	}
	d.Status.Pod = &v1alpha1.RunPodStatus{
		Name: v1alpha1.ObjectName(d.Pod.Name), UID: string(d.Pod.UID), Entry: entry, Attempt: attempt, Since: &d.Pod.CreationTimestamp,
	}
	if o := d.Run.Status.Outcome; o != nil && o.Next != nil && outcome.Of(*o.Next) == entry {
		d.Status.Pod.Invocation = o.Next
	}
	if d.Status.StartTime == nil {
		d.Status.StartTime = &d.Pod.CreationTimestamp
	}
	d.keepClaims()
	return false
}

// abandon ends a run that has nothing left to work on, and one that is in the way of a
// deletion. Nobody looks at what it did last: there is nothing to look at.
func (d *decider) abandon() bool {
	claim := ""
	if source := d.Run.Spec.Plan.Source.PersistentVolumeClaim; source != nil {
		claim = string(source.ClaimName)
	}
	began := d.Status.Pod != nil
	switch {
	case d.Leaving:
		return d.finish(v1alpha1.ResultCancelled, v1alpha1.ReasonAbandoned, "the namespace is being deleted")
	case began && d.usesSource() && d.Source == ClaimLeaving:
		return d.finish(v1alpha1.ResultCancelled, v1alpha1.ReasonAbandoned, fmt.Sprintf("the claim %s is being deleted", claim))
	case began && d.usesSource() && d.Source == ClaimAbsent:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonVolumeLost, fmt.Sprintf("the claim %s is gone", claim))
	case began && d.Status.Pod.UID != "" && d.Own != ClaimPresent:
		return d.finish(v1alpha1.ResultFailed, v1alpha1.ReasonVolumeLost, fmt.Sprintf("the run's own claim %s is gone or being deleted", d.ownClaim()))
	default:
		return false
	}
}

// usesSource says whether Pods to come mount the user's claim.
func (d *decider) usesSource() bool {
	if d.Source == ClaimUnused {
		return false
	}
	return pods.InPlace(d.Run) || d.Status.Pod.Entry == outcome.Prepare || d.Status.Pod.Entry == outcome.Folders
}

func (d *decider) ownClaim() v1alpha1.ObjectName {
	s := d.Status.Source
	switch {
	case s == nil:
		return ""
	case s.StateClaimName != "":
		return s.StateClaimName
	default:
		return s.ClaimName
	}
}

// begin starts a run when nothing is in its way.
func (d *decider) begin() bool {
	if d.Status.Pod != nil {
		return false
	}
	source := d.Run.Spec.Plan.Source.PersistentVolumeClaim
	switch {
	case d.cancelled():
		return d.finish(v1alpha1.ResultCancelled, v1alpha1.ReasonCancelled, "the run was cancelled before it started")
	case d.Withdrawn != "":
		return d.finish(v1alpha1.ResultCancelled, v1alpha1.ReasonPolicyChanged, d.Withdrawn)
	case d.Refusal.Reason != "":
		return d.finish(v1alpha1.ResultFailed, d.Refusal.Reason, d.Refusal.Message)
	case d.Source == ClaimAbsent:
		return d.wait(v1alpha1.ReasonSourceNotFound, fmt.Sprintf("there is no PersistentVolumeClaim %s", source.ClaimName), lookAgain)
	case d.Source == ClaimLeaving:
		return d.wait(v1alpha1.ReasonSourceNotFound, fmt.Sprintf("the PersistentVolumeClaim %s is being deleted", source.ClaimName), lookAgain)
	case d.Ahead != "":
		d.waiting = true
		return d.wait(v1alpha1.ReasonClaimInUse, fmt.Sprintf("the run %s works on the claim %s", d.Ahead, source.ClaimName), lookAgain)
	case d.Run.Spec.DesiredState == v1alpha1.DesiredPaused:
		return d.wait(v1alpha1.ReasonPaused, "the run is paused before its start", 0)
	case d.Own == ClaimTaken || d.Own == ClaimLeaving:
		d.waiting = source != nil
		return d.wait(v1alpha1.ReasonClaimInUse, "what an earlier run made isn't gone yet", lookAgain)
	case source != nil && d.Own == ClaimAbsent:
		reason, message := d.obstacle("the claim for the run's state is about to be made")
		return d.act(Reserve, reason, message)
	}
	return d.start(v1alpha1.RunPodStatus{Entry: outcome.Prepare, Attempt: 1})
}

// start records a Pod that is wanted. It is created once that is written.
func (d *decider) start(p v1alpha1.RunPodStatus) bool {
	now := metav1.NewTime(d.Now)
	if d.Status.StartTime == nil {
		d.Status.StartTime = &now
	}
	if d.Status.HeldSince != nil {
		d.Status.HeldSeconds += int64(d.Now.Sub(d.Status.HeldSince.Time).Seconds())
		d.Status.HeldSince = nil
	}
	if last := d.Status.Pod; last != nil {
		p.Near = last.Node
		if p.Near == "" {
			p.Near = last.Near
		}
	}
	p.Name = v1alpha1.ObjectName(pods.PodName(d.Run, p.Entry, p.Attempt))
	p.Since = &now
	d.Status.Pod, d.Status.Gate = &p, nil
	d.Pod, d.fresh = nil, true
	d.keepClaims()
	return d.uncreated()
}

// keepClaims records which claims the run works on.
func (d *decider) keepClaims() {
	if d.Status.Source == nil {
		d.Status.Source = &v1alpha1.SourceStatus{}
	}
	s, source := d.Status.Source, d.Run.Spec.Plan.Source.PersistentVolumeClaim
	own := v1alpha1.ObjectName(pods.ClaimName(d.Run, d.SourceUID))
	switch {
	case s.ClaimName != "":
	case source == nil || !pods.InPlace(d.Run):
		s.ClaimName = own
	default:
		s.ClaimName, s.StateClaimName = source.ClaimName, own
	}
}

// uncreated is about a Pod that the status names and that isn't there yet.
func (d *decider) uncreated() bool {
	p := d.Status.Pod
	if stop := d.stop(); stop.Reason != "" && p.Entry != outcome.Recover {
		return d.close(stop, true)
	}
	if p.Entry == outcome.Recover && d.Now.Sub(p.Since.Time) >= RecoverGrace {
		return d.unknown("no Pod could be started to look")
	}
	if d.Final && p.Entry != outcome.Recover {
		return d.close(d.Obstacle, true)
	}
	reason, message := d.obstacle("")
	if p.NotBefore != nil && d.Now.Before(p.NotBefore.Time) {
		return d.wait(reason, message, p.NotBefore.Sub(d.Now))
	}
	return d.act(Start, reason, message)
}

// obstacle is why the run doesn't go on though it could: what was found now, or what is
// known from before as long as nothing else is.
func (d *decider) obstacle(otherwise string) (reason, message string) {
	if d.Obstacle.Reason != "" {
		return d.Obstacle.Reason, d.Obstacle.Message
	}
	if c := d.succeeded(); c != nil && !d.fresh && c.Status == metav1.ConditionUnknown && obstacles[c.Reason] {
		return c.Reason, told(c.Message, c.Reason)
	}
	if d.Status.Pod != nil {
		return d.underway()
	}
	return v1alpha1.ReasonPending, otherwise
}

// obstacles are the reasons of a run that waits for its surroundings.
var obstacles = map[string]bool{
	v1alpha1.ReasonQuotaExceeded: true, v1alpha1.ReasonStartFailed: true, v1alpha1.ReasonUnschedulable: true,
	v1alpha1.ReasonImagePullFailed: true, v1alpha1.ReasonSourceNotFound: true,
}
