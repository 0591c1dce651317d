// Package gate says what a gated step shows to whoever decides, and which decision is
// about it (runtime spec §10).
//
// It is pure: it never asks anybody and never touches a workspace. It refuses a decision
// that names another digest than that of the payload computed from the present state.
package gate

import (
	"slices"

	"github.com/fettle-dev/fettle/internal/engine"
)

// Payload is what a gate shows before a step (spec §10.2). Its JSON form is what people
// and programs see, and what is digested.
type Payload struct {
	Step      string   `json:"step"`               // its name
	Index     int      `json:"index"`              // from 0; Acquire for the acquisition
	Args      any      `json:"args"`               // as authored
	Targets   []string `json:"targets"`            // existing paths concerned, sorted
	MayCreate []Create `json:"mayCreate,omitzero"` // nil where a step has none
	Engines   []Engine `json:"engines"`
	Plan      string   `json:"plan"`      // digest of the plan
	Workspace string   `json:"workspace"` // digest of the workspace
}

// Acquire is the index of the acquisition, which precedes all steps.
const Acquire = -1

// Create says where a file may come into being: at a path, or where a scope entry, and
// the selector entry if there is a selector, match.
type Create struct {
	Path     string `json:"path,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Selector string `json:"selector,omitempty"`
}

// Engine is what a payload says of one planned invocation.
type Engine struct {
	EngineID   string        `json:"engineId"`
	Capability int           `json:"capability"`
	Groups     []string      `json:"groups"`
	Mode       engine.Mode   `json:"mode"`
	Scope      []string      `json:"scope,omitzero"` // what the pipeline left of what is declared; nil if nothing is
	Needs      []engine.Need `json:"needs"`
}

// Engines describes planned invocations, in their order.
func Engines(list []engine.Invocation) []Engine {
	engines := make([]Engine, 0, len(list))
	for _, inv := range list {
		e := Engine{
			EngineID:   inv.EngineID,
			Capability: inv.Capability,
			Groups:     orEmpty(inv.Groups),
			Mode:       inv.Mode,
			Needs:      orEmpty(inv.Needs),
		}
		if inv.Scope != nil {
			e.Scope = inv.Scope.Strings()
		}
		engines = append(engines, e)
	}
	return engines
}

// Digest returns the digest that an approval of the payload must name (spec §10.3). It
// orders targets and makes absent lists empty, so that equal payloads have one form.
func (p Payload) Digest() (string, error) {
	p.Targets = slices.Compact(slices.Sorted(slices.Values(p.Targets)))
	p.Targets, p.Engines = orEmpty(p.Targets), orEmpty(p.Engines)
	return Digest(p)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
