package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

func TestEnginesAreResolvedInThePipelinesOrder(t *testing.T) {
	text := pipeline("  engines:",
		"  - {name: vet, inline: {image: i, checks: [{extensions: [go], command: [vet]}]}}",
		"  - {ref: eslint, args: [--quiet]}",
		"  - {ref: eslint, name: strict, scope: ['src/**']}")
	set := load(t, Input{"a.yaml", []byte(text)}, example(t, "engine.yaml"))
	engines, err := set.ResolveEngines(set.Pipelines[0])
	if err != nil {
		t.Fatal(err)
	}
	type summary struct {
		Name, Ref, Image string
		Args, Scope      []string
	}
	var got []summary
	for _, e := range engines {
		s := summary{Name: e.Name, Image: string(e.Spec.Image), Args: e.Args, Scope: e.Scope}
		if e.Ref != nil {
			s.Ref = string(e.Ref.Name)
		}
		got = append(got, s)
	}
	want := []summary{
		{Name: "vet", Image: "i"},
		{Name: "eslint", Ref: "eslint", Image: "registry.example.com/fixers/eslint:10", Args: []string{"--quiet"}},
		{Name: "strict", Ref: "eslint", Image: "registry.example.com/fixers/eslint:10", Scope: []string{"src/**"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
}

func TestAMissingEngineIsToldWhereItIsReferredTo(t *testing.T) {
	text := pipeline("  engines: [{ref: eslnt}, {ref: prettier}]")
	set := load(t, Input{"a.yaml", []byte(text)}, example(t, "engine.yaml"))
	engines, err := set.ResolveEngines(set.Pipelines[0])
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonMissing) || engines != nil {
		t.Fatalf("got %v, error %v; want InvalidPipeline (missing)", engines, err)
	}
	want := []string{
		`5:14: there is no engine "eslnt" (did you mean "eslint"?)`,
		`5:28: there is no engine "prettier" (give the manifest of a DevEngine of that name too; known are eslint)`,
	}
	if diff := cmp.Diff(want, told(t, err)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestWithoutEnginesTheHintSaysToGiveOne(t *testing.T) {
	set := load(t, Input{"a.yaml", []byte(pipeline("  engines: [{ref: tsc}]"))})
	_, err := set.ResolveEngines(set.Pipelines[0])
	if err == nil || !strings.HasSuffix(err.Error(), "\n  give the manifest of a DevEngine of that name too") {
		t.Errorf("got %v, want the hint", err)
	}
}

// Those who use an object refuse it in the form of Load.
func TestALaterRefusalNamesFileAndLine(t *testing.T) {
	p := load(t, Input{"a.yaml", []byte(pipeline("  workspace: {acquire: ['src/{a,b}.ts']}"))}).Pipelines[0]
	err := p.Refuse("spec.workspace.acquire[0]", fault.ClassBrace, `pattern "src/{a,b}.ts": braces aren't expanded`, "write one entry for each")
	want := `InvalidPipeline (brace): DevPipeline "web": a.yaml:5:25: pattern "src/{a,b}.ts": braces aren't expanded` + "\n  write one entry for each"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	made := Object[v1alpha1.DevPipeline]{Origin: Origin{Kind: "DevPipeline", Name: "made"}}
	if got := made.Refuse("spec", "", "no", ""); got == nil || !strings.Contains(got.Error(), `DevPipeline "made"`) {
		t.Errorf("an object without a file: got %v, want its name", got)
	}
}
