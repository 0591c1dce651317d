package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/engines"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

// everything is a driver that can do all that a manifest may ask for.
var everything = pipeline.Driver{
	Serves: engine.Driver{
		Needs:    []engine.Need{engine.NeedDelete, engine.NeedRename, engine.NeedMkdir},
		Modes:    []engine.Mode{engine.InPlace, engine.Filter, engine.Delta},
		Accesses: []engine.Access{engine.Mount, engine.Facade},
		Images:   true,
	},
	Publishes: true,
}

func TestEveryManifestThatIsShownCanBeUsed(t *testing.T) {
	own := embedded(t)
	for _, in := range shown(t) {
		t.Run(in.Name, func(t *testing.T) { wantUsable(t, in, own) })
	}
}

// TestFragmentsAreFieldsOfAPipeline: YAML without kind shows a part of a pipeline's spec.
func TestFragmentsAreFieldsOfAPipeline(t *testing.T) {
	own := embedded(t)
	for _, p := range pages(t) {
		for i, f := range p.fences() {
			if !f.is("yaml", "yml") || strings.Contains(f.text, "apiVersion:") {
				continue
			}
			name := fmt.Sprintf("%s#%d", p.path, i)
			t.Run(name, func(t *testing.T) {
				wantUsable(t, manifest.Input{Name: name, Data: complete(t, f.text)}, own)
			})
		}
	}
}

// shown returns the manifests of our group in Markdown and among the examples.
func shown(t *testing.T) []manifest.Input {
	t.Helper()
	var all []manifest.Input
	for _, p := range pages(t) {
		for i, f := range p.fences() {
			if f.is("yaml", "yml") && strings.Contains(f.text, "apiVersion: fettle.dev/") {
				all = append(all, manifest.Input{Name: fmt.Sprintf("%s#%d", p.path, i), Data: []byte(f.text)})
			}
		}
	}
	for _, dir := range []string{"examples", "engines"} {
		err := filepath.WalkDir(filepath.Join(repository, dir), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "repo":
				return fs.SkipDir // somebody's repository, with YAML of its own
			case !entry.Type().IsRegular() || filepath.Ext(path) != ".yaml":
				return nil
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), "apiVersion: fettle.dev/") {
				all = append(all, manifest.Input{Name: path, Data: data})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 10 {
		t.Fatalf("found %d manifests, want at least 10", len(all))
	}
	return all
}

// wantUsable loads manifests, and resolves and builds everything in them. own are the
// engines that come with Fettle.
func wantUsable(t *testing.T, in manifest.Input, own []v1alpha1.DevEngine) {
	t.Helper()
	set, err := manifest.Load(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	published := pipeline.Published{Engines: slices.Clone(own)}
	for _, e := range set.Engines {
		published.Engines = append(published.Engines, *e.Value)
	}
	for _, p := range set.Policies {
		published.Policies = append(published.Policies, *p.Value)
	}
	for _, p := range set.Pipelines {
		wantBuilt(t, p.Value.Spec, published)
	}
	for _, r := range set.Runs {
		if _, err := pipeline.Build(pipeline.FromRun(r.Value.Spec), everything); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
	for _, e := range set.Engines {
		spec := smallest(t)
		spec.Engines = []v1alpha1.PipelineEngine{{Ref: v1alpha1.ObjectName(e.Value.Name)}}
		wantBuilt(t, spec, pipeline.Published{Engines: published.Engines})
	}
	if len(set.Policies) > 0 {
		wantBuilt(t, smallest(t), published)
	}
}

func wantBuilt(t *testing.T, spec v1alpha1.DevPipelineSpec, from pipeline.Published) {
	t.Helper()
	resolved, err := pipeline.Resolve(spec, from)
	if err == nil {
		_, err = pipeline.Build(resolved, everything)
	}
	if err != nil {
		t.Error(err)
	}
}

// embedded returns the engines that come with Fettle.
func embedded(t *testing.T) []v1alpha1.DevEngine {
	t.Helper()
	all, err := engines.Manifests()
	if err != nil {
		t.Fatal(err)
	}
	var list []v1alpha1.DevEngine
	for _, m := range all {
		set, err := manifest.Load(t.Context(), manifest.Input{Name: m.Name, Data: m.Data})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, *set.Engines[0].Value)
	}
	return list
}

// smallestSpec is the least that a pipeline has.
const smallestSpec = `
source: {persistentVolumeClaim: {claimName: c}}
workspace: {acquire: ["**"]}
steps: [{name: a, readLines: {path: a, start: 1}}]
`

func smallest(t *testing.T) v1alpha1.DevPipelineSpec {
	t.Helper()
	set, err := manifest.Load(t.Context(), manifest.Input{Name: "smallest", Data: complete(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	return set.Pipelines[0].Value.Spec
}

// complete makes a pipeline of some fields of its spec.
func complete(t *testing.T, fragment string) []byte {
	t.Helper()
	var spec map[string]any
	for _, text := range []string{smallestSpec, fragment} {
		if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
	}
	data, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "DevPipeline",
		"metadata": map[string]any{"name": "fragment"}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
