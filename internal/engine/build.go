package engine

import "slices"

// builder collects the invocations of one step.
type builder struct {
	query    Query
	registry *Registry
	selected []string
	draft    []draft
	skips    []Skip
}

// draft is an invocation before the policy has been asked.
type draft struct {
	Invocation
	ref Candidate
}

// groups lets the capabilities that don't generate compete for each extension group. A
// format has one winner per group, a lint has all that are left.
func (b *builder) groups() error {
	groups, members := grouped(b.selected)
	for _, g := range groups {
		candidates := b.registry.those(b.query.Kind, func(c Capability) bool { return !c.Generates && c.Handles(g) })
		if len(candidates) == 0 {
			b.skip(NoCapability, g, members[g])
			continue
		}
		left, err := arbitrate(b.query.Stages, Question{Kind: b.query.Kind, Group: g, Grouped: true}, candidates)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			b.skip(SuppressedBySelection, g, members[g])
			continue
		}
		if b.query.Kind == Format {
			left = left[:1]
		}
		for _, ref := range left {
			b.win(ref, g, members[g])
		}
	}
	return nil
}

// generating arbitrates the generating capabilities once; they come last and get all
// selected paths in their scope.
func (b *builder) generating() error {
	candidates := b.registry.those(b.query.Kind, func(c Capability) bool { return c.Generates })
	left, err := arbitrate(b.query.Stages, Question{Kind: b.query.Kind}, candidates)
	if err != nil {
		return err
	}
	for _, ref := range left {
		d := b.open(ref, b.registry.capability(b.query.Kind, ref))
		d.assign(b.selected)
		b.draft = append(b.draft, d)
	}
	return nil
}

// win gives a capability the members of one more group.
func (b *builder) win(ref Candidate, group string, members []string) {
	i := slices.IndexFunc(b.draft, func(d draft) bool { return d.ref == ref })
	if i < 0 {
		i = len(b.draft)
		b.draft = append(b.draft, b.open(ref, b.registry.capability(b.query.Kind, ref)))
	}
	d := &b.draft[i]
	d.Groups = append(d.Groups, group)
	d.assign(members)
}

func (b *builder) open(ref Candidate, c Capability) draft {
	q := b.query
	fix := q.Kind == Lint && q.Fix && c.Fixable
	return draft{ref: ref, Invocation: Invocation{
		EngineID:   ref.EngineID,
		Kind:       q.Kind,
		Capability: ref.Capability,
		Scope:      c.Scope,
		Selector:   q.Selector,
		Needs:      c.Needs,
		Mode:       c.Mode,
		Access:     c.Access,
		Writes:     c.Writes,
		ReadOnly:   q.Kind == Check || q.Kind == Lint && !fix,
		Fix:        fix,
		Generating: c.Generates,
		Exec:       c.Exec,
	}}
}

// assign adds the paths that lie in scope and counts the others.
func (d *draft) assign(paths []string) {
	d.Paths = slices.Grow(d.Paths, len(paths))
	for _, p := range paths {
		if d.inScope(p) {
			d.Paths = append(d.Paths, p)
		} else {
			d.OutsideScope++
		}
	}
}

// finish asks the policy. An invocation that loses all its paths to it is skipped; one
// that had none is dispatched: that is how generators and fixers of configuration work.
func (b *builder) finish() Selection {
	s := Selection{Selected: b.selected, Skips: b.skips}
	for _, d := range b.draft {
		inv := d.Invocation
		had := len(inv.Paths)
		inv.Paths = slices.DeleteFunc(inv.Paths, func(p string) bool { return !inv.allowed(b.query.Policy, p) })
		if had > 0 && len(inv.Paths) == 0 {
			s.Skips = append(s.Skips, Skip{Reason: inv.deniedReason(), Groups: inv.Groups, EngineID: inv.EngineID, Capability: inv.Capability, Paths: had})
			continue
		}
		s.Invocations = append(s.Invocations, inv)
	}
	return s
}

func (b *builder) skip(reason SkipReason, group string, members []string) {
	b.skips = append(b.skips, Skip{Reason: reason, Groups: []string{group}, Paths: len(members)})
}
