package apiservertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/manifest"
)

// examples are the manifests that the repository shows, by file: one object each.
func examples(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"examples/manifests/*.yaml", "examples/demo/pipeline.yaml", "engines/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got %d files, error %v, want some", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(file, "../../")] = string(text)
		}
	}
	return texts
}

// object returns what a text holds, and its kind and namespace.
func object(t *testing.T, text string) (content map[string]any, kind, namespace string) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	kind, _ = content["kind"].(string)
	namespace = "default"
	if metadata, ok := content["metadata"].(map[string]any); ok && metadata["namespace"] != nil {
		namespace, _ = metadata["namespace"].(string)
	}
	return content, kind, namespace
}

func TestAShownManifestIsAcceptedByBothWithTheSameDefaults(t *testing.T) {
	c := client(t)
	for file, text := range examples(t) {
		t.Run(file, func(t *testing.T) {
			set, err := manifest.Load(t.Context(), manifest.Input{Name: file, Data: []byte(text)})
			if err != nil {
				t.Fatal(err)
			}
			content, kind, namespace := object(t, text)
			name := content["metadata"].(map[string]any)["name"].(string)
			raw, err := c.Patch(types.ApplyPatchType).AbsPath(path(kind, namespace), name).
				Param("dryRun", "All").Param("fieldManager", "test").Param("fieldValidation", "Strict").
				Body([]byte(text)).Do(t.Context()).Raw()
			if err != nil {
				t.Fatalf("server: %v: %s", err, raw)
			}
			offline, server := specs(t, set, raw)
			if diff := cmp.Diff(server, offline); diff != "" {
				t.Errorf("the server's object and ours differ (-server +offline):\n%s", diff)
			}
		})
	}
}

// specs returns the spec of the only object of a set, and of the same kind what a server has
// answered.
func specs(t *testing.T, set *manifest.Set, raw []byte) (offline, server any) {
	t.Helper()
	decode := func(into any) {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case len(set.Pipelines) == 1:
		var o v1alpha1.DevPipeline
		decode(&o)
		return set.Pipelines[0].Value.Spec, o.Spec
	case len(set.Runs) == 1:
		var o v1alpha1.DevPipelineRun
		decode(&o)
		return set.Runs[0].Value.Spec, o.Spec
	case len(set.Engines) == 1:
		var o v1alpha1.DevEngine
		decode(&o)
		return set.Engines[0].Value.Spec, o.Spec
	case len(set.Policies) == 1:
		var o v1alpha1.DevPolicy
		decode(&o)
		return set.Policies[0].Value.Spec, o.Spec
	}
	t.Fatalf("got %+v, want one object", set)
	return nil, nil
}

const (
	pipelineHead = "apiVersion: fettle.dev/v1alpha1\nkind: DevPipeline\nmetadata: {name: web}\nspec:\n"
	engineHead   = "apiVersion: fettle.dev/v1alpha1\nkind: DevEngine\nmetadata: {name: vet}\nspec:\n  image: i\n"
	policyHead   = "apiVersion: fettle.dev/v1alpha1\nkind: DevPolicy\nmetadata: {name: teams}\nspec:\n"
)

// pipeline returns a pipeline whose spec has the given line, and a good one for each member
// that it needs and the line isn't about.
func pipeline(line string) string {
	text := pipelineHead + "  " + line + "\n"
	for _, needed := range []string{
		"source: {persistentVolumeClaim: {claimName: c}}", "workspace: {acquire: ['**']}", "steps: [{name: save, write: {}}]",
	} {
		member, _, _ := strings.Cut(needed, ":")
		if !strings.HasPrefix(line, member+":") {
			text += "  " + needed + "\n"
		}
	}
	return text
}

func engine(line string) string { return engineHead + "  " + line + "\n" }

func TestABadManifestIsRefusedByBothInTheSameWords(t *testing.T) {
	c := client(t)
	for _, tt := range []struct{ name, text string }{
		{"an unknown field", pipeline("stepz: []")},
		{"an unknown field in an item", pipeline("steps: [{name: a, write: {}, when: x}]")},
		{"an unknown field of metadata", strings.Replace(pipeline("suspend: true"), "{name: web}", "{name: web, lables: {}}", 1)},
		{"two unknown fields", pipeline("workspace: {acquire: ['**'], bounds: {maxLines: 1, maxWords: 1}}")},
		{"a field given twice", pipeline("mode: Apply\n  mode: Check")},
		{"no spec", strings.TrimSuffix(pipelineHead, "spec:\n")},
		{"a spec without anything", pipelineHead + "  {}\n"},
		{"a name in upper case", strings.Replace(pipeline("suspend: true"), "{name: web}", "{name: Web}", 1)},
		{"a name that is too long", strings.Replace(pipeline("suspend: true"), "{name: web}", "{name: "+strings.Repeat("w", 53)+"}", 1)},
		{"a label that is no label", strings.Replace(pipeline("suspend: true"), "{name: web}", "{name: web, labels: {a: 'b c'}}", 1)},
		{"a label that is a number", strings.Replace(pipeline("suspend: true"), "{name: web}", "{name: web, labels: {a: 1}}", 1)},
		{"a text for a truth value", pipeline("suspend: maybe")},
		{"a list for an object", pipeline("source: []")},
		{"an unknown mode", pipeline("mode: Fix")},
		{"two sources", pipeline("source: {configMap: {name: a}, persistentVolumeClaim: {claimName: b}}")},
		{"no source", pipeline("source: {}")},
		{"a step of two actions", pipeline("steps: [{name: a, write: {}, check: {}}]")},
		{"a step of no action", pipeline("steps: [{name: a}]")},
		{"a step whose action has no value", pipeline("steps: [{name: a, check: null}]")},
		{"two steps of one name", pipeline("steps: [{name: a, write: {}}, {name: a, check: {}}]")},
		{"too many steps", pipeline("steps: [" + strings.Repeat("{name: a, write: {}}, ", 65) + "]")},
		{"a bound below one", pipeline("workspace: {acquire: ['**'], bounds: {maxFiles: 0}}")},
		{"a size below one", pipeline("workspace: {acquire: ['**'], bounds: {maxBytesPerFile: 0}}")},
		{"a size that is no quantity", pipeline("workspace: {acquire: ['**'], bounds: {maxBytesPerFile: big}}")},
		{"a duration without unit", pipeline("timeout: '30'")},
		{"a duration of nothing", pipeline("timeout: 0s")},
		{"a pattern that is too long", pipeline("workspace: {acquire: ['" + strings.Repeat("a", 1025) + "']}")},
		{"too many patterns", pipeline("workspace: {acquire: [" + strings.Repeat("a, ", 257) + "]}")},
		{"publishing without a repository", pipeline("publish: {git: {branch: b}}")},
		{"credentials in a URL", pipeline("source: {git: {url: 'https://u:p@example.com/r.git'}}")},
		{"two engines of one name", pipeline("engines: [{ref: a}, {ref: b, name: a}]")},
		{"an inline engine without a name", pipeline("engines: [{inline: {image: i, checks: [{extensions: [go], command: [vet]}]}}]")},
		{"an empty selection", pipeline("steps: [{name: a, format: {paths: []}}]")},
		{"a run without a scope", pipeline("steps: [{name: a, run: {command: [x]}}]")},
		{"a run of nothing", pipeline("steps: [{name: a, run: {scope: ['**']}}]")},
		{"lines that end before they start", pipeline("steps: [{name: a, readLines: {path: a, start: 2, end: 1}}]")},
		{"a path outside", pipeline("source: {configMap: {name: a, items: [{key: a, path: ../a}]}}")},
		{"several mistakes", pipeline("mode: Fix\n  suspend: 1\n  timeout: never")},
		{"a capability in place without a scope", engine("formats: [{extensions: [go], mode: InPlace, command: [gofmt]}]")},
		{"access of a filter", engine("formats: [{extensions: [go], mode: Filter, access: Mount, command: [gofmt]}]")},
		{"a lint that has fixes and can't fix", engine("lints: [{extensions: [go], mode: Delta, generates: true, fixArgs: [-f], command: [x]}]")},
		{"an unknown need", engine("formats: [{extensions: [go], mode: Filter, needs: [chmod], command: [gofmt]}]")},
		{"an extension with a dot", engine("checks: [{extensions: [.go], command: [vet]}]")},
		{"a pattern that isn't there", engine("checks: [{extensions: [go], command: [vet], diagnostics: {format: Pattern}}]")},
		{"a separator without arguments", engine("checks: [{extensions: [go], command: [vet], paths: {as: Stdin, separator: '--'}}]")},
		{"an engine that can do nothing", engineHead},
		{"gates of an unknown mode", policyHead + "  gates: {mode: Maybe}\n"},
		{"an unknown policy on violations", policyHead + "  onViolation: Warn\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, kind, namespace := object(t, tt.text)
			server := serverVerdict(t, c, kind, namespace, tt.text)
			offline := offlineVerdict(t, tt.text)
			if server.accepted() {
				t.Errorf("the server accepts it, want a refusal")
			}
			if d := differ(server, offline); d != "" {
				t.Error(d)
			}
		})
	}
}
