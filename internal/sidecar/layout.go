package sidecar

import "path/filepath"

// Layout is where a Pod has its things (docs/design/2026-12-01-pods.md: what is mounted
// where).
type Layout struct {
	Workspace   string // the run's own claim: tree/, deps/ and state/, or each of them mounted below
	Source      string // the ConfigMap, or the user's claim as a whole
	Run         string // the shim's socket
	Token       string // token and ca.crt
	Home        string // of the fixer; what is below is private to an invocation
	Tmp         string // of the fixer, too
	Termination string // the file with the container's last words
}

// PodLayout is the layout below base, which is "/" but in tests.
func PodLayout(base string) Layout {
	at := func(path string) string { return filepath.Join(base, path) }
	return Layout{
		Workspace:   at("/workspace"),
		Source:      at("/source"),
		Run:         at("/fettle/run"),
		Token:       at("/var/run/secrets/fettle"),
		Home:        at("/home/fettle"),
		Tmp:         at("/tmp"),
		Termination: at("/dev/termination-log"),
	}
}

// The folders of a run's own claim.
const (
	treeFolder  = "tree"
	depsFolder  = "deps"
	stateFolder = "state"
)

// runFolder holds the state of the run within the state folder: that may be open to all,
// when another identity made it.
const runFolder = "run"

func (l Layout) tree() string  { return filepath.Join(l.Workspace, treeFolder) }
func (l Layout) state() string { return filepath.Join(l.Workspace, stateFolder, runFolder) }

// modules is where the fixer has what the dependencies phase made.
func (l Layout) modules() string { return filepath.Join(l.Workspace, "node_modules") }

func (l Layout) socket() string { return filepath.Join(l.Run, "shim.sock") }
