package runtime

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/report"
)

// Driver starts the tools of in-place capabilities: as processes here, as Pods in a
// cluster. It never looks at what a tool did to the tree.
type Driver interface {
	// Invoke runs one tool over the tree and returns when nothing of it is alive any
	// more, or when that can't be had, says so by Outcome.Alive. It returns an outcome
	// whatever happens; cancelling ctx ends the tool.
	Invoke(ctx context.Context, call Call) Outcome

	// Version is the first line that an engine's version command prints, or "" (spec
	// §18). It never fails.
	Version(ctx context.Context, e engine.Engine) string
}

// Call is one tool to run.
type Call struct {
	Name       string // unique in the run; attempts of one invocation share it
	Attempt    int    // from 1
	Invocation engine.Invocation
	Paths      []string // what it is given, relative to the root of the tree
	Deadline   time.Duration

	// Attached makes durable that there is somebody who runs the tool: a driver that
	// waits for one calls it before the tool may start, so that whoever goes on after a
	// crash knows whether the tool may have run. After an error it must not start.
	Attached func() error
}

// Outcome is what became of a tool, as far as its driver can tell.
type Outcome struct {
	Ended       string // report.EndedOK and its siblings
	Started     bool   // false: nothing was executed, the tree is as it was
	Alive       bool   // something of the tool may still run
	Lost        bool   // the attempt doesn't count: another process makes a new one
	Cause       error  // why it didn't end well; nil if it did
	ExitCode    *int
	Signal      string
	Left        int // processes that outlived the tool and were killed
	Duration    time.Duration
	Usage       *report.Usage
	Containment report.Containment
	ImageDigest string
	Stdout      *report.Tail
	Stderr      *report.Tail

	// Diagnostics are what the engine's adapter made of its output, paths and coordinates
	// as the tool printed them: the runtime normalises them, since only it knows what the
	// workspace holds after the step (spec §15). Output that can't be read is a Cause.
	Diagnostics []diagnostic.Diagnostic
	Roots       []string // absolute paths that the tool may have called the root by
	Claims      []byte   // an advisory delta (spec §14); nil if the engine makes none
}
