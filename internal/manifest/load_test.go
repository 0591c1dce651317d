package manifest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

const examples = "../../examples/manifests"

// example returns one of the example manifests.
func example(t testing.TB, name string) Input {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Name: name, Data: data}
}

// load loads manifests that are expected to be valid.
func load(t testing.TB, inputs ...Input) *Set {
	t.Helper()
	set, err := Load(t.Context(), inputs...)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return set
}

func TestThePipelineOfTheArchitecturePageIsReadWhole(t *testing.T) {
	set := load(t, example(t, "pipeline.yaml"))
	if len(set.Pipelines) != 1 {
		t.Fatalf("got %d pipelines, want 1", len(set.Pipelines))
	}
	p := set.Pipelines[0]
	if got, want := p.String(), `DevPipeline "web"`; got != want {
		t.Errorf("origin: got %s, want %s", got, want)
	}
	spec := p.Value.Spec
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"namespace", p.Value.Namespace, "team-a"},
		{"branch", spec.Source.Git.Ref.Branch, "main"},
		{"max bytes per file", spec.Workspace.Bounds.MaxBytesPerFile.Value(), int64(1 << 20)},
		{"max depth", spec.Workspace.Bounds.MaxDepth, int32(20)},
		{"a MIME type", spec.Workspace.MIMETypes.Filenames["BUILD"], v1alpha1.MIMEType("text/plain")},
		{"write deny", []string(spec.Policy.Write.Deny), []string{"src/vendor/**"}},
		{"engine", spec.Engines[1].Ref, v1alpha1.ObjectName("prettier")},
		{"scope of an engine", []string(spec.Engines[1].Scope), []string{"src/**"}},
		{"message", spec.Steps[0].Blocks.MessageFrom.ConfigMapKeyRef.Key, "message"},
		{"edit", spec.Steps[1].Edit.Edits[0].Replace, `"1.1.0"`},
		{"write", spec.Steps[2].Write, &v1alpha1.WriteStep{}},
		{"needs", spec.Steps[3].Run.Needs, []v1alpha1.Need{"rename", "delete"}},
		{"fix", spec.Steps[4].Lint.Fix, true},
		{"check", spec.Steps[6].Check, &v1alpha1.CheckStep{}},
		{"timeout", spec.Timeout.Duration.Duration, 30 * time.Minute},
		{"ttl", spec.History.TTL.Duration.Duration, 168 * time.Hour},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
}

func TestDefaultsAreThoseOfTheSpecification(t *testing.T) {
	p := load(t, example(t, "minimal.yaml")).Pipelines[0].Value.Spec
	capability := p.Engines[0].Inline.Formats[0]
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"mode", p.Mode, v1alpha1.PipelineModeApply},
		{"exclude (§5.7)", []string(p.Workspace.Exclude), []string{"**/node_modules/**", "**/.git/**"}},
		{"respectGitignore (§5.7)", p.Workspace.RespectGitignore, false},
		{"onNoMatch (§9.3)", p.Workspace.OnNoMatch, v1alpha1.OnNoMatchFail},
		{"onNonText (§9.3)", p.Workspace.OnNonText, v1alpha1.OnNonTextSkip},
		{"maxFiles (§1.3)", p.Workspace.Bounds.MaxFiles, int32(20_000)},
		{"maxBytesPerFile (§1.3)", p.Workspace.Bounds.MaxBytesPerFile.Value(), int64(2_097_152)},
		{"maxTotalBytes (§1.3)", p.Workspace.Bounds.MaxTotalBytes.Value(), int64(536_870_912)},
		{"maxDepth (§1.3)", p.Workspace.Bounds.MaxDepth, int32(32)},
		{"invocationDeadline (§1.3)", p.InvocationDeadline.Duration.Duration, 5 * time.Minute},
		{"read (§6.2)", p.Policy.Read, &v1alpha1.AccessRules{}},
		{"write (§6.2)", []string(p.Policy.Write.Allow), []string{"**", "**/.*/**", "**/.*/**/.*/**"}},
		{"onViolation (§6.1)", p.Policy.OnViolation, v1alpha1.OnViolationFail},
		{"gates", p.Gates.Mode, v1alpha1.GateNever},
		{"containment (§12.5)", p.Containment, v1alpha1.ContainmentPrefer},
		{"network", p.Engines[0].Inline.Network, v1alpha1.NetworkDenied},
		{"paths", capability.Paths.As, v1alpha1.PathsAsArguments},
		{"access has none, for it depends on the mode (§7.3)", capability.Access, v1alpha1.Access("")},
		{"writes has none, for it depends on the mode (§7.3)", capability.Writes, v1alpha1.Writes("")},
		{"failed runs", *p.History.FailedRuns, int32(3)},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
}

// What is loaded can be applied, stored and loaded again without a change: defaults are
// idempotent, and writing an object in Go loses nothing.
func TestALoadedObjectLoadsAgainAsItIs(t *testing.T) {
	for _, name := range []string{"pipeline.yaml", "minimal.yaml", "engine.yaml", "policy.yaml", "run.yaml"} {
		t.Run(name, func(t *testing.T) {
			first := load(t, example(t, name))
			second := load(t, marshalled(t, first))
			if diff := cmp.Diff(string(marshalled(t, first).Data), string(marshalled(t, second).Data)); diff != "" {
				t.Errorf("loaded again (-first +second):\n%s", diff)
			}
		})
	}
}

// values returns the objects of a set without their origin.
func values(s *Set) []any {
	var all []any
	for _, o := range s.Pipelines {
		all = append(all, o.Value)
	}
	for _, o := range s.Runs {
		all = append(all, o.Value)
	}
	for _, o := range s.Reports {
		all = append(all, o.Value)
	}
	for _, o := range s.Engines {
		all = append(all, o.Value)
	}
	for _, o := range s.Policies {
		all = append(all, o.Value)
	}
	return all
}

// marshalled writes the objects of a set as the documents of one input.
func marshalled(t testing.TB, s *Set) Input {
	t.Helper()
	var text []byte
	for _, value := range values(s) {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(append(text, "---\n"...), data...), '\n')
	}
	return Input{Name: "marshalled", Data: text}
}

func TestAnEmptyListIsNotReplacedByItsDefault(t *testing.T) {
	text := strings.Replace(string(example(t, "minimal.yaml").Data), `{acquire: ["**/*.go"]}`, `{acquire: [], exclude: []}`, 1)
	p := load(t, Input{"a.yaml", []byte(text)}).Pipelines[0].Value
	if p.Spec.Workspace.Exclude == nil || len(p.Spec.Workspace.Exclude) != 0 {
		t.Errorf("exclude: got %#v, want an empty list", p.Spec.Workspace.Exclude)
	}
}

func TestAnInputHoldsManyDocumentsAndLists(t *testing.T) {
	engine := `{"apiVersion": "fettle.dev/v1alpha1", "kind": "DevEngine", "metadata": {"name": "NAME"}, "spec": {"image": "i", "checks": [{"extensions": ["go"], "command": ["vet"]}]}}`
	named := func(name string) string { return strings.Replace(engine, "NAME", name, 1) }
	text := "# only a comment\n---\n" + named("a") + "\n--- # next\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: files}\ndata: [anything]\n" +
		"---\n\n---\napiVersion: v1\nkind: List\nitems:\n- " + named("b") + "\n- " + named("c") + "\n---\n"
	set := load(t, Input{"a.yaml", []byte(text)})
	var names []string
	for _, e := range set.Engines {
		names = append(names, e.Value.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
	if len(set.Foreign) != 1 || set.Foreign[0].Kind != "ConfigMap" || set.Foreign[0].Name != "files" {
		t.Errorf("foreign: got %v, want the ConfigMap", set.Foreign)
	}
	file, line, column := set.Engines[2].Position("spec.checks[0].command")
	if file != "a.yaml" || line != 16 || column < 100 {
		t.Errorf("position: got %s:%d:%d, want a.yaml:16 and the column of command", file, line, column)
	}
}

func TestStatusAndWhatAServerSetsAreLeftOut(t *testing.T) {
	text := string(example(t, "engine.yaml").Data) + "status:\n  observedGeneration: 7\n"
	e := load(t, Input{"a.yaml", []byte(text)}).Engines[0].Value
	if e.Status.ObservedGeneration != 0 || e.Generation != 0 || e.Namespace != "" {
		t.Errorf("got status %+v, generation %d, namespace %q; want none", e.Status, e.Generation, e.Namespace)
	}
	p := load(t, example(t, "minimal.yaml")).Pipelines[0].Value
	if p.Namespace != "" {
		t.Errorf("namespace: got %q, want none, as written", p.Namespace)
	}
}

func TestACancelledLoadSaysSo(t *testing.T) {
	ctx, cancel := contextCancelled(t)
	defer cancel()
	_, err := Load(ctx, example(t, "engine.yaml"))
	if !errors.Is(err, ctx.Err()) || fault.As(err) != nil {
		t.Errorf("got %v, want the context's error", err)
	}
}
