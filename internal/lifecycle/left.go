package lifecycle

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// left is about a Pod of which nothing runs any more.
func (d *decider) left(word *v1alpha1.RunOutcome, s sight) bool {
	if word != nil {
		return d.heard(*word, s)
	}
	p := d.Status.Pod
	because := s.because
	if p.Ending {
		because = Refusal{p.Reason, p.Message}
	}
	switch {
	case p.Entry == outcome.Folders && s.exit != nil && *s.exit == 0:
		d.Status.Source.Folders = true
		return d.start(v1alpha1.RunPodStatus{Entry: outcome.Prepare, Attempt: p.Attempt + 1})
	case p.Entry == outcome.Recover && p.Attempt >= maxRecoveries:
		return d.unknown(because.Message)
	case p.Entry == outcome.Recover:
		return d.again(0)
	}
	if stop := d.stop(); stop.Reason != "" && !p.Ending {
		return d.close(stop, false)
	}
	if fatal(p, because) || outcome.IsInvocation(p.Entry) && p.Invocation == nil {
		return d.close(because, d.never())
	}
	free := !p.Started || !outcome.IsInvocation(p.Entry)
	switch {
	case free && p.Attempt-p.Charged <= maxFree:
		return d.again(0)
	case !free && p.Charged < d.Run.Spec.Plan.Retry.Limit:
		return d.again(1)
	default:
		return d.close(because, false)
	}
}

// fatal says whether another attempt can't help, or isn't wanted.
func fatal(p *v1alpha1.RunPodStatus, because Refusal) bool {
	return p.Ending && because.Reason != v1alpha1.ReasonNoReport || because.Reason == v1alpha1.ReasonDeadlineExceeded
}

// again starts the same entry again after a while.
func (d *decider) again(charge int32) bool {
	p := *d.Status.Pod
	wait := min(longestWait, firstBackoff<<min(p.Attempt-1, 8))
	next := v1alpha1.RunPodStatus{
		Entry: p.Entry, Attempt: p.Attempt + 1, Charged: p.Charged + charge, Invocation: p.Invocation,
		NotBefore: new(metav1.NewTime(d.Now.Add(wait))),
	}
	if p.Entry == outcome.Recover {
		next.Reason, next.Message = p.Reason, p.Message
	}
	return d.start(next)
}

// close ends the run for a reason: by a Pod that looks at what was done, unless the present
// one never ran and nothing before it was left open.
func (d *decider) close(why Refusal, never bool) bool {
	p := d.Status.Pod
	if p.Entry == outcome.Folders || never && p.Attempt == 1 {
		return d.finish(resultOf(why.Reason), why.Reason, why.Message)
	}
	return d.start(v1alpha1.RunPodStatus{
		Entry: outcome.Recover, Attempt: 1, Invocation: p.Invocation, Reason: why.Reason, Message: outcome.Cut(why.Message, 512),
	})
}

// unknown ends a run of which nobody can say what it did last.
func (d *decider) unknown(why string) bool {
	p := d.Status.Pod
	return d.finish(resultOf(p.Reason), p.Reason, fmt.Sprintf("%s; what was changed last isn't known: %s", p.Message, why))
}

// resultOf is how a run ends that doesn't end by itself.
func resultOf(reason string) v1alpha1.RunResult {
	if slices.Contains([]string{v1alpha1.ReasonCancelled, v1alpha1.ReasonPolicyChanged, v1alpha1.ReasonAbandoned}, reason) {
		return v1alpha1.ResultCancelled
	}
	return v1alpha1.ResultFailed
}
