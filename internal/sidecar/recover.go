package sidecar

import (
	"cmp"
	"context"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// recover closes the run, whatever it was at: what a tool did is accounted for, and the
// report says why the run ended.
func (s *session) recover(ctx context.Context) (report.Report, error) {
	s.watch.open = s.left
	r, _, err := runtime.RecoverBecause(ctx, s.config, s.cause())
	if err != nil {
		return report.Report{}, stuck{err}
	}
	return r, nil
}

// cause is why the run needs to be closed, as far as the controller has said so.
func (s *session) cause() *fault.Error {
	told := s.run.Status.Pod
	reason, message := "", ""
	if told != nil {
		reason, message = told.Reason, told.Message
	}
	if s.run.Spec.DesiredState == v1alpha1.DesiredCancelled {
		reason = v1alpha1.ReasonCancelled
	}
	switch reason {
	case v1alpha1.ReasonCancelled, v1alpha1.ReasonPolicyChanged:
		return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "%s", cmp.Or(message, "the run was cancelled"))
	case v1alpha1.ReasonDeadlineExceeded:
		return fault.New(fault.StepFailed, fault.ReasonDeadline, "", "%s", cmp.Or(message, "the run took too long"))
	default:
		return fault.New(fault.StepFailed, fault.ReasonCrash, "", "%s", cmp.Or(message, "a Pod of the run ended before its work was done")).
			WithHint("what had been done to the tree is accounted for here")
	}
}
