// Package acquire resolves the entries of a pipeline's acquisition to concrete files and
// admits them as the workspace of a run (runtime spec §9).
//
// It works in two phases, with the caller's gate between them: Resolve finds out which
// files, Read reads them. It refuses literals that name no readable text file, skips and
// counts pattern matches that aren't admitted, and enforces the bounds while it
// collects. It never hands a pattern to the disk, never follows a link, reads nothing
// that it hasn't resolved, and changes nothing.
package acquire

import (
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Action is what happens to a pattern without match, or to a match that isn't text.
type Action string

// The actions of spec §9.3. Empty is the default: Fail for a pattern without match, Skip
// for a match that isn't text.
const (
	Fail   Action = "Fail"
	Ignore Action = "Ignore" // a pattern without match
	Skip   Action = "Skip"   // a match that isn't text
)

// Request is what a pipeline says about its workspace.
type Request struct {
	Entries          []string // literals and patterns as authored, in their order
	Exclude          glob.Exclusion
	Bounds           workspace.Bounds
	Types            *text.Types
	OnNoMatch        Action // Fail or Ignore
	OnNonText        Action // Skip or Fail
	RespectGitignore bool
}

// Source is where files come from and who has a say.
type Source struct {
	Tree      tree.Reader
	Policy    policy.Source
	Gitignore enumerate.Gitignore // nil: the driver doesn't offer it
}

// Resolution is what a request comes to before anything is read.
type Resolution struct {
	targets  []target
	skips    skips
	warnings []diagnostic.Diagnostic

	Excluded   enumerate.Count
	Gitignored enumerate.Count
}

// target is a file to read.
type target struct {
	path    string
	mime    string
	literal bool // some literal names it
}

// Paths returns the paths to be read, sorted: what a gate is shown (spec §10.2).
func (r *Resolution) Paths() []string {
	paths := make([]string, len(r.targets))
	for i, t := range r.targets {
		paths[i] = t.path
	}
	return paths
}

// Result is an acquired workspace.
type Result struct {
	Workspace *workspace.Workspace
	Baselines *workspace.Baselines
	// Warnings are one for each reason that kept matches out (spec §9.3), by reason,
	// then gitignore-unavailable if that is so (spec §5.7).
	Warnings   []diagnostic.Diagnostic
	Excluded   enumerate.Count
	Gitignored enumerate.Count
}
