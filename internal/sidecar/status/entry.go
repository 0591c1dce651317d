package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// Attempt is what a process saw of an invocation.
type Attempt struct {
	Step, Index int
	Engine      string
	Capability  int
	Number      int // of the attempt, from 1
	Paths       int // that the tool was given

	Started time.Time          // of the tool; zero if it never was
	Ended   time.Time          // of the re-read, or of the tool where another attempt follows
	Outcome *runtime.Outcome   // nil if nobody saw the tool end
	Record  *report.Invocation // nil if the invocation goes on with another attempt
}

// Entry is what the status of a run says of an attempt. steps and failure are the run's.
func Entry(a Attempt, steps []report.Step, failure *report.Failure) v1alpha1.InvocationStatus {
	e := v1alpha1.InvocationStatus{
		Name: outcome.Invocation(a.Step, a.Index), Step: v1alpha1.StepName(steps[a.Step].Name), Engine: a.Engine,
		Capability: int32(a.Capability), Attempt: int32(a.Number), Paths: int64(a.Paths),
		Outcome: v1alpha1.OutcomeCrash, StartTime: timeOf(a.Started), CompletionTime: timeOf(a.Ended),
	}
	if r := a.Record; r != nil {
		e.Paths, e.Changed, e.Version = int64(r.Files), int64(r.Changed), r.Version
	}
	if o := a.Outcome; o != nil {
		e.Outcome = endOf(*o)
		e.ExitCode = int32Of(o.ExitCode)
		e.Diagnostics = severitiesOf(o.Diagnostics)
		e.Containment = containmentOf(o.Containment)
		e.Usage = usageOf(*o)
		if o.Cause != nil {
			e.Reason, e.Message = o.Ended, report.Printable(o.Cause.Error())
		}
	}
	if a.Outcome == nil {
		e.Reason = report.EndedCrash
	}
	if f := failure; f != nil && f.Step != nil && *f.Step == a.Step && f.Engine == a.Engine {
		e.Reason, e.Message = f.Reason, sentenceOf(*f, nil)
		if fault.Reason(f.Reason) == fault.ReasonPolicyViolation {
			e.Outcome = v1alpha1.OutcomePolicyViolation
		}
	}
	return e
}

func endOf(o runtime.Outcome) v1alpha1.InvocationOutcome {
	switch {
	case o.Ended == report.EndedOK:
		return v1alpha1.OutcomeCompleted
	case o.Ended == report.EndedCancelled:
		return v1alpha1.OutcomeCancelled
	case !o.Started:
		return v1alpha1.OutcomeRefused
	case o.Ended == report.EndedDeadline:
		return v1alpha1.OutcomeDeadline
	case o.Ended == report.EndedCrash:
		return v1alpha1.OutcomeCrash
	default:
		return v1alpha1.OutcomeEngineError
	}
}

// maxRoots is how many roots of a confinement a status lists.
const maxRoots = 16

func containmentOf(c report.Containment) *v1alpha1.ContainmentStatus {
	if c.Kind == "" {
		return nil
	}
	s := &v1alpha1.ContainmentStatus{Kind: v1alpha1.ContainmentKind(c.Kind), Exceeds: c.Exceeds}
	for _, root := range c.Roots {
		if len(s.Roots) < maxRoots && fits(root) {
			s.Roots = append(s.Roots, v1alpha1.Path(root))
		}
	}
	if len(s.Roots) < len(c.Roots) {
		s.RootsTotal = int64(len(c.Roots))
	}
	return s
}

func usageOf(o runtime.Outcome) *v1alpha1.Usage {
	if o.Usage == nil {
		return nil
	}
	return &v1alpha1.Usage{
		WallMillis: o.Duration.Milliseconds(), CPUMillis: o.Usage.UserMillis + o.Usage.SystemMillis, MemoryBytes: o.Usage.MaxRSSKiB << 10,
	}
}

func timeOf(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return new(metav1.NewTime(t))
}
