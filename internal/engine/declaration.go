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

// Invoke is how a tool is invoked, as someone wrote it.
type Invoke struct {
	Command     []string
	Args        []string // of a run step
	FixArgs     []string // of a lint
	Paths       PathArgs
	ExitCodes   ExitCodes
	Diagnostics Diagnostics
	Deadline    *time.Duration
	Network     Network
	Resources   json.RawMessage
}

// RunDeclaration is the tool of a run step as someone wrote it (spec §8.1). Image or
// Invoke.Command is given. It is InPlace.
type RunDeclaration struct {
	Image  string
	Access Access
	Writes Writes
	Scope  []string
	Needs  []Need
	Invoke Invoke
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
