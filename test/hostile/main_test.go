// Package hostile runs fettle over everything that a disk, a tool or a user can do to it:
// full disks, permissions, files that turn into other things, odd names, tools that lie,
// hang, flood or destroy. Each must end with the right result, the right exit code, and
// words that say what is wrong; and nothing that isn't the run's may be touched.
package hostile

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/test/rig"
)

var programs rig.Programs // set by TestMain

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-hostile-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // for users that tests run as
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if programs, err = rig.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// world is a world with a tree and a pipeline of these steps.
func world(t *testing.T, tree rig.Tree, pipeline string) *rig.World {
	t.Helper()
	w := rig.NewWorld(t, programs, t.TempDir(), pipeline)
	rig.Make(t, w.Root, tree)
	return w
}

// openPolicy lets everything below src be written.
const openPolicy = `{write: {allow: ["src/**", "src/**/.fettle-*"]}}`

// steps is a pipeline over src with steps.
func steps(list ...string) string { return pipeline(openPolicy, "", list...) }

// pipeline is one with a policy and further fields of its spec, each with its line end.
func pipeline(policy, more string, list ...string) string {
	return `
apiVersion: fettle.dev/v1alpha1
kind: DevPipeline
metadata: {name: hostile}
spec:
  source: {persistentVolumeClaim: {claimName: hostile}}
  workspace: {acquire: ["src/**"]}
  policy: ` + policy + `
` + more + `  steps:
` + strings.Join(list, "")
}

// misfit is a step that runs a misfit, with the fields of a run step that are given.
func misfit(command string, more ...string) string {
	fields := append([]string{"command: [misfit, " + command + "]", `scope: ["src/**"]`, "needs: [delete, rename, mkdir]"}, more...)
	return "  - name: misfit\n    run: {" + strings.Join(fields, ", ") + "}\n"
}

// noPaths keeps a run step from appending paths to its command.
const noPaths = "passPaths: {as: None}"

// wantRows wants exactly these rows: "M path", "A path", "D path", "R from -> path".
func wantRows(t *testing.T, r report.Report, want ...string) {
	t.Helper()
	var got []string
	for _, c := range r.Changes {
		row := strings.ToUpper(c.Kind[:1]) + " " + c.Path
		switch c.Kind {
		case "modified":
			row = "M " + c.Path
		case "renamed":
			row = "R " + c.From + " -> " + c.Path
		}
		got = append(got, row)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// wantTree wants the root to hold exactly this.
func wantTree(t *testing.T, w *rig.World, want rig.Tree) {
	t.Helper()
	if diff := rig.Diff(rig.Look(t, w.Root), want); diff != "" {
		t.Errorf("the tree is another one:\n%s", diff)
	}
}

// with is a tree with some entries changed; an entry without mode takes one away.
func with(tree rig.Tree, changes rig.Tree) rig.Tree {
	changed := rig.Tree{}
	for path, e := range tree {
		changed[path] = e
	}
	for path, e := range changes {
		if e == (rig.Entry{}) {
			delete(changed, path)
			continue
		}
		if old, ok := tree[path]; ok && e.Mode.IsRegular() {
			e.Mode, e.UID, e.GID = old.Mode, old.UID, old.GID
		}
		changed[path] = e
	}
	return changed
}

// wantDiagnostic wants a diagnostic of a reason about a path, "" for none, whose message
// holds all the words.
func wantDiagnostic(t *testing.T, r report.Report, reason, path string, words ...string) {
	t.Helper()
	for _, d := range r.Diagnostics {
		if d.Reason != reason || d.Path != path {
			continue
		}
		for _, word := range words {
			if !strings.Contains(d.Message, word) {
				t.Errorf("the diagnostic %q of %q says nothing of %q: %s", reason, path, word, d.Message)
			}
		}
		return
	}
	t.Errorf("no diagnostic %q of %q among %+v", reason, path, r.Diagnostics)
}
