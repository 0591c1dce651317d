// Package gate says what a gated step shows to whoever decides, and which approval is
// for it (runtime spec §10).
//
// It is pure: it never asks anybody. It refuses an approval that names another digest
// than that of the payload computed from the present state.
package gate

// Payload is what a gate shows before a step (spec §10.2). Lists are never nil in its
// JSON form but for MayCreate of a step that has none.
type Payload struct {
	Step      string   `json:"step"`  // name
	Index     int      `json:"index"` // from 0; Acquire for the acquisition
	Args      any      `json:"args"`  // as authored
	Targets   []string `json:"targets"`
	MayCreate []Create `json:"mayCreate,omitzero"` // nil where a step has none
	Engines   []Engine `json:"engines"`
	Plan      string   `json:"plan"`      // digest
	Workspace string   `json:"workspace"` // digest
}

// Acquire is the index of the acquisition, which precedes all steps.
const Acquire = -1

// Create is one entry of mayCreate: a path, or a scope entry with the selector entry
// that narrows it.
type Create struct {
	Path     string `json:"path,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Selector string `json:"selector,omitempty"`
}

// Engine is what a payload says of one planned invocation.
type Engine struct {
	EngineID   string   `json:"engineId"`
	Capability int      `json:"capability"`
	Groups     []string `json:"groups"`
	Mode       string   `json:"mode"`
	Scope      []string `json:"scope"` // what the pipeline left of what is declared
	Needs      []string `json:"needs"`
}
