package policy

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Layer is one parsed Spec.
type Layer struct {
	read, write axis
	restore     bool
}

// axis is the rules of reading or of writing.
type axis struct {
	deny, allow []glob.Entry // in the order given
	hasAllow    bool
	open        bool // without an allow list everything is allowed
}

// NewLayer parses a layer. Errors are *fault.Error of kind InvalidPipeline: the class of
// a rule that doesn't parse, with the rule as path, or type for an unknown onViolation.
// Rules without a star have at most maxDepth segments.
func NewLayer(spec Spec, maxDepth int) (*Layer, error) {
	read, err := newAxis("read", spec.Read, maxDepth)
	if err != nil {
		return nil, err
	}
	write, err := newAxis("write", spec.Write, maxDepth)
	if err != nil {
		return nil, err
	}
	read.open = true
	switch spec.OnViolation {
	case "", Fail, Restore:
	default:
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "onViolation", "%q is no way to answer a violation", spec.OnViolation).
			WithHint("write Fail or Restore")
	}
	return &Layer{read: read, write: write, restore: spec.OnViolation == Restore}, nil
}

// Parse returns the policy of these layers, in order, as New and NewLayer do.
func Parse(specs []Spec, maxDepth int) (*Policy, error) {
	layers := make([]*Layer, 0, len(specs))
	for _, spec := range specs {
		l, err := NewLayer(spec, maxDepth)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	return New(layers...), nil
}

func newAxis(name string, spec Axis, maxDepth int) (axis, error) {
	a := axis{hasAllow: spec.Allow != nil}
	var err error
	if a.allow, err = rules(name+".allow", spec.Allow, maxDepth, glob.Entry.AsAllow); err != nil {
		return axis{}, err
	}
	if a.deny, err = rules(name+".deny", spec.Deny, maxDepth, glob.Entry.AsDeny); err != nil {
		return axis{}, err
	}
	return a, nil
}

// rules parses a list, whose order decides which rule a verdict names.
func rules(list string, raws []string, maxDepth int, as func(glob.Entry) glob.Entry) ([]glob.Entry, error) {
	var parsed []glob.Entry
	for i, raw := range raws {
		rule, err := glob.ParseEntry(raw, glob.Policy, maxDepth)
		if err != nil {
			return nil, inList(err, fmt.Sprintf("%s[%d]", list, i))
		}
		parsed = append(parsed, as(rule))
	}
	return parsed, nil
}

// inList says in a refusal where the rule stands.
func inList(err error, place string) error {
	e := fault.As(err)
	if e == nil {
		return fmt.Errorf("policy %s: %w", place, err)
	}
	refusal := *e
	refusal.Message = "policy " + place + ": " + e.Message
	return &refusal
}

// judge is rows 3 to 6 of spec §6.2.
func (a *axis) judge(path string, allows coverage) Verdict {
	for i := range a.deny {
		if a.deny[i].Match(path) {
			return Verdict{Reason: Denied, Rule: a.deny[i].String()}
		}
	}
	if !a.hasAllow && a.open {
		return Verdict{Allowed: true, Reason: Default}
	}
	for i := range a.allow {
		if allows(a.allow[i], path) {
			return Verdict{Allowed: true, Reason: Allowed, Rule: a.allow[i].String()}
		}
	}
	return Verdict{Reason: NotAllowed}
}
