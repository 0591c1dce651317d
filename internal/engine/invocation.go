package engine

import (
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// Invocation is one capability applied to the paths that a step resolved for it (spec
// §8.7). What is withheld (spec §12.2) is taken off at dispatch, not here.
type Invocation struct {
	EngineID   string
	Kind       Kind
	Capability int          // index in the engine's list of Kind; 0 for run
	Groups     []string     // the extension groups it won, sorted; nil if it was arbitrated without group
	Paths      []string     // by group, sorted within each; may be empty
	Scope      glob.Entries // nil if none is declared: everything
	Selector   glob.Entries // what the step's author selected; nil is the whole workspace
	Needs      []Need
	Mode       Mode
	Access     Access
	Writes     Writes
	ReadOnly   bool // a check, or a lint that doesn't fix (spec §8.10)
	Fix        bool // for lints: the tool is asked to fix
	Generating bool
	Exec       Exec

	// OutsideScope counts the selected paths of its groups outside its scope.
	OutsideScope int
}

// Region returns what the invocation may create and its envelope covers, but for
// recorded renames (spec §11.2, §12.3).
func (i Invocation) Region() *glob.Region { return glob.NewRegion(i.scope(), i.Selector) }

// scope is what is enforced: everything where nothing is declared (spec §8.11, §10.2).
func (i Invocation) scope() glob.Entries {
	if i.Scope == nil {
		return glob.Everything()
	}
	return i.Scope
}

// SkipReason says why a group of paths or an invocation comes to nothing (spec §8.7).
type SkipReason = fault.Reason

// The skip reasons of spec §8.7.
const (
	NoCapability          SkipReason = "no-capability"
	SuppressedBySelection SkipReason = "suppressed-by-selection"
	WriteDenied           SkipReason = "write-denied"
	ReadDenied            SkipReason = "read-denied"
)

// Skip records what a step doesn't do and why.
type Skip struct {
	Reason     SkipReason
	Groups     []string // the extension groups concerned; nil if none is
	EngineID   string   // of WriteDenied and ReadDenied
	Capability int      // of WriteDenied and ReadDenied
	Paths      int      // how many selected paths are concerned
}
