package lifecycle

import (
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// cancelled says whether the run is wanted no more.
func (d *decider) cancelled() bool {
	return d.Run.Spec.DesiredState == v1alpha1.DesiredCancelled || d.Run.DeletionTimestamp != nil
}

// stop is why the run must not go on; zero if it may.
func (d *decider) stop() Refusal {
	switch {
	case d.Run.DeletionTimestamp != nil:
		return Refusal{v1alpha1.ReasonCancelled, "the run was deleted"}
	case d.cancelled():
		return Refusal{v1alpha1.ReasonCancelled, "the run was cancelled"}
	case d.Withdrawn != "":
		return Refusal{v1alpha1.ReasonPolicyChanged, d.Withdrawn}
	case !d.Now.Before(d.deadline()):
		return d.late()
	default:
		return Refusal{}
	}
}

// deadline of the run: its timeout, not counting the time that it was held.
func (d *decider) deadline() time.Time {
	s := d.Status
	if s.StartTime == nil {
		return d.Now.Add(time.Hour)
	}
	end := s.StartTime.Add(d.timeout()).Add(time.Duration(s.HeldSeconds) * time.Second)
	if s.HeldSince != nil {
		end = end.Add(d.Now.Sub(s.HeldSince.Time))
	}
	return end
}

func (d *decider) timeout() time.Duration {
	if t := d.Run.Spec.Plan.Timeout.Duration.Duration; t > 0 {
		return t
	}
	return time.Hour
}

// late is a run beyond its timeout: for what it waited all the time, if for anything.
func (d *decider) late() Refusal {
	if c := d.succeeded(); c != nil && obstacles[c.Reason] {
		return Refusal{c.Reason, fmt.Sprintf("%s; it was waited for until the timeout of %s", told(c.Message, c.Reason), d.timeout())}
	}
	return Refusal{v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("the run exceeded its timeout of %s", d.timeout())}
}
