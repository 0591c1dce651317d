package manifest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/fault"
)

func contextCancelled(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

const head = "apiVersion: fettle.dev/v1alpha1\nkind: DevPipeline\nmetadata: {name: web}\nspec:\n"

// pipeline returns a valid pipeline whose lines from the fifth on are the given ones, for
// those members of the spec that they have, and defaults of the test for the others.
func pipeline(lines ...string) string {
	given := strings.Join(lines, "\n") + "\n"
	text := head + given
	for _, m := range []struct{ key, line string }{
		{"source", "  source: {configMap: {name: files}}\n"},
		{"workspace", "  workspace: {acquire: ['**']}\n"},
		{"steps", "  steps: [{name: save, write: {}}]\n"},
	} {
		if !strings.Contains("\n"+given, "\n  "+m.key+":") {
			text += m.line
		}
	}
	return text
}

func engine(capability ...string) string {
	return "apiVersion: fettle.dev/v1alpha1\nkind: DevEngine\nmetadata: {name: e}\nspec:\n  image: i\n" + strings.Join(capability, "\n") + "\n"
}

// TestBadInputIsToldInTheWordsOfAnAPIServer lists what is wrong, and all of what is said.
func TestBadInputIsToldInTheWordsOfAnAPIServer(t *testing.T) {
	for _, tt := range []struct {
		name       string
		text       string
		wantReason fault.Reason
		want       []string // line:column: text (hint)
	}{
		{
			"an unknown field", pipeline("  stepz: []"), fault.ReasonUnknownKey,
			[]string{`5:3: unknown field "spec.stepz" (did you mean "steps"?)`},
		}, {
			"an unknown field that belongs elsewhere", pipeline("  acquire: []"), fault.ReasonUnknownKey,
			[]string{`5:3: unknown field "spec.acquire" (acquire belongs to spec.workspace)`},
		}, {
			"an unknown field in an item", pipeline("  steps:", "  - name: a", "    write: {}", "    on: x"), fault.ReasonUnknownKey,
			[]string{`6:5: unknown field "spec.steps[0].true" (YAML reads on, off, yes and no as true and false: quote a key like that)`},
		}, {
			"an unknown field of metadata", strings.Replace(pipeline(), "{name: web}", "{name: web, lables: {}}", 1), fault.ReasonUnknownKey,
			[]string{`3:23: unknown field "metadata.lables"`},
		}, {
			"an unknown field at the top", pipeline() + "spek: {}\n", fault.ReasonUnknownKey,
			[]string{`9:1: unknown field "spek" (did you mean "spec"?)`},
		}, {
			"a duplicate key", pipeline("  mode: Apply", "  mode: Check"), fault.ReasonDuplicate,
			[]string{`6: key "mode" already set in map (keep one of them)`},
		}, {
			"a duplicate key in JSON", `{"apiVersion": "fettle.dev/v1alpha1", "kind": "DevEngine", "metadata": {"name": "e"},
  "spec": {"image": "a", "image": "b", "checks": [{"extensions": ["go"], "command": ["vet"]}]}}`, fault.ReasonDuplicate,
			[]string{`2:12: duplicate field "spec.image" (keep one of them)`},
		}, {
			"a missing field", strings.Replace(pipeline(), "  steps: [{name: save, write: {}}]\n", "", 1), fault.ReasonMissing,
			[]string{"4:1: spec.steps: Required value", "1:1: " + unchecked},
		}, {
			"no spec", head[:strings.Index(head, "spec")], fault.ReasonMissing,
			[]string{"1:1: spec: Required value", "1:1: " + unchecked},
		}, {
			"no name", strings.Replace(pipeline(), "{name: web}", "{}", 1), fault.ReasonMissing,
			[]string{"3:1: metadata.name: Required value: name or generateName is required", "1:1: " + unchecked},
		}, {
			"a wrong type", pipeline("  suspend: maybe"), fault.ReasonType,
			[]string{`5:3: spec.suspend: Invalid value: "string": spec.suspend in body must be of type boolean: "string"`, "1:1: " + unchecked},
		}, {
			"a list for an object", pipeline("  source: []"), fault.ReasonType,
			[]string{`5:3: spec.source: Invalid value: "array": spec.source in body must be of type object: "array"`, "1:1: " + unchecked},
		}, {
			"a value that isn't one of a few", pipeline("  mode: Fix"), fault.ReasonType,
			[]string{`5:3: spec.mode: Unsupported value: "Fix": supported values: "Apply", "Check"`, "1:1: " + unchecked},
		}, {
			"metadata of a wrong type", strings.Replace(pipeline(), "{name: web}", "{name: web, labels: [a]}", 1), fault.ReasonType,
			[]string{"3:1: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string"},
		}, {
			"a label that is a number", strings.Replace(pipeline(), "{name: web}", "{name: web, labels: {a: 1}}", 1), fault.ReasonType,
			[]string{"3:1: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"},
		}, {
			"a name that is too long", strings.Replace(pipeline(), "name: web", "name: "+strings.Repeat("w", 53), 1), fault.ReasonType,
			[]string{`1:1: Invalid value: the name of a pipeline has at most 52 characters: its runs are named after it`},
		}, {
			"a name in upper case", strings.Replace(pipeline(), "name: web", "name: Web", 1), fault.ReasonType,
			[]string{`3:12: metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		}, {
			"a word that YAML takes for a truth value", pipeline("  containment: Off"), fault.ReasonType,
			[]string{`5:3: spec.containment: Invalid value: "boolean": spec.containment in body must be of type string: "boolean" (put it in quotes: "Off")`,
				`5:3: spec.containment: Unsupported value: false: supported values: "Require", "Prefer", "Off"`, "1:1: " + unchecked},
		}, {
			"a text that YAML takes for a number", pipeline("  steps: [{name: a, edit: {path: a, edits: [{find: 1.0, replace: b}]}}]"), fault.ReasonType,
			[]string{`5:46: spec.steps[0].edit.edits[0].find: Invalid value: "integer": spec.steps[0].edit.edits[0].find in body must be of type string: "integer" (put it in quotes: "1.0")`, "1:1: " + unchecked},
		}, {
			"two sources", pipeline("  source: {configMap: {name: a}, persistentVolumeClaim: {claimName: b}}"), fault.ReasonType,
			[]string{`5:3: spec.source: Invalid value: exactly one of the fields in [git persistentVolumeClaim configMap] must be set`},
		}, {
			"no source", pipeline("  source: {}"), fault.ReasonType,
			[]string{`5:3: spec.source: Invalid value: exactly one of the fields in [git persistentVolumeClaim configMap] must be set`},
		}, {
			"a step of two actions", pipeline("  steps: [{name: a, write: {}, check: {}}]"), fault.ReasonType,
			[]string{`5:11: spec.steps[0]: Invalid value: exactly one of the fields in [readLines edit applyPatch blocks write format lint check run] must be set`},
		}, {
			"a step whose action has no value", pipeline("  steps:", "  - name: types", "    check:"), fault.ReasonType,
			[]string{`6:5: spec.steps[0]: Invalid value: exactly one of the fields in [readLines edit applyPatch blocks write format lint check run] must be set (write check: {}, for a key without a value counts as absent)`},
		}, {
			"two steps of one name", pipeline("  steps: [{name: a, write: {}}, {name: a, check: {}}]"), fault.ReasonDuplicate,
			[]string{`5:33: spec.steps[1]: Duplicate value: {"name":"a"}`},
		}, {
			"a bound below one", pipeline("  workspace: {acquire: [], bounds: {maxFiles: 0, maxBytesPerFile: 0}}"), fault.ReasonBound,
			[]string{
				"5:37: spec.workspace.bounds.maxFiles: Invalid value: 0: spec.workspace.bounds.maxFiles in body should be greater than or equal to 1",
				"5:50: spec.workspace.bounds.maxBytesPerFile: Invalid value: 0: must be a whole number of bytes of at least 1, such as 1Mi",
			},
		}, {
			"an unknown bound", pipeline("  workspace: {acquire: [], bounds: {maxLines: 1}}"), fault.ReasonUnknownKey,
			[]string{`5:37: unknown field "spec.workspace.bounds.maxLines" (did you mean "maxFiles"?)`},
		}, {
			"a duration without unit", pipeline("  timeout: '30'"), fault.ReasonType,
			[]string{`5:3: spec.timeout: Invalid value: "30": must be a positive duration such as 90s, 5m or 1h30m`},
		}, {
			"a duration of nothing", pipeline("  timeout: 0s"), fault.ReasonType,
			[]string{`5:3: spec.timeout: Invalid value: "0s": must be a positive duration such as 90s, 5m or 1h30m`},
		}, {
			"a glob that is too long", pipeline("  workspace: {acquire: ['" + strings.Repeat("a", 1025) + "']}"), fault.ReasonBound,
			[]string{"5:25: spec.workspace.acquire[0]: Too long: may not be more than 1024 bytes", "1:1: " + unchecked},
		}, {
			"too many globs", pipeline("  workspace: {acquire: [" + strings.Repeat("a, ", 257) + "]}"), fault.ReasonBound,
			[]string{"5:15: spec.workspace.acquire: Too many: 257: must have at most 256 items", "1:1: " + unchecked},
		}, {
			"publishing to a repository that there isn't", pipeline("  publish: {git: {branch: b}}"), fault.ReasonType,
			[]string{`4:1: spec: Invalid value: publish.git needs source.git: it pushes to the repository that the files came from`},
		}, {
			"credentials in a URL", pipeline("  source: {git: {url: 'https://u:p@example.com/r.git'}}"), fault.ReasonType,
			[]string{`5:12: spec.source.git: Invalid value: url must not hold credentials: put them into a Secret and name it in secretRef`},
		}, {
			"two engines of one name", pipeline("  engines: [{ref: a}, {ref: b, name: a}]"), fault.ReasonType,
			[]string{`5:3: spec.engines: Invalid value: two engines have the same name: give one of them another name`},
		}, {
			"an inline engine without name", pipeline("  engines: [{inline: {image: i, checks: [{extensions: [go], command: [vet]}]}}]"), fault.ReasonType,
			[]string{`5:13: spec.engines[0]: Invalid value: an inline engine needs a name`},
		}, {
			"an empty selection (§8.1)", pipeline("  steps: [{name: a, format: {paths: []}}]"), fault.ReasonType,
			[]string{`5:30: spec.steps[0].format.paths: Invalid value: 0: spec.steps[0].format.paths in body should have at least 1 items`},
		}, {
			"a run without scope (§8.1)", pipeline("  steps: [{name: a, run: {command: [x]}}]"), fault.ReasonMissing,
			[]string{"5:21: spec.steps[0].run.scope: Required value", "1:1: " + unchecked},
		}, {
			"a run of nothing (§8.1)", pipeline("  steps: [{name: a, run: {scope: ['**']}}]"), fault.ReasonType,
			[]string{`5:21: spec.steps[0].run: Invalid value: at least one of the fields in [image command] must be set`},
		}, {
			"lines that end before they start", pipeline("  steps: [{name: a, readLines: {path: a, start: 2, end: 1}}]"), fault.ReasonType,
			[]string{`5:21: spec.steps[0].readLines: Invalid value: end is before start`},
		}, {
			"a path outside the root in a ConfigMap", pipeline("  source: {configMap: {name: a, items: [{key: a, path: ../a}]}}"), fault.ReasonType,
			[]string{`5:50: spec.source.configMap.items[0].path: Invalid value: "../a": spec.source.configMap.items[0].path in body should match '^([^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+)(/([^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+))*$'`},
		}, {
			"onViolation of another word (§6.1)", pipeline("  policy: {onViolation: Warn}"), fault.ReasonType,
			[]string{`5:12: spec.policy.onViolation: Unsupported value: "Warn": supported values: "Fail", "Restore"`, "1:1: " + unchecked},
		}, {
			"an in-place capability without scope (§7.3)", engine("  formats: [{extensions: [go], mode: InPlace, command: [gofmt]}]"), fault.ReasonType,
			[]string{`6:13: spec.formats[0]: Invalid value: a capability with mode InPlace needs a scope: the globs it may touch`},
		}, {
			"access of a filter (§7.3)", engine("  formats: [{extensions: [go], mode: Filter, access: Mount, command: [gofmt]}]"), fault.ReasonType,
			[]string{`6:13: spec.formats[0]: Invalid value: access is for mode InPlace only`},
		}, {
			"writes through the façade (§7.3)", engine("  formats: [{extensions: [go], mode: InPlace, access: Facade, writes: InPlace, scope: ['**'], command: [gofmt]}]"), fault.ReasonType,
			[]string{`6:13: spec.formats[0]: Invalid value: writes is for mode InPlace with access Mount only`},
		}, {
			"a lint that generates and can't fix (§7.3)", engine("  lints: [{extensions: [go], mode: Delta, generates: true, fixArgs: [-f], command: [x]}]"), fault.ReasonType,
			[]string{
				`6:11: spec.lints[0]: Invalid value: fixArgs needs fixable: true`,
				`6:11: spec.lints[0]: Invalid value: generates needs fixable: true`,
			},
		}, {
			"an unknown need (§7.3)", engine("  formats: [{extensions: [go], mode: Filter, needs: [chmod], command: [gofmt]}]"), fault.ReasonType,
			[]string{`6:54: spec.formats[0].needs[0]: Unsupported value: "chmod": supported values: "delete", "rename", "mkdir"`, "1:1: " + unchecked},
		}, {
			"an extension with a dot (§7.3)", engine("  checks: [{extensions: [.go], command: [vet]}]"), fault.ReasonType,
			[]string{`6:26: spec.checks[0].extensions[0]: Invalid value: ".go": spec.checks[0].extensions[0] in body should match '^(\*|[^.A-Z/*]*)$'`},
		}, {
			"a pattern that isn't there", engine("  checks: [{extensions: [go], command: [vet], diagnostics: {format: Pattern}}]"), fault.ReasonType,
			[]string{`6:47: spec.checks[0].diagnostics: Invalid value: format Pattern needs a pattern, and no other format takes one`},
		}, {
			"a separator without arguments", engine("  checks: [{extensions: [go], command: [vet], paths: {as: Stdin, separator: '--'}}]"), fault.ReasonType,
			[]string{`6:47: spec.checks[0].paths: Invalid value: separator is for as: Arguments only`},
		}, {
			"an engine that can do nothing", engine(), fault.ReasonType,
			[]string{`4:1: spec: Invalid value: an engine has at least one of formats, lints and checks`},
		}, {
			"another kind", strings.Replace(pipeline(), "DevPipeline", "DevPipelin", 1), fault.ReasonType,
			[]string{`2:1: no matches for kind "DevPipelin" in version "fettle.dev/v1alpha1" (did you mean "DevPipeline"?)`},
		}, {
			"another version", strings.Replace(pipeline(), "v1alpha1", "v1", 1), fault.ReasonType,
			[]string{`2:1: no matches for kind "DevPipeline" in version "fettle.dev/v1" (this build knows fettle.dev/v1alpha1)`},
		}, {
			"no kind", "apiVersion: fettle.dev/v1alpha1\nspec: {}\n", fault.ReasonMissing,
			[]string{"1:1: kind not set (for example apiVersion: fettle.dev/v1alpha1 and kind: DevPipeline)"},
		}, {
			"broken YAML", "apiVersion: fettle.dev/v1alpha1\nkind: {\n", "",
			[]string{"2: yaml: did not find expected node content (check the indentation and the quotes around this line)"},
		}, {
			"broken YAML in a second document", engine("  checks: [{extensions: [go], command: [vet]}]") + "---\na: b: c\n", "",
			[]string{"8: yaml: mapping values are not allowed in this context (check the indentation and the quotes around this line)"},
		}, {
			"a document that is no object", "- a\n", fault.ReasonType,
			[]string{"1:1: the document is not an object (an object has the keys apiVersion, kind, metadata and spec)"},
		}, {
			"a separator with something after it", engine("  checks: [{extensions: [go], command: [vet]}]") + "--- x\n", "",
			[]string{"7:1: invalid Yaml document separator: x (begin the document on the next line)"},
		}, {
			"nothing", "# nothing\n---\n", fault.ReasonMissing,
			[]string{"there is no object in it (a manifest begins with apiVersion and kind)"},
		}, {
			"a key that would command a terminal", pipeline("  \"a\\e[2J\": 1"), fault.ReasonUnknownKey,
			[]string{`5:3: unknown field "spec.a\x1b[2J"`},
		}, {
			"an object that is given twice", pipeline() + "---\n" + pipeline(), fault.ReasonDuplicate,
			[]string{`12:12: DevPipeline "web" is given twice (the first one is at a.yaml:3)`},
		}, {
			"a mistake in an item of a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: fettle.dev/v1alpha1\n  kind: DevPolicy\n  metadata: {name: p}\n  spec: {gates: {mode: Maybe}}\n", fault.ReasonType,
			[]string{`7:18: spec.gates.mode: Unsupported value: "Maybe": supported values: "Never", "Mutating", "Always"`, "4:3: " + unchecked},
		}, {
			"several mistakes", pipeline("  mode: Fix", "  suspend: 1", "  stepz: []"), fault.ReasonType,
			[]string{
				`5:3: spec.mode: Unsupported value: "Fix": supported values: "Apply", "Check"`,
				`6:3: spec.suspend: Invalid value: "integer": spec.suspend in body must be of type boolean: "integer"`,
				`7:3: unknown field "spec.stepz" (did you mean "steps"?)`,
				"1:1: " + unchecked,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Load(t.Context(), Input{"a.yaml", []byte(tt.text)})
			refused := fault.As(err)
			if refused == nil || refused.Kind != fault.InvalidPipeline || set != nil {
				t.Fatalf("got set %v, error %v; want InvalidPipeline", set, err)
			}
			if refused.Reason != tt.wantReason {
				t.Errorf("reason: got %q, want %q", refused.Reason, tt.wantReason)
			}
			if refused.Hint == "" {
				t.Error("got no hint, want one")
			}
			if diff := cmp.Diff(tt.want, told(t, err)); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// told returns the problems of an error as line:column: text (hint).
func told(t *testing.T, err error) []string {
	t.Helper()
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %v, want an error with Problems", err)
	}
	var lines []string
	for _, p := range problems {
		line := strings.TrimPrefix(strings.TrimPrefix(p.String(), "a.yaml:"), " ")
		if p.Hint != "" {
			line += fmt.Sprintf(" (%s)", p.Hint)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestOneMistakeIsToldOnTwoLines(t *testing.T) {
	_, err := Load(t.Context(), Input{"a.yaml", []byte(pipeline("  stepz: []"))})
	want := `InvalidPipeline (unknown-key): DevPipeline "web": a.yaml:5:3: unknown field "spec.stepz"` + "\n" + `  did you mean "steps"?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMistakesInSeveralFilesAreToldTogether(t *testing.T) {
	_, err := Load(t.Context(),
		Input{"b.yaml", []byte(engine("  checks: [{extensions: [go], command: []}]"))},
		Input{"a.yaml", []byte(pipeline("  stepz: []"))})
	want := `InvalidPipeline (type): manifests: 2 problems
  b.yaml:6:31: spec.checks[0].command: Invalid value: 0: spec.checks[0].command in body should have at least 1 items
  a.yaml:5:3: unknown field "spec.stepz" (did you mean "steps"?)
  fields and rules of each kind: docs/reference/api.md`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Finding the line of each of many mistakes must not take for ever.
func TestOnlyTheFirstOfManyMistakesAreTold(t *testing.T) {
	var unknown strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&unknown, "  k%d: 1\n", i)
	}
	for _, tt := range []struct{ name, text string }{
		{"unknown fields", pipeline(unknown.String())},
		{"duplicate keys", pipeline(strings.Repeat("  mode: Apply\n", 20_000))},
		{"documents", strings.Repeat("---\na: b\n", 20_000)},
		{"items of a List", "apiVersion: v1\nkind: List\nitems: [" + strings.Repeat("{a: b}, ", 20_000) + "]\n"},
		{"bad steps", pipeline("  steps: [" + strings.Repeat("{name: A}, ", 2_000) + "]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			started := time.Now()
			_, err := Load(t.Context(), Input{"a.yaml", []byte(tt.text)})
			lines := told(t, err)
			if len(lines) != maxProblems+1 || !strings.Contains(lines[maxProblems], "more problems") {
				t.Errorf("got %d lines, the last one %q; want %d and one that says so", len(lines), lines[len(lines)-1], maxProblems)
			}
			if took := time.Since(started); took > 20*time.Second {
				t.Errorf("took %v, want less than 20 s", took)
			}
		})
	}
}
