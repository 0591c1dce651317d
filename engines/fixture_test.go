package engines_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/engines"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/diagnostic/adapter"
	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

// npmEnv names a directory with the Node tools, in place of hack/npm/node_modules.
const npmEnv = "FETTLE_NPM_TOOLS"

// bench is a machine with the tools: where they are, and the shim that runs them.
type bench struct {
	shim string
	npm  string // a node_modules
	path string // PATH
}

// workshop is made once, by the first test that needs it: what a test main looks at
// before the tests run is unknown to go's cache of results.
type workshop struct {
	dir  string
	once sync.Once
	bench
	err error
}

var shop workshop

func TestMain(m *testing.M) {
	os.Exit(inDir(m))
}

func inDir(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-engines-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	shop.dir = dir
	return m.Run()
}

// open returns the bench; without its tools the test fails.
func (w *workshop) open(t *testing.T) bench {
	t.Helper()
	w.once.Do(func() { w.bench, w.err = newBench(w.dir) })
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.bench
}

func newBench(dir string) (bench, error) {
	npm := os.Getenv(npmEnv)
	if npm == "" {
		npm = filepath.Join("..", "hack", "npm", "node_modules")
	}
	npm, err := filepath.Abs(npm)
	if err != nil {
		return bench{}, err
	}
	bin := filepath.Join(npm, ".bin")
	for _, tool := range []string{"prettier", "eslint", "tsc"} {
		if _, err := os.Stat(filepath.Join(bin, tool)); err != nil {
			return bench{}, fmt.Errorf("these tests run the real tools, and %s isn't there: run `make npm`, or set %s to a node_modules that has them (%w)", tool, npmEnv, err)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return bench{}, fmt.Errorf("find gofmt: %w", err)
	}
	shim, err := shimtest.Build(dir)
	if err != nil {
		return bench{}, err
	}
	goBin := filepath.Join(strings.TrimSpace(string(root)), "bin")
	return bench{shim: shim, npm: npm, path: strings.Join([]string{goBin, bin, os.Getenv("PATH")}, ":")}, nil
}

// tree is a directory that a tool works on. Beside it stands node_modules, where Node
// finds what the project's configuration imports.
type tree struct {
	t      *testing.T
	root   string
	driver *process.Driver
}

// plant makes a tree of these files.
func plant(t *testing.T, files map[string]string) *tree {
	t.Helper()
	b, above := shop.open(t), t.TempDir()
	if err := os.Symlink(b.npm, filepath.Join(above, "node_modules")); err != nil {
		t.Fatal(err)
	}
	tr := &tree{t: t, root: filepath.Join(above, "tree")}
	if err := os.Mkdir(tr.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		tr.write(name, text)
	}
	driver, err := process.New(process.Options{Shim: b.shim, State: t.TempDir(), Root: tr.root, Path: b.path})
	if err != nil {
		t.Fatal(err)
	}
	tr.driver = driver
	return tr
}

func (tr *tree) write(name, text string) {
	tr.t.Helper()
	full := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// file is what a test compares of one.
type file struct {
	text  string
	inode uint64
}

// files returns everything below the root, by path.
func (tr *tree) files() map[string]file {
	tr.t.Helper()
	found := map[string]file{}
	err := filepath.WalkDir(tr.root, func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Lstat(full)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(tr.root, full)
		if err != nil {
			return err
		}
		found[name] = file{string(text), info.Sys().(*syscall.Stat_t).Ino}
		return nil
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return found
}

// paths returns the files that a capability is for, sorted.
func (tr *tree) paths(extensions []string) []string {
	var list []string
	for name := range tr.files() {
		if slices.Contains(extensions, strings.TrimPrefix(filepath.Ext(name), ".")) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// tool is one capability of a published engine, as an invocation has it.
type tool struct {
	engine     string
	extensions []string
	command    []string
	writes     v1alpha1.Writes
	paths      engine.PathArgs
	v1alpha1.Invocation
}

// load returns the engine that comes with Fettle, validated as an API server would.
func load(t *testing.T, name string) v1alpha1.EngineSpec {
	t.Helper()
	all, err := engines.Manifests()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Name != name {
			continue
		}
		set, err := manifest.Load(context.Background(), manifest.Input{Name: m.Name, Data: m.Data})
		if err != nil {
			t.Fatalf("engine %s: %v", name, err)
		}
		if len(set.Engines) != 1 || set.Engines[0].Value.Name != name {
			t.Fatalf("the manifest of %s holds %d engines", name, len(set.Engines))
		}
		return set.Engines[0].Value.Spec
	}
	t.Fatalf("there is no engine %s", name)
	return v1alpha1.EngineSpec{}
}

// toolOf returns an engine's only capability; of a lint, the fixing one.
func toolOf(t *testing.T, name string) tool {
	t.Helper()
	spec := load(t, name)
	of := func(c v1alpha1.Capability, writes v1alpha1.Writes, more ...string) tool {
		return tool{
			engine: name, extensions: c.Extensions, command: slices.Concat(c.Command, more), writes: writes,
			paths:      engine.PathArgs{As: engine.PathsAs(c.Paths.As), Separator: c.Paths.Separator},
			Invocation: c.Invocation,
		}
	}
	switch {
	case len(spec.Formats) == 1:
		return of(spec.Formats[0].Capability, spec.Formats[0].Writes)
	case len(spec.Lints) == 1:
		return of(spec.Lints[0].Capability, spec.Lints[0].Writes, spec.Lints[0].FixArgs...)
	default:
		return of(spec.Checks[0].Capability, "")
	}
}

// run runs the tool over paths and returns its diagnostics as the workspace has them.
func (tr *tree) run(tl tool, paths []string) (driver.Result, []diagnostic.Diagnostic, error) {
	tr.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	var findings []int
	if tl.ExitCodes != nil {
		for _, c := range tl.ExitCodes.Findings {
			findings = append(findings, int(c))
		}
	}
	result, err := tr.driver.Run(ctx, driver.Request{
		Engine: tl.engine, Command: tl.command, Paths: paths, Passing: driver.PassingOf(tl.paths), Findings: findings,
	})
	if err != nil {
		return result, nil, err
	}
	a, err := adapter.New(engine.Diagnostics{
		Format:  engine.DiagnosticsFormat(tl.Diagnostics.Format),
		Pattern: tl.Diagnostics.Pattern,
		Stream:  engine.Stream(tl.Diagnostics.Stream),
	})
	if err != nil {
		return result, nil, err
	}
	run := adapter.Run{Engine: tl.engine, ExitCode: result.ExitCode, Findings: result.Findings}
	for _, o := range result.Outputs {
		run.Outputs = append(run.Outputs, adapter.Output{Stdout: o.Stdout.Head, Stderr: o.Stderr.Head})
	}
	found, err := a.Read(run)
	known := tr.files()
	normal, notes := adapter.Normalise(found, tl.engine, adapter.Place{
		Roots: []string{tr.root}, MaxDepth: 32,
		Known: func(p string) bool { _, ok := known[p]; return ok },
	})
	return result, append(normal, notes...), err
}
