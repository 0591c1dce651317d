package status

import (
	"cmp"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/reasons"
	"github.com/fettle-dev/fettle/internal/report"
)

// maxListed is how many targets and places a gate lists.
const maxListed = 10

// Standing says where a run stands by its report. payload is what the gate was shown that
// it waits at.
func Standing(r report.Report, payload *gate.Payload) v1alpha1.RunOutcome {
	o := v1alpha1.RunOutcome{Changed: changedBySteps(r.Steps)}
	switch {
	case r.Next != nil:
		o.Next = nextOf(*r.Next)
	case r.Waiting != nil:
		o.Waiting = waitingOf(*r.Waiting, payload)
	default:
		o.Result = resultOf(r)
		o.Accounting = accountingOf(r)
	}
	if r.Error != nil {
		o.Reason = reasons.OfFault(fault.Kind(r.Error.Kind), fault.Reason(r.Error.Reason))
		o.Message = sentenceOf(*r.Error, r.Steps)
		o.FailedStep = int32Of(r.Error.Step)
	}
	return o
}

func nextOf(n report.Next) *v1alpha1.NextInvocation {
	next := &v1alpha1.NextInvocation{
		Step: int32(n.Step), Index: int32(n.Index), Engine: n.Engine, Kind: v1alpha1.CapabilityKind(n.Kind),
		Capability: int32(n.Capability), ReadOnly: n.ReadOnly,
	}
	if n.Kind == string(engine.Run) {
		next.Engine = "" // the runtime calls it by the step's name
	}
	return next
}

func waitingOf(w report.Waiting, payload *gate.Payload) *v1alpha1.GateStatus {
	g := &v1alpha1.GateStatus{Digest: v1alpha1.Digest(w.Digest)}
	if w.Step >= 0 {
		g.Step = v1alpha1.StepName(w.Name)
	}
	if payload == nil {
		return g
	}
	g.Targets = int64(len(payload.Targets))
	for _, path := range payload.Targets {
		if len(g.FirstTargets) < maxListed && fits(path) {
			g.FirstTargets = append(g.FirstTargets, v1alpha1.Path(path))
		}
	}
	for _, c := range payload.MayCreate {
		if place := placeOf(c); len(g.MayCreate) < maxListed && len(place) <= 2*maxPath {
			g.MayCreate = append(g.MayCreate, place)
		}
	}
	return g
}

// placeOf says in words where a file may come into being.
func placeOf(c gate.Create) string {
	switch {
	case c.Path != "":
		return c.Path
	case c.Selector != "":
		return c.Scope + " and " + c.Selector
	default:
		return c.Scope
	}
}

func resultOf(r report.Report) v1alpha1.RunResult {
	changed := len(r.Changes) > 0
	switch {
	case r.Error != nil && fault.Reason(r.Error.Reason) == fault.ReasonCancelled:
		return v1alpha1.ResultCancelled
	case r.Error != nil:
		return v1alpha1.ResultFailed
	case r.DryRun && changed:
		return v1alpha1.ResultChangesFound
	case r.DryRun:
		return v1alpha1.ResultClean
	case changed:
		return v1alpha1.ResultChanged
	default:
		return v1alpha1.ResultUnchanged
	}
}

// sentenceOf words a failure: where, what, why. The hint goes with the reason.
func sentenceOf(f report.Failure, steps []report.Step) string {
	var parts []string
	if f.Step != nil && *f.Step < len(steps) {
		parts = append(parts, "step "+report.Printable(cmp.Or(steps[*f.Step].Name, steps[*f.Step].Action)))
	}
	if f.Engine != "" {
		parts = append(parts, report.Printable(f.Engine))
	}
	if f.Path != "" {
		parts = append(parts, report.Printable(f.Path))
	}
	parts = append(parts, report.Printable(f.Message))
	if f.Cause != "" {
		parts = append(parts, report.Printable(f.Cause))
	}
	return strings.Join(parts, ": ")
}

// changedBySteps is how many files each step changed, as far as steps were begun.
func changedBySteps(steps []report.Step) []int64 {
	var all []int64
	begun := 0
	for i, s := range steps {
		all = append(all, int64(s.Changed))
		if s.Changed > 0 || s.State == report.StepSucceeded || s.State == report.StepFailed {
			begun = i + 1
		}
	}
	return all[:begun]
}

// Refused is the outcome of a run that can't be begun, or be gone on with ever.
func Refused(err error) v1alpha1.RunOutcome {
	e := fault.As(err)
	if e == nil {
		return v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonStepFailed, Message: err.Error()}
	}
	f := report.Failure{Path: e.Path, Engine: e.Engine, Message: e.Message}
	if e.Err != nil {
		f.Cause = e.Err.Error()
	}
	return v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: reasons.OfFault(e.Kind, e.Reason), Message: sentenceOf(f, nil)}
}

func int32Of(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(int32(*n))
}
