package manifest

import (
	"fmt"
	"testing"
)

func TestAFieldIsLocatedAsItIsWritten(t *testing.T) {
	documents, _ := split(&Input{"a.yaml", []byte(`first: 1
---
spec:
  steps: &steps
  - name: a
    edit: {path: x}
  - {name: b}
  again: *steps
  map:
    a: 1
    a.b: 2
    "c[0]": 3
`)}, 0)
	doc := documents[1]
	for _, tt := range []struct{ name, field, want string }{
		{"the document", "", "3:1"},
		{"a member", "spec.steps", "4:3"},
		{"a leading dot", ".spec.steps", "4:3"},
		{"an item", "spec.steps[1]", "7:5"},
		{"a member of an item", "spec.steps[0].edit.path", "6:12"},
		{"a member that isn't there: the nearest around it", "spec.steps[0].edit.edits", "6:5"},
		{"an item that isn't there", "spec.steps[7].name", "4:3"},
		{"no index", "spec.steps[x]", "4:3"},
		{"below a scalar", "spec.steps[0].name.x", "5:5"},
		{"through an alias", "spec.again[1].name", "7:6"},
		{"a key with a dot", "spec.map.a.b", "11:5"},
		{"a key that is the start of another", "spec.map.a", "10:5"},
		{"a key in brackets", "spec.map[a.b]", "11:5"},
		{"a key with brackets", "spec.map.c[0]", "12:5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, column := doc.locate(tt.field)
			if got := fmt.Sprintf("%d:%d", line, column); got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.field, got, tt.want)
			}
		})
	}
}

func TestNamesThatAreSpeltAlikeAreFound(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"stepz", "steps"},
		{"Steps", "steps"},
		{"step", "steps"},
		{"workspce", "workspace"},
		{"mod", "mode"},
		{"xyz", ""},
		{"", ""},
	} {
		if got := nearest(tt.name, []string{"mode", "steps", "workspace"}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
