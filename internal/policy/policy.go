// Package policy says what a run may read and write (runtime spec §6): verdicts over
// layers of allow and deny rules and the mandatory denies, always with a reason.
//
// It fails closed: no policy, no layer or a layer that couldn't be determined refuses
// everything. It never touches a disk and knows nothing of links; it is asked about
// workspace paths, and asked anew before every operation.
package policy

import "github.com/fettle-dev/fettle/internal/glob"

// Reason is why a verdict is what it is (spec §6.2).
type Reason string

// The reasons of spec §6.2.
const (
	Allowed     Reason = "allowed"
	Default     Reason = "default" // reading, where no allow list is given
	Denied      Reason = "denied"
	NotAllowed  Reason = "not-allowed"
	Mandatory   Reason = "mandatory"
	Unavailable Reason = "policy-unavailable"
)

// Verdict is the answer about one path. Rule is the rule that decided, in normalised
// form, the entry of spec §6.3 for a mandatory deny, empty where none decided.
type Verdict struct {
	Allowed bool   `json:"allowed"`
	Reason  Reason `json:"reason"`
	Rule    string `json:"rule,omitempty"`
}

// Policy is the effective policy of a run: layers in order, all of which must allow. It
// is immutable and safe for concurrent use. A nil Policy and one without layers are
// unavailable.
type Policy struct {
	layers []*Layer
	cause  error
}

// New returns the policy of these layers; a nil layer is one that couldn't be
// determined, and makes the whole unavailable.
func New(layers ...*Layer) *Policy {
	return &Policy{layers: append([]*Layer(nil), layers...)}
}

// NotAvailable returns a policy that refuses everything; cause says why, and may be nil.
func NotAvailable(cause error) *Policy { return &Policy{cause: cause} }

// Source gives the policy as it is now (spec §6.5): whoever is about to operate on a
// disk calls it and asks the result about that one operation, keeping neither result nor
// verdict for the next. A nil result is unavailable.
type Source func() *Policy

// Fixed is the source of a policy that can't change under a run, as the copy in a run's
// immutable spec.
func Fixed(p *Policy) Source { return func() *Policy { return p } }

// Available says whether p can allow anything.
func (p *Policy) Available() bool {
	if p == nil || len(p.layers) == 0 {
		return false
	}
	for _, l := range p.layers {
		if l == nil {
			return false
		}
	}
	return true
}

// Cause returns why p is unavailable, if that is known.
func (p *Policy) Cause() error {
	if p == nil {
		return nil
	}
	return p.cause
}

// Restores says whether a violation is undone: some layer says Restore (spec §6.1,
// §13.10).
func (p *Policy) Restores() bool {
	if !p.Available() {
		return false
	}
	for _, l := range p.layers {
		if l.restore {
			return true
		}
	}
	return false
}

// CanRead answers for reading the workspace path.
func (p *Policy) CanRead(path string) Verdict {
	return p.judge(func(l *Layer) Verdict { return l.read.judge(path, covers) })
}

// CanWrite answers for writing, creating, moving, removing or replacing the workspace
// path.
func (p *Policy) CanWrite(path string) Verdict {
	return p.judgeWrite(path, covers)
}

// CanMkdir answers for creating the directory dir: as CanWrite, but an allow rule that
// can cover something below dir counts, too (spec §6.4).
func (p *Policy) CanMkdir(dir string) Verdict {
	return p.judgeWrite(dir, coversOrReaches)
}

func (p *Policy) judgeWrite(path string, allows coverage) Verdict {
	if !p.Available() {
		return Verdict{Reason: Unavailable}
	}
	if rule := mandatoryRule(path); rule != "" {
		return Verdict{Reason: Mandatory, Rule: rule}
	}
	return p.judge(func(l *Layer) Verdict { return l.write.judge(path, allows) })
}

// judge returns the verdict of the first layer that refuses, else of the last.
func (p *Policy) judge(ask func(*Layer) Verdict) Verdict {
	if !p.Available() {
		return Verdict{Reason: Unavailable}
	}
	var v Verdict
	for _, l := range p.layers {
		if v = ask(l); !v.Allowed {
			return v
		}
	}
	return v
}

// coverage says whether an allow rule counts for a path.
type coverage func(rule glob.Entry, path string) bool

func covers(rule glob.Entry, path string) bool { return rule.Match(path) }

func coversOrReaches(rule glob.Entry, dir string) bool { return rule.Match(dir) || rule.Below(dir) }
