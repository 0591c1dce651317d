package engine

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Validate judges the tool of a run step (spec §8.1, §8.7). Errors are *fault.Error of
// kind BadArgument or PathRefused, or StepUnavailable where the driver can't serve it.
// Scope entries have at most maxDepth segments.
func (d RunDeclaration) Validate(driver Driver, maxDepth int) (Capability, error) {
	at := place{kind: Run}
	if d.Image == "" && len(d.Command) == 0 {
		return Capability{}, at.refuse(fault.ReasonMissing, "neither image nor command is given").WithHint("name what to run")
	}
	if len(d.Scope) == 0 {
		reason := fault.ReasonMissing
		if d.Scope != nil {
			reason = fault.ReasonType
		}
		return Capability{}, at.refuse(reason, "scope is missing or empty").WithHint("list the globs that the command may touch")
	}
	c := Capability{Extensions: []string{"*"}, Mode: InPlace}
	var err error
	if c.Scope, err = glob.ParseEntries(d.Scope, glob.RunScope, maxDepth); err != nil {
		return Capability{}, err
	}
	if c.Needs, err = declaredNeeds(at, d.Needs); err != nil {
		return Capability{}, err
	}
	if err := reach(at, d.Access, d.Writes, &c); err != nil {
		return Capability{}, err
	}
	if c.Exec, err = d.exec(at); err != nil {
		return Capability{}, err
	}
	c.Exec.Image = d.Image
	return c, c.served(driver)
}

// served refuses what the driver can't serve: nothing else could run in its place.
func (c Capability) served(driver Driver) error {
	what := ""
	for _, need := range c.Needs {
		if !slices.Contains(driver.Needs, need) {
			what = "the need " + string(need)
		}
	}
	switch {
	case what != "":
	case !slices.Contains(driver.Modes, InPlace):
		what = "mode InPlace"
	case !slices.Contains(driver.Accesses, c.Access):
		what = "access " + string(c.Access)
	case len(c.Exec.Command) == 0 && !driver.Images:
		return fault.New(fault.StepUnavailable, "", "", "there is no command, and this driver can't run an image's own").
			WithHint("give the step a command")
	default:
		return nil
	}
	return fault.New(fault.StepUnavailable, "", "", "this driver doesn't serve %s", what).
		WithHint("run it where it is served, or change the step")
}

// PlanRun answers for a run step: one invocation of an anonymous engine whose id is the
// step's name (spec §8.7). q.Kind is ignored.
func (r *Registry) PlanRun(step string, c Capability, q Query) (Selection, error) {
	q.Kind = Run
	selected, err := r.selectFor(q)
	if err != nil {
		return Selection{}, err
	}
	b := &builder{query: q, registry: r, selected: selected}
	d := b.open(Candidate{EngineID: step}, c)
	d.assign(selected)
	b.draft = append(b.draft, d)
	return b.finish(), nil
}
