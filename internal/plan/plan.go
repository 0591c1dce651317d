// Package plan holds the resolved steps of a pipeline, validates them before anything
// runs, and decides what to do next (runtime spec §8.1, §8.9, §8.10, §10.1).
//
// It is pure: it never runs a step, asks a disk, a clock or a gate. It refuses a plan
// whose arguments, engines or order can be seen to be wrong from the plan alone.
package plan

import "encoding/json"

// Plan is an ordered list of steps. They run strictly one after the other (spec §8.1).
type Plan struct {
	Steps []Step
	Gates GateMode // of every step that doesn't say otherwise; "" is GateNever
}

// Step is one step: a name for people, its arguments, and what overrides the plan's
// gates.
type Step struct {
	Name string   // by default the kind
	Gate GateMode // "" is the plan's
	Args Args
}

// Kind returns the kind of the step's arguments.
func (s Step) Kind() Kind { return s.Args.Kind() }

// MarshalJSON writes the step as authors do: its name, and its arguments under its kind.
func (s Step) MarshalJSON() ([]byte, error) {
	doc := map[string]any{"name": s.Name, string(s.Kind()): s.Args}
	if s.Gate != "" {
		doc["gates"] = map[string]GateMode{"mode": s.Gate}
	}
	return json.Marshal(doc)
}
