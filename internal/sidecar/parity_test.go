package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/engines"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/report"
)

// repository is the root of this module.
const repository = "../.."

// TestTheDemoIsTheSameInPodsAsOnALaptop runs it by "fettle run" and by a Pod after the
// other, with the real tools.
func TestTheDemoIsTheSameInPodsAsOnALaptop(t *testing.T) {
	tools, err := filepath.Abs(filepath.Join(repository, "hack/npm/node_modules"))
	must(t, err)
	if _, err := os.Stat(filepath.Join(tools, ".bin/eslint")); err != nil {
		t.Fatalf("%v: run make npm", err)
	}
	path := filepath.Join(tools, ".bin") + ":" + os.Getenv("PATH")

	laptop := t.TempDir()
	demoTree(t, laptop, filepath.Join(laptop, "tree"), tools)
	want := onLaptop(t, laptop, path)

	w := worldOf(t, demoSpec(t), func(base string) {
		demoTree(t, filepath.Join(base, "workspace"), filepath.Join(base, "source"), tools)
	})
	w.path = path
	if o := w.toEnd("prepare"); o.Result != v1alpha1.ResultChanged || o.Report.Cut != nil {
		t.Fatalf("outcome = %+v, want Changed with an uncut report", o)
	}
	_, got := theReport(t, w.run)

	if len(want.Changes) < 10 || len(want.Invocations) < 5 {
		t.Errorf("only %d rows of %d invocations: the test proves little", len(want.Changes), len(want.Invocations))
	}
	if diff := cmp.Diff(want.Comparable(), got.Comparable()); diff != "" {
		t.Errorf("the reports differ (-laptop +pods):\n%s", diff)
	}
	if diff := cmp.Diff(listing(t, filepath.Join(laptop, "tree")), listing(t, filepath.Join(w.base, "workspace/tree"))); diff != "" {
		t.Errorf("the trees differ (-laptop +pods):\n%s", diff)
	}
}

// demoTree copies the demo's repository to dir, with the tools' modules in above, where
// Node finds them from either.
func demoTree(t *testing.T, above, dir, modules string) {
	t.Helper()
	must(t, os.RemoveAll(dir))
	out, err := exec.Command("cp", "-a", filepath.Join(repository, "examples/demo/repo"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("copy the demo: %v: %s", err, out)
	}
	must(t, os.Symlink(modules, filepath.Join(above, "node_modules")))
}

// demoSpec is what a run copies of the demo's pipeline.
func demoSpec(t *testing.T) v1alpha1.DevPipelineRunSpec {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "examples/demo/pipeline.yaml"))
	must(t, err)
	inputs := []manifest.Input{{Name: "pipeline", Data: data}}
	all, err := engines.Manifests()
	must(t, err)
	for _, m := range all {
		inputs = append(inputs, manifest.Input{Name: m.Name, Data: m.Data})
	}
	set, err := manifest.Load(t.Context(), inputs...)
	must(t, err)
	var published []v1alpha1.DevEngine
	for _, e := range set.Engines {
		e.Value.UID, e.Value.Generation = "1", 1
		published = append(published, *e.Value)
	}
	return resolved(t, set.Pipelines[0].Value, published)
}

// onLaptop runs the demo's pipeline over dir/tree and returns the report.
func onLaptop(t *testing.T, dir, path string) report.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	run := exec.CommandContext(ctx, built.fettle, "run", "-f", filepath.Join(repository, "examples/demo/pipeline.yaml"),
		"--root", filepath.Join(dir, "tree"), "--shim", built.shim, "-o", "json")
	run.Env = []string{"PATH=" + path, "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	var r report.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("fettle run: %v: %s", err, &stderr)
	}
	if r.Error != nil {
		t.Fatalf("fettle run: %v: %s", err, r.Error.Sentence())
	}
	return r
}

// listing is every path of a tree with its mode and what it holds.
func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		var held string
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			held, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			held = string(data)
		}
		all[name] = fmt.Sprintf("%s %q", info.Mode(), held)
		return err
	}))
	return all
}
