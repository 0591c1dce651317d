package report

// Comparable returns r without what two drivers or two runs may differ in (spec §21):
// run name, times, resource use, containment, versions of images, output tails and
// attempts.
func (r Report) Comparable() Report {
	r.Run, r.StartedAt, r.DurationMillis, r.Acquisition.DurationMillis = "", "", 0, 0
	r.Steps = append([]Step(nil), r.Steps...)
	for i := range r.Steps {
		r.Steps[i].DurationMillis = 0
	}
	r.Invocations = append([]Invocation(nil), r.Invocations...)
	for i := range r.Invocations {
		in := &r.Invocations[i]
		in.Attempts, in.DurationMillis = 0, 0
		in.Containment, in.Usage, in.ImageDigest = nil, nil, ""
		in.Stdout, in.Stderr = nil, nil
	}
	return r
}
