package reread

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
)

// reasonUnaddressable is that of spec §9.3, for a new file.
const reasonUnaddressable fault.Reason = "unaddressable"

// violation reports a violation of a known path: before whatever else is said of it.
func (r *round) violation(v *Violation) {
	message := fmt.Sprintf("%s changed the file, and the policy doesn't let it be written (%s)", r.p.inv.Engine, v.Rule)
	if v.Restored {
		message += "; it was put back"
	}
	r.report(diagnostic.Diagnostic{
		Path: v.Path, Reason: string(fault.ReasonPolicyViolation), Rule: v.Rule, Restored: r.restored(v), Message: message,
	})
	r.change(v.Path)
}

// restored is what a diagnostic says of it: nothing, where nothing is ever restored.
func (r *round) restored(v *Violation) *bool {
	if !r.policy.Restores() && !v.Restored {
		return nil
	}
	done := v.Restored
	return &done
}

// refusedNew says whether the policy keeps a new file out, and by which rule: that of
// writing first.
func (r *round) refusedNew(path string) (rule string, refused bool) {
	if verdict := r.policy.CanWrite(path); !verdict.Allowed {
		return ruleOf(verdict), true
	}
	if verdict := r.policy.CanRead(path); !verdict.Allowed {
		return ruleOf(verdict), true
	}
	return "", false
}

// refuseNew reports a new file that the policy keeps out. If it is writing that is
// refused, making the file was a violation.
func (r *round) refuseNew(path, rule string) {
	r.outcome(path, NotAdmitted)
	d := diagnostic.Diagnostic{Path: path, Reason: string(fault.ClassPolicy), Rule: rule}
	v := r.violations[path]
	if v == nil && !r.policy.CanWrite(path).Allowed {
		v = &Violation{Path: path, Rule: rule, New: true}
		r.violations[path] = v
	}
	switch {
	case v == nil:
		d.Message = fmt.Sprintf("%s made the file, and the policy doesn't let it be read (%s)", r.p.inv.Engine, rule)
	case v.Restored:
		d.Message = fmt.Sprintf("%s made the file, and the policy doesn't let it be written (%s); it was removed", r.p.inv.Engine, rule)
	default:
		d.Message = fmt.Sprintf("%s made the file, and the policy doesn't let it be written (%s)", r.p.inv.Engine, rule)
	}
	if v != nil {
		d.Restored = r.restored(v)
	}
	r.report(d)
}

// reportViolations reports those of which nothing is to be seen: sources of kept moves,
// and what an earlier attempt undid.
func (r *round) reportViolations() {
	for _, path := range slices.Sorted(maps.Keys(r.violations)) {
		v := r.violations[path]
		if slices.ContainsFunc(r.errors, func(d diagnostic.Diagnostic) bool { return d.Path == printable(path) && d.Rule != "" }) {
			continue
		}
		if v.New {
			r.refuseNew(path, v.Rule)
			continue
		}
		r.violation(v)
		if !slices.ContainsFunc(r.outcomes, func(o Outcome) bool { return o.Path == path }) {
			r.outcome(path, PolicyViolation)
		}
	}
}

// inadmissible reports a file that can't be admitted, and what that means.
func (r *round) inadmissible(path string, reason fault.Reason, cause error, meaning string) {
	message := fmt.Sprintf("the file %s; %s", r.explain(reason), meaning)
	if cause != nil {
		message += fmt.Sprintf(" (%v)", cause)
	}
	r.report(diagnostic.Diagnostic{Path: path, Reason: string(reason), Message: message})
}

func (r *round) explain(reason fault.Reason) string {
	switch reason {
	case fault.ClassLink:
		return "is, or lies behind, a symbolic link, which is never followed"
	case fault.ReasonNotRegular:
		return "isn't a regular file any more"
	case reasonReadError:
		return "can't be read"
	case fault.ReasonNonText:
		return "isn't text, by name or by bytes"
	case fault.ReasonMaxBytesPerFile:
		return fmt.Sprintf("is larger than bounds.maxBytesPerFile (%d)", r.env.Bounds.MaxBytesPerFile)
	case fault.ReasonMaxFiles:
		return fmt.Sprintf("is one more than bounds.maxFiles (%d)", r.env.Bounds.MaxFiles)
	case fault.ReasonMaxTotalBytes:
		return fmt.Sprintf("takes the workspace over bounds.maxTotalBytes (%d)", r.env.Bounds.MaxTotalBytes)
	}
	return "has a name that can't be written as a path"
}
