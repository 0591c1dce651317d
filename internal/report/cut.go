package report

import (
	"fmt"
	"slices"
)

// cuts are the ways to make a report smaller, in the order they are tried. Each answers
// false once it has nothing left to take.
var cuts = []func(Report) (Report, bool){cutDiff, cutTails, cutDetails, cutDiagnostics, cutChanges}

func cutDiff(r Report) (Report, bool) {
	if r.Diff == "" {
		return r, false
	}
	r.Cut = append(slices.Clone(r.Cut), fmt.Sprintf("the diff of %d bytes", len(r.Diff)))
	r.Diff = ""
	return r, true
}

func cutTails(r Report) (Report, bool) {
	cut := false
	r.Invocations = slices.Clone(r.Invocations)
	for i := range r.Invocations {
		in := &r.Invocations[i]
		cut = cut || in.Stdout != nil || in.Stderr != nil
		in.Stdout, in.Stderr = nil, nil
	}
	if cut {
		r.Cut = append(slices.Clone(r.Cut), "the output of tools")
	}
	return r, cut
}

// cutDetails takes the lists that repeat, path by path, what rows and diagnostics say.
func cutDetails(r Report) (Report, bool) {
	n := len(r.Identity) + len(r.Discrepancies) + len(r.Strays) + len(r.Reads) + len(r.Written) + len(r.Unreadable) + len(r.Withheld)
	for _, in := range r.Invocations {
		if in.Containment != nil {
			n += len(in.Containment.Roots)
		}
	}
	if n == 0 {
		return r, false
	}
	r.Identity, r.Discrepancies, r.Strays, r.Reads = nil, nil, nil, nil
	r.Written, r.Unreadable, r.Withheld = nil, nil, nil
	r.Invocations = slices.Clone(r.Invocations)
	for i := range r.Invocations {
		if c := r.Invocations[i].Containment; c != nil {
			r.Invocations[i].Containment = &Containment{Kind: c.Kind, Exceeds: c.Exceeds}
		}
	}
	r.Cut = append(slices.Clone(r.Cut), fmt.Sprintf("%d entries of identity, discrepancies, strays, reads, written, unreadable, withheld and roots", n))
	return r, true
}

func cutDiagnostics(r Report) (Report, bool) {
	if len(r.Diagnostics) == 0 {
		return r, false
	}
	keep := len(r.Diagnostics) / 2
	r.Cut = append(slices.Clone(r.Cut), fmt.Sprintf("%d diagnostics", len(r.Diagnostics)-keep))
	r.Diagnostics = r.Diagnostics[:keep]
	return r, true
}

func cutChanges(r Report) (Report, bool) {
	if len(r.Changes) == 0 {
		return r, false
	}
	keep := len(r.Changes) / 2
	r.Cut = append(slices.Clone(r.Cut), fmt.Sprintf("%d rows of changes", len(r.Changes)-keep))
	r.Changes = r.Changes[:keep]
	return r, true
}
