package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// guard puts one DevPolicy around the pipeline: its rules are a layer, its gates are the
// least, its limits the most. An image that it doesn't allow is refused. The lists of
// steps and engines are r's own; what they point to isn't.
func (r *Resolved) guard(p v1alpha1.DevPolicy) error {
	r.Policies = append(r.Policies, v1alpha1.PolicyLayer{
		Ref: &v1alpha1.PolicyReference{
			Name:          v1alpha1.ObjectName(p.Name),
			ObjectVersion: v1alpha1.ObjectVersion{UID: string(p.UID), Generation: p.Generation},
		},
		PolicyRules: p.Spec.PolicyRules,
	})
	if p.Spec.Gates != nil {
		r.gate(*p.Spec.Gates)
	}
	if p.Spec.Limits != nil {
		r.limit(*p.Spec.Limits)
	}
	if p.Spec.AllowedImages == nil {
		return nil
	}
	for _, image := range r.images() {
		if !slices.ContainsFunc(p.Spec.AllowedImages, func(pattern v1alpha1.Image) bool { return allows(pattern, image) }) {
			return fault.New(fault.InvalidPipeline, fault.ReasonType, "", "the policy %s doesn't allow the image %s", p.Name, image).
				WithHint("use an image that it allows, or ask whoever owns the policy")
		}
	}
	return nil
}

// strictness orders gate modes.
var strictness = []v1alpha1.GateMode{"", v1alpha1.GateNever, v1alpha1.GateMutating, v1alpha1.GateAlways}

func stricter(a, b v1alpha1.GateMode) v1alpha1.GateMode {
	if slices.Index(strictness, a) >= slices.Index(strictness, b) {
		return a
	}
	return b
}

// gate raises the pipeline's gates, and those of steps that override them, to a least.
func (r *Resolved) gate(least v1alpha1.Gates) {
	r.Plan.Gates.Mode = stricter(r.Plan.Gates.Mode, least.Mode)
	for i, s := range r.Plan.Steps {
		if s.Gates != nil {
			r.Plan.Steps[i].Gates = &v1alpha1.Gates{Mode: stricter(s.Gates.Mode, least.Mode)}
		}
	}
}

// limit lowers what the pipeline bounds. What the policy says of volumes and resources is
// the cluster driver's.
func (r *Resolved) limit(most v1alpha1.PolicyLimits) {
	b := &r.Plan.Workspace.Bounds
	b.MaxFiles = lower(b.MaxFiles, most.MaxFiles)
	b.MaxDepth = lower(b.MaxDepth, most.MaxDepth)
	b.MaxBytesPerFile = fewer(b.MaxBytesPerFile, most.MaxBytesPerFile)
	b.MaxTotalBytes = fewer(b.MaxTotalBytes, most.MaxTotalBytes)
	r.Plan.Timeout = shorter(r.Plan.Timeout, most.Timeout)
	r.Plan.InvocationDeadline = shorter(r.Plan.InvocationDeadline, most.InvocationDeadline)
	r.limitDeadlines(most.InvocationDeadline)
}

// limitDeadlines lowers the deadlines that capabilities and run steps have of their own.
func (r *Resolved) limitDeadlines(most v1alpha1.Duration) {
	own := func(d *v1alpha1.Duration) {
		if d.Duration.Duration != 0 {
			*d = shorter(*d, most)
		}
	}
	for i := range r.Engines {
		e := &r.Engines[i].Spec
		e.Formats, e.Lints, e.Checks = slices.Clone(e.Formats), slices.Clone(e.Lints), slices.Clone(e.Checks)
		for j := range e.Formats {
			own(&e.Formats[j].Deadline)
		}
		for j := range e.Lints {
			own(&e.Lints[j].Deadline)
		}
		for j := range e.Checks {
			own(&e.Checks[j].Deadline)
		}
	}
	for i, s := range r.Plan.Steps {
		if s.Run != nil {
			run := *s.Run
			own(&run.Deadline)
			r.Plan.Steps[i].Run = &run
		}
	}
}

// images lists the images that the pipeline uses.
func (r *Resolved) images() []string {
	var images []string
	for _, e := range r.Engines {
		images = append(images, string(e.Spec.Image))
	}
	for _, s := range r.Plan.Steps {
		if s.Run != nil && s.Run.Image != "" {
			images = append(images, string(s.Run.Image))
		}
	}
	if d := r.Plan.Dependencies; d != nil {
		images = append(images, string(d.Image))
	}
	return images
}

// lower returns the lower of a bound and a limit; 0 is a default that isn't filled in,
// nil no limit.
func lower(bound int32, limit *int32) int32 {
	if limit == nil || bound != 0 && bound <= *limit {
		return bound
	}
	return *limit
}

func fewer(bound, limit *v1alpha1.ByteQuantity) *v1alpha1.ByteQuantity {
	if limit == nil || bound != nil && bound.Cmp(limit.Quantity) <= 0 {
		return bound
	}
	return limit
}

func shorter(span, limit v1alpha1.Duration) v1alpha1.Duration {
	if limit.Duration.Duration == 0 || span.Duration.Duration != 0 && span.Duration.Duration <= limit.Duration.Duration {
		return span
	}
	return limit
}

func allows(pattern v1alpha1.Image, image string) bool {
	parts := strings.Split(string(pattern), "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	matched, err := regexp.MatchString("(?s)^"+strings.Join(parts, ".*")+"$", image)
	return err == nil && matched
}
