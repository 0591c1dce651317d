package crd_test

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/config/crd"
)

// maxBytes is what fits into the annotation of a client-side apply.
const maxBytes = 262_144

// definitions returns the definitions by file name, and their bytes.
func definitions(t *testing.T) (map[string]*apiextensionsv1.CustomResourceDefinition, map[string][]byte) {
	t.Helper()
	files, err := fs.Glob(crd.Bases, "bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("bases: got %d files, error %v, want some", len(files), err)
	}
	parsed := map[string]*apiextensionsv1.CustomResourceDefinition{}
	raw := map[string][]byte{}
	for _, file := range files {
		data, err := fs.ReadFile(crd.Bases, file)
		if err != nil {
			t.Fatal(err)
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, definition); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		parsed[name], raw[name] = definition, data
	}
	return parsed, raw
}

func root(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	if n := len(definition.Spec.Versions); n != 1 {
		t.Fatalf("%s: got %d versions, want 1", definition.Name, n)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// The same check that an API server makes when a definition is created: structural schema,
// valid defaults, CEL that compiles, and its cost within the budget.
func TestAnAPIServerAcceptsEachDefinition(t *testing.T) {
	parsed, _ := definitions(t)
	for name, definition := range parsed {
		t.Run(name, func(t *testing.T) {
			definition = definition.DeepCopy()
			apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
			apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
			internal := &apiextensions.CustomResourceDefinition{}
			err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, internal, nil)
			if err != nil {
				t.Fatal(err)
			}
			internal.Status.StoredVersions = []string{"v1alpha1"}
			for _, e := range validation.ValidateCustomResourceDefinition(t.Context(), internal) {
				t.Errorf("refused: %v", e)
			}
		})
	}
}

func TestEachDefinitionFitsIntoAClientSideApply(t *testing.T) {
	parsed, raw := definitions(t)
	for name, definition := range parsed {
		asJSON, err := json.Marshal(definition)
		if err != nil {
			t.Fatal(err)
		}
		for form, size := range map[string]int{"YAML": len(raw[name]), "JSON": len(asJSON)} {
			if size >= maxBytes {
				t.Errorf("%s: got %d bytes of %s, want less than %d", name, size, form, maxBytes)
			}
		}
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	parsed, _ := definitions(t)
	for name, definition := range parsed {
		walk(root(t, definition), "", func(at string, s *apiextensionsv1.JSONSchemaProps, isProperty bool) {
			if isProperty && at != ".metadata" && s.Description == "" {
				t.Errorf("%s: %s has no description", name, at)
			}
		})
	}
}

func TestEveryListMapAndStringIsBounded(t *testing.T) {
	parsed, _ := definitions(t)
	for name, definition := range parsed {
		walk(root(t, definition), "", func(at string, s *apiextensionsv1.JSONSchemaProps, _ bool) {
			switch {
			case at == ".apiVersion" || at == ".kind": // an API server compares them
			case s.Type == "array" && s.MaxItems == nil:
				t.Errorf("%s: %s is a list without maxItems", name, at)
			case s.AdditionalProperties != nil && s.MaxProperties == nil:
				t.Errorf("%s: %s is a map without maxProperties", name, at)
			case (s.Type == "string" || s.XIntOrString) && s.MaxLength == nil && len(s.Enum) == 0 && s.Format != "date-time":
				t.Errorf("%s: %s is a string without maxLength, enum or format", name, at)
			case s.XPreserveUnknownFields != nil:
				t.Errorf("%s: %s preserves unknown fields", name, at)
			}
		})
	}
}

func TestTheNumbersOfTheArchitectureHold(t *testing.T) {
	parsed, _ := definitions(t)
	pipeline := map[string]*apiextensionsv1.JSONSchemaProps{}
	walk(root(t, parsed["fettle.dev_devpipelines"]), "", func(at string, s *apiextensionsv1.JSONSchemaProps, _ bool) {
		pipeline[at] = s
	})
	for at, want := range map[string]int64{
		".spec.steps":                          64,
		".spec.engines":                        64,
		".spec.engines[].inline.formats":       32,
		".spec.engines[].inline.lints":         32,
		".spec.engines[].inline.checks":        32,
		".spec.workspace.acquire":              256,
		".spec.steps[].edit.edits":             256,
		".spec.policy.write.allow":             256,
		".spec.workspace.exclude":              256,
		".spec.steps[].run.scope":              256,
		".spec.engines[].scope":                256,
		".spec.engines[].inline.lints[].scope": 256,
	} {
		if s := pipeline[at]; s == nil || s.MaxItems == nil || *s.MaxItems != want {
			t.Errorf("%s: got %+v, want a list of at most %d", at, s, want)
		}
	}
	for _, at := range []string{".spec.workspace.acquire[]", ".spec.policy.read.deny[]", ".spec.steps[].lint.paths[]"} {
		if s := pipeline[at]; s == nil || s.MaxLength == nil || *s.MaxLength != 1024 {
			t.Errorf("%s: got %+v, want at most 1024", at, s)
		}
	}
}

func TestNamesAndColumnsAnswerWhatPeopleAsk(t *testing.T) {
	parsed, _ := definitions(t)
	for _, tt := range []struct {
		name, short string
		scope       apiextensionsv1.ResourceScope
		columns     []string // without -o wide
		status      bool
	}{
		{"fettle.dev_devpipelines", "dp", apiextensionsv1.NamespaceScoped, []string{"Ready", "Last Run", "Changed", "Age"}, true},
		{"fettle.dev_devpipelineruns", "dpr", apiextensionsv1.NamespaceScoped, []string{"Succeeded", "Reason", "Changed", "Errors", "Age"}, true},
		{"fettle.dev_devpipelinereports", "dprep", apiextensionsv1.NamespaceScoped, []string{"Kind", "Name", "Bytes", "Age"}, false},
		{"fettle.dev_devengines", "deng", apiextensionsv1.ClusterScoped, []string{"Ready", "Image", "Age"}, true},
		{"fettle.dev_devpolicies", "dpol", apiextensionsv1.ClusterScoped, []string{"Ready", "Gates", "Age"}, true},
	} {
		definition := parsed[tt.name]
		if definition == nil {
			t.Errorf("%s: there is no such definition", tt.name)
			continue
		}
		names := definition.Spec.Names
		if diff := cmp.Diff([]string{tt.short}, names.ShortNames); diff != "" {
			t.Errorf("%s: short names (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff([]string{"fettle"}, names.Categories); diff != "" {
			t.Errorf("%s: categories (-want +got):\n%s", tt.name, diff)
		}
		if definition.Spec.Scope != tt.scope {
			t.Errorf("%s: got scope %s, want %s", tt.name, definition.Spec.Scope, tt.scope)
		}
		version := definition.Spec.Versions[0]
		var columns []string
		for _, c := range version.AdditionalPrinterColumns {
			if c.Priority == 0 {
				columns = append(columns, c.Name)
			}
		}
		if diff := cmp.Diff(tt.columns, columns); diff != "" {
			t.Errorf("%s: columns (-want +got):\n%s", tt.name, diff)
		}
		if got := version.Subresources != nil && version.Subresources.Status != nil; got != tt.status {
			t.Errorf("%s: got status subresource %v, want %v", tt.name, got, tt.status)
		}
	}
	if len(parsed) != 5 {
		t.Errorf("got %d definitions, want the 5 of this test", len(parsed))
	}
}

func TestTheCompactSchemasAreTheDefinitionsWithoutDescriptions(t *testing.T) {
	parsed, _ := definitions(t)
	files, err := fs.Glob(crd.Schemas, "schemas/*.json")
	if err != nil || len(files) != len(parsed) {
		t.Fatalf("schemas: got %d files, error %v, want %d", len(files), err, len(parsed))
	}
	for name, want := range parsed {
		data, err := fs.ReadFile(crd.Schemas, "schemas/"+name+".json")
		if err != nil {
			t.Fatal(err)
		}
		got := &apiextensionsv1.CustomResourceDefinition{}
		if err := json.Unmarshal(data, got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want = want.DeepCopy()
		walk(root(t, want), "", func(_ string, s *apiextensionsv1.JSONSchemaProps, _ bool) { s.Description = "" })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: run hack/generate (-want +got):\n%s", name, diff)
		}
	}
}

// walk calls visit for a schema and all within it. It writes back what visit changes.
func walk(s *apiextensionsv1.JSONSchemaProps, at string, visit func(at string, s *apiextensionsv1.JSONSchemaProps, isProperty bool)) {
	walkNode(s, at, false, visit)
}

func walkNode(s *apiextensionsv1.JSONSchemaProps, at string, isProperty bool, visit func(string, *apiextensionsv1.JSONSchemaProps, bool)) {
	visit(at, s, isProperty)
	for name, property := range s.Properties {
		walkNode(&property, at+"."+name, true, visit)
		s.Properties[name] = property
	}
	if s.Items != nil {
		walkNode(s.Items.Schema, at+"[]", false, visit)
	}
	if s.AdditionalProperties != nil {
		walkNode(s.AdditionalProperties.Schema, at+".*", false, visit)
	}
}
