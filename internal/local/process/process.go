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
)

// Options say where a Driver works. All paths are absolute.
type Options struct {
	Shim  string   // fettle-shim, as FindShim returns it
	State string   // a private directory outside Root, which exists: invocations live below
	Root  string   // the tree, and every tool's working directory
	Path  string   // PATH, searched after node_modules/.bin in Root, and what tools get
	Env   []string // KEY=VALUE pairs that tools get beside their clean environment
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
	for _, p := range []struct{ name, path string }{{"shim", o.Shim}, {"state", o.State}, {"root", o.Root}} {
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
