package pipeline

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
)

func TestReferencesAreResolved(t *testing.T) {
	r := resolved(t, func(s *v1alpha1.DevPipelineSpec) {
		s.Engines = append(s.Engines, v1alpha1.PipelineEngine{Name: "mine", Inline: &v1alpha1.EngineSpec{Image: "x"}}, v1alpha1.PipelineEngine{Name: "eslint-2", Ref: "eslint"})
	})
	var got []string
	for _, e := range r.Engines {
		got = append(got, e.Name+"="+string(e.Spec.Image))
	}
	want := "eslint=registry.example.com/fixers/eslint:10 prettier=registry.example.com/fixers/prettier:3 tsc=registry.example.com/fixers/tsc:5 mine=x eslint-2=registry.example.com/fixers/eslint:10"
	if strings.Join(got, " ") != want {
		t.Errorf("engines = %s, want %s", strings.Join(got, " "), want)
	}
	if ref := r.Engines[1].Ref; ref == nil || ref.Name != "prettier" || ref.UID != "u-1" || ref.Generation != 3 {
		t.Errorf("the reference that was copied = %+v", ref)
	}
	if r.Engines[3].Ref != nil {
		t.Error("an inline engine has a reference")
	}
}

func TestTheLastEngineOfANameCounts(t *testing.T) {
	spec := v1alpha1.DevPipelineSpec{Engines: []v1alpha1.PipelineEngine{{Ref: "e"}}}
	published := read[[]v1alpha1.DevEngine](t, "[{metadata: {name: e}, spec: {image: embedded}}, {metadata: {name: e}, spec: {image: given}}]")
	r, err := Resolve(spec, Published{Engines: published})
	if err != nil || r.Engines[0].Spec.Image != "given" {
		t.Errorf("Resolve = %+v, %v, want the engine that was given last", r.Engines, err)
	}
}

func TestAnUnknownEngineIsNamedWithThoseThatThereAre(t *testing.T) {
	spec := v1alpha1.DevPipelineSpec{Engines: []v1alpha1.PipelineEngine{{Ref: "eslnt"}}}
	_, err := Resolve(spec, Published{Engines: read[[]v1alpha1.DevEngine](t, engines)})
	if !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) {
		t.Fatalf("Resolve = %v, want InvalidPipeline (type)", err)
	}
	for _, want := range []string{`"eslnt"`, "eslint, prettier, tsc"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %s in it", err, want)
		}
	}
	if _, err := Resolve(spec, Published{}); err == nil || !strings.Contains(err.Error(), "declare it") {
		t.Errorf("Resolve without engines = %v, want it to say what to do", err)
	}
}

func policies(t *testing.T, text string) Published {
	t.Helper()
	return Published{Engines: read[[]v1alpha1.DevEngine](t, engines), Policies: read[[]v1alpha1.DevPolicy](t, text)}
}

func TestPoliciesAreLayersByNameAndThePipelinesIsTheLast(t *testing.T) {
	r, err := Resolve(read[v1alpha1.DevPipelineSpec](t, bloom), policies(t, `
- {metadata: {name: z}, spec: {write: {allow: ["src/**"]}}}
- {metadata: {name: a, uid: u, generation: 2}, spec: {write: {allow: ["**"], deny: ["**/*.key"]}, onViolation: Restore}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Policies) != 3 || r.Policies[0].Ref.Name != "a" || r.Policies[0].Ref.UID != "u" || r.Policies[1].Ref.Name != "z" || r.Policies[2].Ref != nil {
		t.Fatalf("layers = %+v, want a, z and the pipeline's", r.Policies)
	}
	p := build(t, r, everything)
	for path, want := range map[string]bool{"src/a.ts": true, "src/a.key": false, "package.json": false, "src/vendor/x": false} {
		if got := p.Policy.CanWrite(path).Allowed; got != want {
			t.Errorf("%s may be written: %v, want %v", path, got, want)
		}
	}
	if !p.Policy.Restores() {
		t.Error("a layer says Restore, and nothing is restored")
	}
}

func TestPoliciesRaiseGatesAndLowerLimits(t *testing.T) {
	spec := read[v1alpha1.DevPipelineSpec](t, bloom)
	r, err := Resolve(spec, policies(t, `
- metadata: {name: a}
  spec:
    gates: {mode: Mutating}
    limits: {maxFiles: 100, maxBytesPerFile: 2Mi, maxTotalBytes: 1Mi, maxDepth: 40, timeout: 10m, invocationDeadline: 5m}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, r, everything)
	b := p.Acquire.Bounds
	if b.MaxFiles != 100 || b.MaxBytesPerFile != 1<<20 || b.MaxTotalBytes != 1<<20 || b.MaxDepth != 20 {
		t.Errorf("bounds = %+v, want the lower of pipeline and policy", b)
	}
	if p.Timeout != 10*time.Minute || p.Deadline != 5*time.Minute {
		t.Errorf("timeout %s, deadline %s, want 10m and 5m", p.Timeout, p.Deadline)
	}
	eslint, _ := p.Engines.Engine("eslint")
	if got := eslint.Lints[0].Exec.Deadline; got != 5*time.Minute {
		t.Errorf("the capability's deadline = %s, want 5m", got)
	}
	run := p.Plan.Steps[3].Args.(plan.Run)
	if got := time.Duration(*run.Deadline); got != 5*time.Minute {
		t.Errorf("the run step's deadline = %s, want 5m", got)
	}
	if p.Plan.Gates != plan.GateMutating || p.Plan.Steps[5].Gate != plan.GateAlways {
		t.Errorf("gates %s, of format %s, want Mutating and Always", p.Plan.Gates, p.Plan.Steps[5].Gate)
	}
}

func TestResolvingChangesNothingThatItIsGiven(t *testing.T) {
	spec, from := read[v1alpha1.DevPipelineSpec](t, bloom), policies(t, `
- {metadata: {name: b}, spec: {limits: {invocationDeadline: 1m}}}
- {metadata: {name: a}, spec: {gates: {mode: Always}}}
`)
	if _, err := Resolve(spec, from); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read[v1alpha1.DevPipelineSpec](t, bloom), spec); diff != "" {
		t.Errorf("the pipeline (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(read[[]v1alpha1.DevEngine](t, engines), from.Engines); diff != "" {
		t.Errorf("the engines (-before +after):\n%s", diff)
	}
	if from.Policies[0].Name != "b" {
		t.Error("the policies were sorted in place")
	}
}

func TestAStepCannotOverrideTheGatesOfAPolicy(t *testing.T) {
	spec := read[v1alpha1.DevPipelineSpec](t, bloom)
	spec.Steps[4].Gates = &v1alpha1.Gates{Mode: v1alpha1.GateNever}
	r, err := Resolve(spec, policies(t, "[{metadata: {name: a}, spec: {gates: {mode: Mutating}}}]"))
	if err != nil {
		t.Fatal(err)
	}
	if got := build(t, r, everything).Plan.Steps[4].Gate; got != plan.GateMutating {
		t.Errorf("the step's gate = %s, want Mutating", got)
	}
	if spec.Steps[4].Gates.Mode != v1alpha1.GateNever {
		t.Error("resolving changed the step that it was given")
	}
}

func TestPoliciesAllowImages(t *testing.T) {
	for _, tc := range []struct {
		name, allowed string
		wantIn        string
	}{
		{"all below a folder", `["registry.example.com/fixers/*"]`, ""},
		{"an engine's image is refused", `["registry.example.com/fixers/*int:10"]`, "prettier:3"},
		{"a run step's image is refused", `["*/eslint:10", "*/prettier:3", "*/tsc:5", "*/node:22"]`, "codemod:1"},
		{"the image of dependencies is refused", `["*/eslint:10", "*/prettier:3", "*/tsc:5", "*/codemod:1"]`, "node:22"},
		{"an empty list allows none", `[]`, "eslint:10"},
		{"a dot is a dot", `["registry.example.com/fixers/eslint.10"]`, "eslint:10"},
		{"a pattern matches the whole", `["example.com/fixers/*"]`, "eslint:10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Resolve(read[v1alpha1.DevPipelineSpec](t, bloom), policies(t, "[{metadata: {name: guard}, spec: {allowedImages: "+tc.allowed+"}}]"))
			if tc.wantIn == "" {
				if err != nil {
					t.Errorf("Resolve = %v, want no error", err)
				}
				return
			}
			if !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) || !strings.Contains(err.Error(), tc.wantIn) || !strings.Contains(err.Error(), "guard") {
				t.Errorf("Resolve = %v, want a refusal of %s by guard", err, tc.wantIn)
			}
		})
	}
}
