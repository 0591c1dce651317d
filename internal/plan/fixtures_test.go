package plan

import (
	"encoding/json"
	"testing"

	"github.com/fettle-dev/fettle/internal/engine"
)

const depth = 32

// everything is a driver that serves all there is.
var everything = engine.Driver{
	Needs:    []engine.Need{engine.NeedDelete, engine.NeedMkdir, engine.NeedRename},
	Modes:    []engine.Mode{engine.InPlace, engine.Filter, engine.Delta},
	Accesses: []engine.Access{engine.Mount, engine.Facade},
	Images:   true,
}

// capability returns a sound declaration for files of any extension.
func capability(mode engine.Mode) engine.CapabilityDeclaration {
	return engine.CapabilityDeclaration{Extensions: []string{"*"}, Mode: mode, Scope: []string{"**"}, Invoke: engine.Invoke{Command: []string{"tool"}}}
}

func lintCapability(mode engine.Mode) engine.CapabilityDeclaration {
	d, fixable := capability(mode), true
	d.Fixable = &fixable
	return d
}

func checkCapability() engine.CapabilityDeclaration {
	return engine.CapabilityDeclaration{Extensions: []string{"*"}, Invoke: engine.Invoke{Command: []string{"tool"}}}
}

func registry(t *testing.T, driver engine.Driver, decls ...engine.Declaration) *engine.Registry {
	t.Helper()
	r, err := engine.NewRegistry(decls, driver, depth)
	if err != nil {
		t.Fatalf("NewRegistry: %v", err)
	}
	return r
}

// rules are those of a pipeline with one capability of each kind, in place.
func rules(t *testing.T) Rules {
	t.Helper()
	return Rules{MaxDepth: depth, Engines: registry(t, everything, engine.Declaration{
		ID:      "e",
		Formats: []engine.CapabilityDeclaration{capability(engine.InPlace)},
		Lints:   []engine.CapabilityDeclaration{lintCapability(engine.InPlace)},
		Checks:  []engine.CapabilityDeclaration{checkCapability()},
	})}
}

// steps reads steps from JSON.
func steps(t *testing.T, list string) []Step {
	t.Helper()
	var raws []json.RawMessage
	if err := json.Unmarshal([]byte(list), &raws); err != nil {
		t.Fatalf("steps %s: %v", list, err)
	}
	parsed, err := ParseSteps(raws)
	if err != nil {
		t.Fatalf("steps %s: %v", list, err)
	}
	return parsed
}
