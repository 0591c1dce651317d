package engine

import (
	"encoding/json"
	"time"
)

// Declaration is an engine as someone wrote it, not yet judged. NewRegistry judges it.
type Declaration struct {
	ID             string
	Image          string
	VersionCommand []string
	Formats        []CapabilityDeclaration
	Lints          []CapabilityDeclaration
	Checks         []CapabilityDeclaration
	Narrowing      Narrowing
}

// CapabilityDeclaration is a capability as someone wrote it (spec §7.3). Absent fields
// have their zero value; a slice is absent when nil. Fields that a list doesn't have are
// refused there.
type CapabilityDeclaration struct {
	Extensions []string
	Mode       Mode
	Access     Access
	Writes     Writes
	Scope      []string
	Needs      []Need
	Fixable    *bool
	Generates  *bool
	Invoke     Invoke
}

// Invoke is how a tool is invoked, as someone wrote it. Its JSON form is that of a run
// step.
type Invoke struct {
	Command     []string        `json:"command,omitempty"`
	Args        []string        `json:"args,omitempty"`    // of a run step
	FixArgs     []string        `json:"fixArgs,omitempty"` // of a lint
	Paths       PathArgs        `json:"passPaths,omitzero"`
	ExitCodes   ExitCodes       `json:"exitCodes,omitzero"`
	Diagnostics Diagnostics     `json:"diagnostics,omitzero"`
	Deadline    *Duration       `json:"deadline,omitempty"`
	Network     Network         `json:"network,omitempty"`
	Resources   json.RawMessage `json:"resources,omitempty"`
}

// Duration is a span of time that is written as 90s, 5m or 1h30m.
type Duration time.Duration

// MarshalText writes d as people do.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// RunDeclaration is the tool of a run step as someone wrote it (spec §8.1). Image or
// Command is given. It is InPlace.
type RunDeclaration struct {
	Image  string   `json:"image,omitempty"`
	Access Access   `json:"access,omitempty"`
	Writes Writes   `json:"writes,omitempty"`
	Scope  []string `json:"scope"`
	Needs  []Need   `json:"needs,omitempty"`
	Invoke
}

// Narrowing is what a pipeline says of an engine that it refers to. It never widens.
type Narrowing struct {
	Scope     []string        // nil leaves the scope as declared; else a path must match both
	Args      []string        // added after the command of every capability
	Resources json.RawMessage // in place of those declared, if not empty
}

// Driver says what the driver at hand can serve.
type Driver struct {
	Needs    []Need
	Modes    []Mode
	Accesses []Access
	Images   bool // a run step without command can run the image's own
}
