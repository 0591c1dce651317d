package lifecycle

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

// follow looks after the Pod that the status names.
func (d *decider) follow() bool {
	p := d.Status.Pod
	if d.Pod == nil {
		return d.without()
	}
	p.UID, p.MissingSince = string(d.Pod.UID), nil
	if p.Node == "" {
		p.Node = d.Pod.Spec.NodeName
	}
	s := look(d.Pod, d.Hang, d.Now)
	p.Started = p.Started || s.started
	word := d.word(&s)
	switch {
	case word != nil && succeeded(word.Result):
		return d.heard(*word, s) // the tool has been accounted for: nothing is left to wait for
	case s.stage == over:
		return d.left(word, s)
	case d.NodeGone:
		s.because = Refusal{v1alpha1.ReasonNodeLost, fmt.Sprintf("the node %s is gone", p.Node)}
		return d.left(word, s)
	case d.Pod.DeletionTimestamp != nil && d.Now.Sub(d.Pod.DeletionTimestamp.Time) >= StuckGrace:
		return d.stuck()
	case p.Ending:
		p.Idle = p.Idle && s.idle
		return d.delete()
	}
	if stop := d.stop(); stop.Reason != "" && p.Entry != outcome.Recover {
		return d.end(stop, s)
	}
	if s.hopeless {
		if word != nil { // it has been served: only its fixer is in the way
			s.because = Refusal{v1alpha1.ReasonNoReport, "the tool wasn't needed"}
		}
		return d.end(s.because, s)
	}
	if p.Entry == outcome.Recover && d.Now.Sub(p.Since.Time) >= RecoverGrace {
		return d.end(Refusal{v1alpha1.ReasonNoReport, "the Pod that looks took too long"}, s)
	}
	if d.Pod.DeletionTimestamp != nil {
		s.after = lookAgain
	}
	if s.because.Reason != "" {
		return d.wait(s.because.Reason, s.because.Message, d.soon(s.after))
	}
	reason, message := d.underway()
	return d.wait(reason, message, d.soon(s.after))
}

// soon is when to look again: after a span, if there is one, but not after the timeout.
func (d *decider) soon(after time.Duration) time.Duration {
	left := d.deadline().Sub(d.Now)
	switch {
	case left <= 0 && after == 0:
		return lookAgain
	case left <= 0:
		return after
	case after == 0:
		return left
	default:
		return min(after, left)
	}
}

// word is what the sidecar of the named Pod said: in the status, or, if the API server was
// away, in its termination message.
func (d *decider) word(s *sight) *v1alpha1.RunOutcome {
	p := d.Status.Pod
	for _, o := range []*v1alpha1.RunOutcome{d.Run.Status.Outcome, s.word} {
		if o != nil && o.Entry == p.Entry && o.Attempt == p.Attempt && outcome.Valid(*o) {
			return o
		}
	}
	return nil
}

// without is about a Pod that isn't there: not yet, or not any more.
func (d *decider) without() bool {
	p := d.Status.Pod
	if p.UID == "" {
		return d.uncreated()
	}
	s := sight{stage: over, because: Refusal{v1alpha1.ReasonPodLost, fmt.Sprintf("the Pod %s was deleted while it was at work", p.Name)}}
	word := d.word(&s)
	if word != nil || p.Ending {
		return d.left(word, s)
	}
	if d.NodeGone {
		p.Started = true // nobody saw
		return d.left(nil, s)
	}
	if p.MissingSince == nil {
		p.MissingSince = new(metav1.NewTime(d.Now))
	}
	if left := LostGrace - d.Now.Sub(p.MissingSince.Time); left > 0 {
		return d.wait(v1alpha1.ReasonPodLost, s.because.Message+"; it may still be writing", left)
	}
	p.Started = true // nobody saw
	return d.left(nil, s)
}

// stuck gives up a Pod that doesn't vanish, nor end: its node doesn't answer. Nothing else
// may be started beside it.
func (d *decider) stuck() bool {
	p := d.Status.Pod
	reason, message := v1alpha1.ReasonNodeLost, fmt.Sprintf("the node %s doesn't say that the Pod %s has ended", p.Node, p.Name)
	if p.Reason != "" && p.Reason != v1alpha1.ReasonNoReport {
		reason = p.Reason
		message = p.Message + "; " + message
	}
	return d.finish(resultOf(reason), reason, message+"; what it changed isn't known")
}

// end records that the Pod is ended, and why. It is deleted once that is written. A Pod
// that looks is there for a reason already.
func (d *decider) end(why Refusal, s sight) bool {
	p := d.Status.Pod
	p.Ending, p.Idle = true, s.idle
	if p.Entry != outcome.Recover {
		p.Reason, p.Message = why.Reason, outcome.Cut(why.Message, 512)
	}
	return d.delete()
}

func (d *decider) delete() bool {
	p := d.Status.Pod
	d.Exact = p.Idle
	reason, message := p.Reason, p.Message
	if p.Entry == outcome.Recover {
		reason, message = d.underway()
	}
	return d.act(End, reason, message)
}

// never says whether the Pod that was ended has done nothing. One that a node has taken may
// be started in the moment that it is deleted: where that could change somebody's files,
// it counts as started.
func (d *decider) never() bool {
	p := d.Status.Pod
	return p.Ending && p.Idle && (p.Node == "" || !pods.InPlace(d.Run))
}
