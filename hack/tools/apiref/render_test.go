package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

const sample = `
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, shortNames: [th]}
  versions:
  - name: v1
    additionalPrinterColumns:
    - {name: Ready, jsonPath: .status.ready, description: "Whether it is."}
    - {name: Why, jsonPath: .status.why, priority: 1}
    schema:
      openAPIV3Schema:
        description: |-
          Thing is a thing. It has
          no use.
        properties:
          metadata: {type: object}
          spec:
            description: spec of the thing.
            required: [size]
            x-kubernetes-validations:
            - {rule: "true", message: "small | large"}
            properties:
              size: {type: string, enum: [S, L], description: size of it.}
              names: {type: array, minItems: 1, maxItems: 3, items: {type: string, maxLength: 9}}
              first: {description: first part., properties: {a: {type: integer, minimum: 1}}}
              other: {description: other part., properties: {a: {type: integer, minimum: 1}}}
              parts: {type: array, maxItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {properties: {b: {type: string, maxLength: 5, default: x}}}}
`

func rendered(t *testing.T, text string) string {
	t.Helper()
	d, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	render(&out, []definition{d})
	return out.String()
}

func TestTheReferenceTellsWhatTheDefinitionHolds(t *testing.T) {
	page := rendered(t, sample)
	for _, want := range []string{
		"* [Thing](#thing): Thing is a thing.\n",
		"`apiVersion: example.com/v1`, namespaced, short name `th`.",
		"* READY: `.status.ready`. Whether it is.\n",
		"* WHY (with `-o wide`): `.status.why`\n",
		"* Rule: small \\| large.\n",
		"| **`size`** | one of `S`, `L` |  | size of it. |",
		"| `names` | list (1 to 3) of string, each (at most 9) |",
		"| `first` | [object](#thingspecfirst) |  | first part. |",
		"| `other` | [object](#thingspecfirst) |  | other part. |", // described once
		"| `parts` | list (at most 2) of [object](#thingspecparts) |  | Unique by b. |",
		"| `b` | string (at most 5) | `x` |",
		"| `a` | integer (at least 1) |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("got no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "### Thing.spec.other") || strings.Contains(page, "metadata` |") {
		t.Errorf("got a second section for one object, or metadata, in\n%s", page)
	}
}

func TestEveryLinkLeadsToAHeading(t *testing.T) {
	page := rendered(t, sample)
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		headings[anchor(m[1])] = true
	}
	for _, m := range regexp.MustCompile(`\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if !headings[m[1]] {
			t.Errorf("got a link to #%s, want a heading for it", m[1])
		}
	}
}

func TestWhatIsNoDefinitionIsRefused(t *testing.T) {
	for _, text := range []string{"a: b", "[", "spec: {versions: [{name: v1}]}"} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%q: got no error, want one", text)
		}
	}
}
