// Package runtime executes a plan over a tree: it acquires a workspace, runs the steps
// one after the other, and says what happened (runtime spec §8 to §18).
//
// It is the same wherever it runs. What differs comes in from outside: a tree, a place
// for state, a driver that starts tools, a gate that asks people, an observer. It knows
// no Kubernetes and starts no process. Whatever happens it returns a report, and every
// effect on the tree is in a journal before it begins, so that another process can go on
// where one stopped.
package runtime

import (
	"io"
	"time"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Config is everything that a run needs. All fields must be set but those that say
// otherwise.
type Config struct {
	Run      string // the run's name
	Pipeline string // the pipeline's name

	Plan        plan.Plan
	Digest      string // of plan and engines (spec §10.2)
	Warnings    []plan.Warning
	Engines     *engine.Registry
	Acquire     acquire.Request
	Policy      policy.Source
	Containment reread.ContainmentOption
	Deadline    time.Duration // of an invocation that has none of its own
	Timeout     time.Duration // of the whole run; 0 is none
	Retries     int           // further attempts of a tool that failed
	Only        *int          // nil, or the index of the one step to run
	DryRun      bool          // for the report: the tree is a copy
	MaxDiff     int           // bytes of the report's diff, above which it is left out; 0 is none

	Tree   tree.Tree
	State  State
	Driver Driver
	// Serves says which invocations this process runs; before another, or another attempt
	// of one, the run stops, to be resumed by a process that does. Nil serves all.
	Serves    func(report.Next) bool
	Gate      Gate
	Observer  Observer
	Gitignore enumerate.Gitignore // nil: the driver doesn't offer it
	Intercept Interceptor         // nil: none
	Now       func() time.Time
	FileTime  func() (int64, error) // the clock of the tree's file system; nil: unknown (see reread.Env)
	Random    io.Reader
	// FullCompare has every re-read compare all bytes, for a tree whose file system isn't
	// known to stamp every change.
	FullCompare bool
}

// selectorOf parses the paths of a step, which validation has let pass before.
func (c *Config) selectorOf(paths []string) (glob.Entries, error) {
	return engine.ParseSelector(paths, c.Acquire.Bounds.MaxDepth)
}
