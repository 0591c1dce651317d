// Package rig is what the end-to-end tests share: the programs under test, built from the
// sources as they are or with a fault planted, and worlds to run them in, each with a
// root, a state directory and a neighbourhood of its own.
//
// It runs the real command line and looks at the disk itself, never at what a report says
// of it. It never touches anything outside its test's directories.
package rig

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Programs are the programs of one build, all in one directory.
type Programs struct {
	Dir    string
	Fettle string
	Tool   string // test/tools/tool: the tools are links to it; it is a killtest launcher, too
}

// Tools are the names by which pipelines of tests find their tools in PATH.
var toolNames = [...]string{"rewriter", "replacer", "codemod", "checker", "misfit"}

// Build builds the programs into dir. The working directory must be within the module.
func Build(dir string) (Programs, error) {
	p := Programs{Dir: dir, Fettle: filepath.Join(dir, "fettle"), Tool: filepath.Join(dir, "tool")}
	if err := build(dir, nil, "./cmd/fettle", "./cmd/fettle-shim", "./test/tools/tool"); err != nil {
		return p, err
	}
	for _, name := range toolNames {
		if err := os.Link(p.Tool, filepath.Join(dir, name)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Fault is a change of one source file, by which a test sees that it would find it.
type Fault struct {
	File string // relative to the module
	Old  string // stands in the file exactly once
	New  string
}

// Plant builds a fettle and a shim with faults in them into dir. The sources on disk stay
// as they are.
func (p Programs) Plant(dir string, faults ...Fault) (Programs, error) {
	root, err := moduleRoot()
	if err != nil {
		return p, err
	}
	overlay := map[string]string{}
	for i, f := range faults {
		file := filepath.Join(root, f.File)
		source, err := os.ReadFile(file)
		if err != nil {
			return p, err
		}
		if planted, ok := overlay[file]; ok {
			if source, err = os.ReadFile(planted); err != nil {
				return p, err
			}
		}
		if n := strings.Count(string(source), f.Old); n != 1 {
			return p, fmt.Errorf("%s holds what the fault replaces %d times, want once: the code has changed, so plant it anew\n%s", f.File, n, f.Old)
		}
		planted := filepath.Join(dir, fmt.Sprintf("fault-%d.go", i))
		if err := os.WriteFile(planted, []byte(strings.Replace(string(source), f.Old, f.New, 1)), 0o600); err != nil {
			return p, err
		}
		overlay[file] = planted
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return p, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return p, err
	}
	if err := build(dir, []string{"-overlay", file}, "./cmd/fettle", "./cmd/fettle-shim"); err != nil {
		return p, err
	}
	for _, name := range append(toolNames[:], "tool") {
		if err := os.Link(filepath.Join(p.Dir, name), filepath.Join(dir, name)); err != nil {
			return p, err
		}
	}
	return Programs{Dir: dir, Fettle: filepath.Join(dir, "fettle"), Tool: filepath.Join(dir, "tool")}, nil
}

func build(dir string, flags []string, packages ...string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", dir + "/"}, flags...)
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w\n%s", packages, err, out)
	}
	return nil
}

// moduleRoot is the directory of the module that the working directory is in.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
