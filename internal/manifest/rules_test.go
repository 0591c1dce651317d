package manifest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

func schemaOf(t testing.TB, kind string) *schema {
	t.Helper()
	s, err := loadSchema(schemaFile(kind))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decoded returns the object of a text as an API server has it before defaults.
func decoded(t testing.TB, s *schema, text string) map[string]any {
	t.Helper()
	documents, _ := split(&Input{"a.yaml", []byte(text)}, 0)
	object, problems := decode(documents[0])
	if object == nil || len(problems) > 0 {
		t.Fatalf("decode: got object %v, problems %v", object, problems)
	}
	if _, err := s.coerce(object); err != nil {
		t.Fatal(err)
	}
	return object
}

// broken returns what the rules of a schema say of an object.
func broken(t testing.TB, s, full *structuralschema.Structural, object map[string]any) []string {
	t.Helper()
	validator := cel.NewValidator(s, true, celconfig.PerCallLimit)
	if validator == nil {
		return nil
	}
	errs, _ := validator.Validate(t.Context(), nil, full, object, nil, celconfig.RuntimeCELCostBudget)
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	slices.Sort(texts)
	return texts
}

// Leaving out the rules of fields that an object doesn't have changes no verdict.
func TestCompilingOnlyTheRulesOfUsedFieldsFindsTheSame(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"pipeline.yaml", "minimal.yaml", "engine.yaml", "policy.yaml", "run.yaml"} {
		texts[name] = string(example(t, name).Data)
	}
	texts["every rule of a step"] = pipeline("  steps:",
		"  - {name: a, write: {}, check: {}}",
		"  - {name: b, readLines: {path: a, start: 2, end: 1}}",
		"  - {name: c, blocks: {limits: {maxFileSize: 9999999}}}",
		"  - {name: d, blocks: {message: a, messageFrom: {}}}",
		"  - {name: e, run: {scope: [a], access: Facade, writes: InPlace, deadline: x, passPaths: {as: None, separator: '-'}}}")
	texts["defaults that are given"] = pipeline("  timeout: 0s", "  retry: {limit: 0}", "  workspace: {acquire: [], bounds: {maxTotalBytes: 0.5}, volume: {size: x}}")
	texts["rules of maps"] = pipeline("  workspace: {acquire: [], mimeTypes: {filenames: {a/b: text/plain}, extensions: {.X: text/plain}}}",
		"  pod: {labels: {fettle.dev/a: b}, annotations: {fettle.dev/c: d}}")
	texts["rules of engines"] = engine("  formats: [{extensions: [a], mode: InPlace, command: [b]}, {extensions: [a], mode: Filter, access: Facade, writes: Replace, command: [b]}]",
		"  lints: [{extensions: [a], mode: Delta, generates: true, fixArgs: [c], command: [b], diagnostics: {format: GNU, pattern: p}}]")
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			var kind struct{ Kind string }
			if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
				t.Fatal(err)
			}
			s := schemaOf(t, kind.Kind)
			object := decoded(t, s, text)
			var used uses
			used.mark(s.full, object)
			if _, err := s.complete(object); err != nil {
				t.Fatal(err)
			}
			want := broken(t, s.full, s.full, object)
			got := broken(t, withRules(s.full, s.bare, &used), s.full, object)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("broken rules (-all rules +used rules):\n%s", diff)
			}
			if !strings.HasSuffix(name, ".yaml") && len(want) == 0 {
				t.Error("got no broken rule, want some: the test would prove nothing")
			}
		})
	}
}

func TestASchemaWithoutRulesHasNone(t *testing.T) {
	for _, kind := range kinds() {
		s := schemaOf(t, kind)
		if v := cel.NewValidator(s.bare, true, celconfig.PerCallLimit); v != nil {
			t.Errorf("%s: got rules, want none", kind)
		}
		if v := cel.NewValidator(s.full, true, celconfig.PerCallLimit); v == nil && kind != "DevPipelineReport" {
			t.Errorf("%s: got no rules in the full schema: taking them out changed it", kind)
		}
	}
}

// A run can't be changed but for spec.desiredState, and stays cancelled.
func TestARunIsImmutableButForItsDesiredState(t *testing.T) {
	s := schemaOf(t, "DevPipelineRun")
	text := string(example(t, "run.yaml").Data)
	rules := cel.NewValidator(s.full, true, celconfig.PerCallLimit)
	completed := func(text string) map[string]any {
		object := decoded(t, s, text)
		if _, err := s.complete(object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	for _, tt := range []struct {
		name     string
		old, new func(string) string
		want     string
	}{
		{"nothing", same, same, ""},
		{"a label", same, replacing("namespace: team-a", "namespace: team-a, labels: {a: b}"), ""},
		{"pause", same, withState("Paused"), ""},
		{"resume", withState("Paused"), withState("Running"), ""},
		{"cancel", withState("Paused"), withState("Cancelled"), ""},
		{"resume what was cancelled", withState("Cancelled"), withState("Running"), "a run that is cancelled stays so: start another one"},
		{"the generation", same, replacing("generation: 4", "generation: 5"), "a run can't be changed but for desiredState: pipelineRef differs"},
		{"the cause", same, replacing("SpecChange", "Manual"), "a run can't be changed but for desiredState: cause differs"},
		{"a glob", same, replacing(`acquire: ["**/*.go"]`, `acquire: ["**"]`), "a run can't be changed but for desiredState: plan differs"},
		{"a default", same, replacing("  plan:\n", "  plan:\n    containment: Require\n"), "a run can't be changed but for desiredState: plan differs"},
		{"a command", same, replacing("[gofmt, -w]", "[rm, -r]"), "a run can't be changed but for desiredState: engines differ"},
		{"all engines", same, replacing(text[strings.Index(text, "  engines:"):strings.Index(text, "  policies:")], ""), "a run can't be changed but for desiredState: engines differ"},
		{"a deny rule", same, replacing(`deny: ["**/generated/**"]`, "deny: []"), "a run can't be changed but for desiredState: policies differ"},
		{"a layer", same, replacing("  - read: {}\n    write: {allow: [\"**\", \"**/.*/**\"]}\n", ""), "a run can't be changed but for desiredState: policies differ"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := tt.old(text), tt.new(text)
			if tt.name != "nothing" && before == after {
				t.Fatal("the objects are equal")
			}
			errs, _ := rules.Validate(t.Context(), nil, s.full, completed(after), completed(before), celconfig.RuntimeCELCostBudget)
			if diff := cmp.Diff(tt.want, details(errs)); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

func same(text string) string { return text }

func replacing(part, by string) func(string) string {
	return func(text string) string { return strings.Replace(text, part, by, 1) }
}

func withState(state string) func(string) string {
	return replacing("spec:\n", "spec:\n  desiredState: "+state+"\n")
}

func details(errs field.ErrorList) string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Detail)
	}
	return strings.Join(texts, "; ")
}
