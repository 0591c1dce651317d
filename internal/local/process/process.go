// Package process is the local driver's way to run a tool: a process on this machine,
// started and watched by fettle-shim, in the root that a pipeline works on.
//
// Whatever happens it returns a Result that says how the tool ended, and by then nothing
// of the tool is alive. It refuses tools that aren't installed before anything runs. It
// reads no output beyond keeping it, and never touches the tree itself.
package process

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// DefaultDeadline is that of an invocation whose pipeline and capability name none
// (runtime spec §1.3).
const DefaultDeadline = 5 * time.Minute

// Options say where a Driver works. All paths are absolute.
type Options struct {
	Shim  string // fettle-shim, as FindShim returns it
	State string // a private directory outside Root, which exists: invocations live below
	Root  string // the tree, and every tool's working directory
	// Project holds the node_modules/.bin that is searched before PATH; "" is Root. A
	// run on a copy names the original.
	Project string
	Path    string   // PATH, for the search and for the tools
	Env     []string // KEY=VALUE pairs that tools get beside their clean environment
}

// Driver runs tools in one root. It is safe for concurrent use.
type Driver struct {
	options Options
	folder  string // below which each invocation has a folder

	mu       sync.Mutex
	versions map[string]func() string // by engine
}

// invocations is the name of the folder of invocations below the state directory.
const invocations = "invocations"

// New returns a driver. The folder for invocations is made; Reclaim clears what an
// earlier process left there.
func New(o Options) (*Driver, error) {
	if o.Project == "" {
		o.Project = o.Root
	}
	for _, p := range []struct{ name, path string }{{"shim", o.Shim}, {"state", o.State}, {"root", o.Root}, {"project", o.Project}} {
		if !filepath.IsAbs(p.path) {
			return nil, fmt.Errorf("process driver: %s %q is not an absolute path", p.name, p.path)
		}
	}
	folder := filepath.Join(o.State, invocations)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("process driver: %w", err)
	}
	return &Driver{options: o, folder: folder, versions: make(map[string]func() string)}, nil
}

// Request is one invocation of a tool.
type Request struct {
	Engine  string       // its id, for errors
	Command []string     // program and arguments without paths
	Paths   []string     // workspace paths, in the order to pass them
	Passing wire.Passing // zero is Arguments without separator; see PassingOf
	// Findings are the exit codes that mean that the tool ran and found something.
	Findings []int
	Deadline time.Duration // counted from exec; 0 is DefaultDeadline
	Limits   wire.Limits   // of its output; zero is the defaults of package wire
	Started  func()        // called once when the tool runs; may be nil
}

// Ended says how an invocation ended (runtime spec §12.6): OK, or the reason of the
// StepFailed that follows.
type Ended = fault.Reason

// The ends of an invocation.
const (
	OK          Ended = "ok"
	EngineError Ended = fault.ReasonEngineError
	Deadline    Ended = fault.ReasonDeadline
	Crash       Ended = fault.ReasonCrash
	Cancelled   Ended = fault.ReasonCancelled
)

// Result is the account of an invocation. It is whole however the invocation ended, as
// far as the shim lived to tell.
type Result struct {
	Ended Ended
	// Started is false iff the tool was certainly never executed: the tree is then as it
	// was, and needs no re-read. Alive is true if something of the tool may still run.
	Started  bool
	Alive    bool
	Program  string // as it was found, "" if it wasn't
	ExitCode int    // that decided; 0 unless the tool exited
	Signal   string // that ended it: SIGSEGV
	Findings bool   // ExitCode is one of the request's Findings

	// Outputs are what the tool printed, by batch of paths.
	Outputs []Output
	// Planned is how many batches there were to be; Leftovers, how many processes the
	// tool left alive, which were killed.
	Planned   int
	Leftovers int

	Wall        time.Duration
	Usage       wire.Usage
	Containment wire.Containment
}

// PassingOf returns how a capability wants its paths: a list file has one path a line, so
// paths with line feeds in them can't be passed that way.
func PassingOf(p engine.PathArgs) wire.Passing {
	return wire.Passing{As: wire.As(p.As), Separator: p.Separator, Newline: p.As == engine.PathsFile}
}

// Output is what one run of the tool printed.
type Output struct {
	Stdout, Stderr wire.Output
}
