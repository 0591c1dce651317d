// Package local runs a pipeline on this machine with processes in place of Pods: it
// finds where a root's state lives, runs tools through fettle-shim, works on a copy for
// a dry run, and keeps reports. It knows no Kubernetes, and it never writes into the
// tree but through the runtime.
package local

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Home is where everything lives that outlives a run: one directory per root with its
// state, and the reports. It is never inside a tree.
type Home struct {
	dir string
}

// OpenHome finds the user's state directory: $XDG_STATE_HOME/fettle, else
// ~/.local/state/fettle. Nothing is created. Without either it is BadArgument.
func OpenHome(getenv func(string) string) (Home, error) {
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return Home{dir: filepath.Join(state, "fettle")}, nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return Home{}, fault.New(fault.BadArgument, fault.ReasonMissing, "", "there is no place for state and reports: neither XDG_STATE_HOME nor HOME is an absolute path").
			WithHint("set one of them")
	}
	return Home{dir: filepath.Join(home, ".local", "state", "fettle")}, nil
}

// Root returns the state directory of a root, given by its absolute path without links:
// one runtime per root at a time means one directory per root (spec §21).
func (h Home) Root(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(h.dir, "roots", hex.EncodeToString(sum[:8]))
}

// Reports returns the store of reports.
func (h Home) Reports() Reports { return Reports{dir: filepath.Join(h.dir, "reports")} }
