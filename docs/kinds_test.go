package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// kindPages are the pages of the kinds, and where in an object their fields begin.
var kindPages = []struct{ page, definition, at string }{
	{"kinds/devpipeline.md", "devpipelines", "spec"},
	{"kinds/devpipelinerun.md", "devpipelineruns", "spec"},
	{"kinds/devpipelinereport.md", "devpipelinereports", ""},
	{"kinds/devengine.md", "devengines", "spec"},
	{"kinds/devpolicy.md", "devpolicies", "spec"},
}

// TestFieldsAreAsTheirPagesSay: each row of a table of fields names one that there is,
// with its default, and with bounds that it has.
func TestFieldsAreAsTheirPagesSay(t *testing.T) {
	for _, k := range kindPages {
		t.Run(k.definition, func(t *testing.T) {
			root := field(t, definition(t, k.definition), k.at)
			for _, table := range docPage(t, k.page).tables() {
				if !table.has("field", "default", "bounds") {
					continue
				}
				for _, row := range table.rows {
					name := code(row[0])[0]
					wantDefault(t, name, row[1], defaultOf(root, name))
					wantBounds(t, name, row[2], field(t, root, name))
				}
			}
		})
	}
}

// TestEveryFieldIsExplained at the top of an object, and its children in a section of
// their own where its page has one.
func TestEveryFieldIsExplained(t *testing.T) {
	for _, k := range kindPages {
		t.Run(k.definition, func(t *testing.T) {
			explained := map[string]bool{}
			for _, table := range docPage(t, k.page).tables() {
				if table.has("field") {
					for _, row := range table.rows {
						name := code(row[0])[0]
						for at := name; at != ""; at = at[:max(strings.LastIndexByte(at, '.'), 0)] {
							explained[at] = true
						}
					}
				}
			}
			for name := range field(t, definition(t, k.definition), k.at).Properties {
				switch name {
				case "apiVersion", "kind", "metadata", "status":
					continue
				}
				if !explained[name] {
					t.Errorf("%s doesn't explain %s", k.page, name)
				}
			}
		})
	}
}

// definition returns the schema of a kind.
func definition(t *testing.T, plural string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "config/crd/bases/fettle.dev_"+plural+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	return *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// field returns the schema of a field below s; lists are passed through to their items.
func field(t *testing.T, s apiextensionsv1.JSONSchemaProps, path string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		if s.Items != nil {
			s = *s.Items.Schema
		}
		next, ok := s.Properties[name]
		if !ok {
			t.Fatalf("there is no field %s: it has no %s", path, name)
		}
		s = next
	}
	return s
}

// defaultOf returns the default of a field, its own or what that of a parent holds.
func defaultOf(s apiextensionsv1.JSONSchemaProps, path string) any {
	var value any
	for _, name := range strings.Split(path, ".") {
		if s.Items != nil {
			s = *s.Items.Schema
		}
		s = s.Properties[name]
		inherited, _ := value.(map[string]any)
		if value = inherited[name]; value == nil && s.Default != nil {
			_ = json.Unmarshal(s.Default.Raw, &value)
		}
	}
	return value
}

// wantDefault compares a default as YAML; a default that a page gives in the name of
// another field stands for the value of that.
func wantDefault(t *testing.T, name, cell string, want any) {
	t.Helper()
	if name == "engines.name" {
		return // the API server has none: it is ref
	}
	var got any
	if words := code(cell); len(words) > 0 {
		if err := yaml.Unmarshal([]byte(words[0]), &got); err != nil {
			t.Errorf("%s: the default %s can't be read: %v", name, cell, err)
		}
	}
	gotJSON, _ := json.Marshal(got)
	wantJSON, _ := json.Marshal(want)
	if string(gotJSON) != string(wantJSON) {
		t.Errorf("%s: the page says that the default is %s, the schema %s", name, gotJSON, wantJSON)
	}
}

var numbers = regexp.MustCompile(`\d[\d,]*`)

// wantBounds looks for each number of a cell among the bounds of a field or of its items.
func wantBounds(t *testing.T, name, cell string, s apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	has := bounds(s)
	for _, word := range numbers.FindAllString(cell, -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(word, ",", ""), 10, 64)
		if err != nil || !has[n] {
			t.Errorf("%s: the page gives the bound %s, and the schema has none such: %v", name, word, has)
		}
	}
	if cell == "" && s.MaxItems != nil {
		t.Errorf("%s: the page doesn't say that it has at most %d items", name, *s.MaxItems)
	}
}

func bounds(s apiextensionsv1.JSONSchemaProps) map[int64]bool {
	has := map[int64]bool{}
	for _, n := range []*int64{s.MinItems, s.MaxItems, s.MinLength, s.MaxLength, s.MinProperties, s.MaxProperties} {
		if n != nil {
			has[*n] = true
		}
	}
	for _, n := range []*float64{s.Minimum, s.Maximum} {
		if n != nil {
			has[int64(*n)] = true
		}
	}
	if s.Items != nil {
		for n := range bounds(*s.Items.Schema) {
			has[n] = true
		}
	}
	return has
}
