package reread

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// allOutcomes merges the outcomes of what isn't clean with those of the rest.
func (r *round) allOutcomes(ignored []string) []Outcome {
	for i, o := range r.outcomes {
		if v := r.violations[o.Path]; v != nil && !v.New {
			r.outcomes[i].Kind = PolicyViolation
		}
	}
	slices.SortFunc(r.outcomes, compareOutcomes)
	all := merge(r.outcomes, outcomes(ignored, IgnoredPreexisting))
	all = merge(all, outcomes(r.p.Withheld, Withheld))
	return mergeMissing(all, r.p.known, Unchanged)
}

func compareOutcomes(a, b Outcome) int { return strings.Compare(a.Path, b.Path) }

func outcomes(paths []string, kind OutcomeKind) []Outcome {
	list := make([]Outcome, len(paths))
	for i, path := range paths {
		list[i] = Outcome{Path: path, Kind: kind}
	}
	return list
}

// merge merges two sorted lists.
func merge(a, b []Outcome) []Outcome {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]Outcome, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareOutcomes(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// mergeMissing adds the paths that have no outcome yet; both lists are sorted.
func mergeMissing(list []Outcome, paths []string, kind OutcomeKind) []Outcome {
	out := make([]Outcome, 0, len(list)+len(paths))
	for _, path := range paths {
		for len(list) > 0 && list[0].Path < path {
			out, list = append(out, list[0]), list[1:]
		}
		if len(list) == 0 || list[0].Path != path {
			out = append(out, Outcome{Path: path, Kind: kind})
		}
	}
	return append(out, list...)
}

// warning is the one warning of spec §14.
func (a Advisory) warning(engine string) diagnostic.Diagnostic {
	var parts []string
	for _, set := range []struct {
		name  string
		paths []string
	}{
		{"claimedUnchanged", a.ClaimedUnchanged}, {"changedUnclaimed", a.ChangedUnclaimed},
		{"claimedUnauthorized", a.ClaimedUnauthorized}, {"unparseable", a.Unparseable},
	} {
		if len(set.paths) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%s)", set.name, len(set.paths), some(set.paths)))
		}
	}
	return diagnostic.Diagnostic{
		Severity: diagnostic.Warning,
		Reason:   "advisory",
		EngineID: engine,
		Message:  "what the engine says it did isn't what the disk says: " + strings.Join(parts, ", "),
	}
}

// some names the first of a list.
func some(paths []string) string {
	const few = 3
	list := printable(strings.Join(paths[:min(few, len(paths))], ", "))
	if len(paths) > few {
		list += ", …"
	}
	return list
}
