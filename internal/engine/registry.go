package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Registry holds the validated engines of one pipeline, in its order. The zero Registry
// has none. It is immutable and safe for concurrent use.
type Registry struct {
	engines []Engine
	driver  Driver
}

// NewRegistry judges all declarations before it looks at what the driver can serve, then
// narrows them (spec §7.3). Errors are *fault.Error of kind InvalidPipeline that name
// engine, list and index. Scope entries have at most maxDepth segments.
func NewRegistry(decls []Declaration, driver Driver, maxDepth int) (*Registry, error) {
	r := &Registry{driver: driver}
	for _, d := range decls {
		e, err := d.validate(maxDepth)
		if err != nil {
			return nil, err
		}
		r.engines = append(r.engines, e)
	}
	if ids := duplicates(decls); len(ids) > 0 {
		e := fault.New(fault.InvalidPipeline, fault.ReasonType, "", "the id is declared more than once")
		e.Engine = ids[0]
		return nil, e.WithHint("name each engine once; one engine may have many capabilities")
	}
	for i, d := range decls {
		if err := r.engines[i].narrow(d.Narrowing, maxDepth); err != nil {
			return nil, err
		}
	}
	for i := range r.engines {
		r.engines[i].punch(driver)
	}
	return r, nil
}

func (d Declaration) validate(maxDepth int) (Engine, error) {
	if d.ID == "" {
		return Engine{}, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "an engine has no id").WithHint("name it")
	}
	e := Engine{ID: d.ID, Image: d.Image, VersionCommand: slices.Clone(d.VersionCommand)}
	if slices.ContainsFunc(d.VersionCommand, hasNUL) || len(d.VersionCommand) > 0 && d.VersionCommand[0] == "" {
		refusal := fault.New(fault.InvalidPipeline, fault.ReasonType, "", "versionCommand has no program, or holds NUL")
		refusal.Engine = d.ID
		return Engine{}, refusal.WithHint("list the program and its arguments")
	}
	for _, list := range []struct {
		kind Kind
		from []CapabilityDeclaration
		to   *[]Capability
	}{
		{Format, d.Formats, &e.Formats},
		{Lint, d.Lints, &e.Lints},
		{Check, d.Checks, &e.Checks},
	} {
		for i, declared := range list.from {
			c, err := declared.validate(place{d.ID, list.kind, i}, maxDepth)
			if err != nil {
				return Engine{}, err
			}
			c.Exec.Image = d.Image
			*list.to = append(*list.to, c)
		}
	}
	return e, nil
}

// punch makes a hole of every capability with a need that the driver can't serve.
func (e *Engine) punch(driver Driver) {
	for _, list := range [][]Capability{e.Formats, e.Lints, e.Checks} {
		for i := range list {
			for _, need := range list[i].Needs {
				if list[i].Hole == "" && !slices.Contains(driver.Needs, need) {
					list[i].Hole = "this driver can't serve the need " + string(need)
				}
			}
		}
	}
}

// Driver returns what the driver can serve.
func (r *Registry) Driver() Driver { return r.driver }

// Engines returns the engines in the pipeline's order. The caller must not change them.
func (r *Registry) Engines() []Engine { return r.engines }

// Engine returns the engine of an id.
func (r *Registry) Engine(id string) (Engine, bool) {
	i := slices.IndexFunc(r.engines, func(e Engine) bool { return e.ID == id })
	if i < 0 {
		return Engine{}, false
	}
	return r.engines[i], true
}

// Has reports whether some capability of the kind, and of one of the modes if any are
// given, isn't a hole.
func (r *Registry) Has(k Kind, modes ...Mode) bool {
	for c := range r.candidates(k) {
		if len(modes) == 0 || slices.Contains(modes, r.capability(k, c).Mode) {
			return true
		}
	}
	return false
}

// Unserved returns the first capability of the kind, holes left out, whose mode or access
// this build or driver doesn't implement, as "shfmt formats[0]: mode Filter".
func (r *Registry) Unserved(k Kind) (what string, found bool) {
	for ref := range r.candidates(k) {
		c, at := r.capability(k, ref), place{ref.EngineID, k, ref.Capability}
		if !slices.Contains(r.driver.Modes, c.Mode) {
			return fmt.Sprintf("%s %s: mode %s", ref.EngineID, at, c.Mode), true
		}
		if c.Mode == InPlace && !slices.Contains(r.driver.Accesses, c.Access) {
			return fmt.Sprintf("%s %s: access %s", ref.EngineID, at, c.Access), true
		}
	}
	return "", false
}

// Holes returns why capabilities of the kind can't be selected, in order.
func (r *Registry) Holes(k Kind) []string {
	var holes []string
	for _, e := range r.engines {
		for i, c := range e.Capabilities(k) {
			if c.Hole != "" {
				holes = append(holes, fmt.Sprintf("%s %s: %s", e.ID, place{e.ID, k, i}, c.Hole))
			}
		}
	}
	return holes
}

// duplicates returns the ids that occur more than once, sorted.
func duplicates(decls []Declaration) []string {
	seen := map[string]int{}
	for _, d := range decls {
		seen[d.ID]++
	}
	maps.DeleteFunc(seen, func(_ string, n int) bool { return n < 2 })
	return slices.Sorted(maps.Keys(seen))
}
