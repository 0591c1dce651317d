package pipeline

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/workspace"
)

func build(t *testing.T, r Resolved, d Driver) *Pipeline {
	t.Helper()
	p, err := Build(r, d)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return p
}

func TestAPipelineInFullBloomIsConverted(t *testing.T) {
	p := build(t, resolved(t, nil), everything)

	wantBounds := workspace.Bounds{MaxFiles: 5000, MaxBytesPerFile: 1 << 20, MaxTotalBytes: 64 << 20, MaxDepth: 20}
	if diff := cmp.Diff(wantBounds, p.Acquire.Bounds); diff != "" {
		t.Errorf("bounds (-want +got):\n%s", diff)
	}
	if p.Timeout != 30*time.Minute || p.Deadline != DefaultDeadline || p.Retries != 2 || p.CheckOnly || p.Containment != v1alpha1.ContainmentPrefer {
		t.Errorf("timeout %s, deadline %s, retries %d, check %v, containment %s", p.Timeout, p.Deadline, p.Retries, p.CheckOnly, p.Containment)
	}
	if diff := cmp.Diff([]string{"src/**/*.ts", "src/**/*.css", "package.json"}, p.Acquire.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if !p.Acquire.Exclude.CoversFile("src/vendor/a.ts") || p.Acquire.Exclude.CoversFile("src/a.ts") {
		t.Error("the excludes aren't the pipeline's")
	}
	for name, want := range map[string]bool{"BUILD": true, "a.tmpl": true, "a.bin": false} {
		if _, got := p.Acquire.Types.Resolve(name); got != want {
			t.Errorf("%s is text: %v, want %v", name, got, want)
		}
	}
	if !p.Policy.CanWrite("src/a.ts").Allowed || p.Policy.CanWrite("src/vendor/a.ts").Allowed || p.Policy.CanWrite("lib/a.ts").Allowed || !p.Policy.CanRead("lib/a.ts").Allowed {
		t.Error("the policy isn't the pipeline's")
	}
	if !strings.HasPrefix(p.Digest, "sha256:") {
		t.Errorf("digest = %q", p.Digest)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Step != 6 || p.Warnings[0].After != 5 {
		t.Errorf("warnings = %+v, want one: the Filter of prettier leaves changes in memory before the check", p.Warnings)
	}
}

func TestStepsAreConverted(t *testing.T) {
	p := build(t, resolved(t, nil), everything)
	deadline := engine.Duration(20 * time.Minute)
	want := plan.Plan{Gates: plan.GateNever, Steps: []plan.Step{
		{Name: "agent", Args: plan.Blocks{MessageFrom: []byte(`{"configMapKeyRef":{"name":"turn-17","key":"message"}}`)}},
		{Name: "bump", Args: plan.Edit{Path: "package.json", Edits: []plan.Replacement{{Find: `"1.0.0"`, Replace: `"1.1.0"`}}}},
		{Name: "save", Args: plan.Write{}},
		{Name: "rename", Args: plan.Run{RunDeclaration: engine.RunDeclaration{
			Image: "registry.example.com/fixers/codemod:1", Scope: []string{"src/**/*.ts"}, Needs: []engine.Need{engine.NeedRename, engine.NeedDelete},
			Invoke: engine.Invoke{Command: []string{"codemod"}, Deadline: &deadline},
		}}},
		{Name: "fix", Args: plan.Lint{Paths: []string{"src/**/*.ts"}, Fix: true}},
		{Name: "format", Gate: plan.GateAlways, Args: plan.Format{}},
		{Name: "types", Args: plan.Check{}},
		{Name: "publish", Args: plan.Publish{Config: []byte(`{"git":{"branch":"fettle/web","commit":{"message":"style: format"},"signing":{"secretRef":{"name":"web-signing"}}}}`)}},
	}}
	if diff := cmp.Diff(want, p.Plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestOtherStepsAreConverted(t *testing.T) {
	steps := read[[]v1alpha1.Step](t, `
- {name: a, readLines: {path: x, start: 2, end: 4, label: l}}
- {name: b, readLines: {path: x, start: 2}}
- {name: c, applyPatch: {patch: "*** Begin Patch"}}
- {name: d, write: {paths: [x]}}
- {name: e, format: {paths: [x]}}
- {name: f, blocks: {message: hello, editFormat: none, newline: lf, limits: {maxFileSize: 1}, observations: [{path: a, version: v}]}}
- {name: g, run: {command: [x], args: [z], scope: [s], paths: [p], passPaths: {as: File}, network: Allowed, access: Facade,
    exitCodes: {findings: [3]}, diagnostics: {format: Pattern, pattern: "(?P<message>.*)", stream: Stderr}, resources: {limits: {cpu: "1"}}}}
`)
	got, err := convertPlan(steps, v1alpha1.Gates{Mode: v1alpha1.GateMutating}, nil)
	if err != nil {
		t.Fatal(err)
	}
	end, message := 4, "hello"
	want := plan.Plan{Gates: plan.GateMutating, Steps: []plan.Step{
		{Name: "a", Args: plan.ReadLines{Path: "x", Start: 2, End: &end, Label: "l"}},
		{Name: "b", Args: plan.ReadLines{Path: "x", Start: 2}},
		{Name: "c", Args: plan.ApplyPatch{Patch: "*** Begin Patch"}},
		{Name: "d", Args: plan.Write{Paths: []string{"x"}}},
		{Name: "e", Args: plan.Format{Paths: []string{"x"}}},
		{Name: "f", Args: plan.Blocks{Message: &message, EditFormat: "none", Newline: "lf", Limits: []byte(`{"maxFileSize":1}`), Observations: []byte(`[{"path":"a","version":"v"}]`)}},
		{Name: "g", Args: plan.Run{Paths: []string{"p"}, RunDeclaration: engine.RunDeclaration{Scope: []string{"s"}, Access: engine.Facade, Invoke: engine.Invoke{
			Command: []string{"x"}, Args: []string{"z"}, Paths: engine.PathArgs{As: engine.PathsFile}, Network: engine.NetworkAllowed, ExitCodes: engine.ExitCodes{Findings: []int{3}},
			Diagnostics: engine.Diagnostics{Format: engine.FormatPattern, Pattern: "(?P<message>.*)", Stream: engine.StreamStderr}, Resources: []byte(`{"limits":{"cpu":"1"}}`),
		}}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestEnginesAreConverted(t *testing.T) {
	p := build(t, resolved(t, nil), everything)
	eslint, _ := p.Engines.Engine("eslint")
	if diff := cmp.Diff([]string{"eslint", "--version"}, eslint.VersionCommand); diff != "" {
		t.Errorf("versionCommand (-want +got):\n%s", diff)
	}
	l := eslint.Lints[0]
	if l.Mode != engine.InPlace || l.Access != engine.Mount || l.Writes != engine.WritesInPlace || !l.Fixable || l.Generates || strings.Join(l.Extensions, " ") != "js jsx ts tsx" {
		t.Errorf("eslint's lint = %+v", l)
	}
	wantExec := engine.Exec{
		Image: "registry.example.com/fixers/eslint:10", Command: []string{"eslint", "--format", "json"}, FixArgs: []string{"--fix"},
		Paths: engine.PathArgs{As: engine.PathsArguments, Separator: "--"}, ExitCodes: engine.ExitCodes{Findings: []int{1}},
		Diagnostics: engine.Diagnostics{Format: engine.FormatESLintJSON, Stream: engine.StreamStdout},
		Deadline:    10 * time.Minute, Network: engine.NetworkDenied,
		Resources: []byte(`{"requests":{"cpu":"500m","memory":"512Mi"},"limits":{"memory":"2Gi"}}`),
	}
	if diff := cmp.Diff(wantExec, l.Exec); diff != "" {
		t.Errorf("eslint's exec (-want +got):\n%s", diff)
	}

	prettier, _ := p.Engines.Engine("prettier")
	if got := strings.Join(prettier.Formats[0].Scope.Strings(), " "); got != "src/**/*.css src/**/*.ts" {
		t.Errorf("prettier's scope = %s, want it narrowed to src", got)
	}
	if got := strings.Join(prettier.Formats[0].Exec.Argv(false), " "); got != "prettier --write --log-level warn" {
		t.Errorf("prettier's command = %s", got)
	}
	if prettier.Formats[0].Exec.Network != engine.NetworkAllowed || prettier.Formats[1].Mode != engine.Filter {
		t.Errorf("prettier = %+v", prettier)
	}
	tsc, _ := p.Engines.Engine("tsc")
	if c := tsc.Checks[0]; c.Exec.Paths.As != engine.PathsNone || c.Exec.Diagnostics.Format != engine.FormatTSC {
		t.Errorf("tsc's check = %+v", c)
	}
}

func TestDefaultsHoldWhereNothingIsSaid(t *testing.T) {
	r := Resolved{Policies: []v1alpha1.PolicyLayer{{}}}
	p := build(t, r, everything)
	if p.Acquire.Bounds != workspace.DefaultBounds() {
		t.Errorf("bounds = %+v, want the defaults", p.Acquire.Bounds)
	}
	if !p.Acquire.Exclude.CoversFile("a/node_modules/b") || !p.Acquire.Exclude.CoversFile(".git/config") {
		t.Error("node_modules and .git aren't excluded by default")
	}
	if p.Policy.CanWrite("a").Allowed || !p.Policy.CanRead("a").Allowed {
		t.Error("an empty layer doesn't refuse writing and allow reading")
	}
	if p.Containment != v1alpha1.ContainmentPrefer || p.Deadline != DefaultDeadline {
		t.Errorf("containment %s, deadline %s", p.Containment, p.Deadline)
	}
	r.Plan.Workspace.Exclude = v1alpha1.Globs{}
	if build(t, r, everything).Acquire.Exclude.CoversFile("a/node_modules/b") {
		t.Error("an empty exclude excludes")
	}
	if p := build(t, Resolved{}, everything); p.Policy.Available() || p.Policy.CanRead("a").Allowed {
		t.Error("without a layer something is allowed")
	}
}

func TestPublishIsAStepOnlyWhereItHappens(t *testing.T) {
	last := func(p *Pipeline) plan.Kind { return p.Plan.Steps[len(p.Plan.Steps)-1].Kind() }
	quiet := everything
	quiet.Publishes = false
	if got := last(build(t, resolved(t, nil), quiet)); got == plan.KindPublish {
		t.Error("a driver that doesn't publish has the step")
	}
	checked := build(t, resolved(t, func(s *v1alpha1.DevPipelineSpec) { s.Mode = v1alpha1.PipelineModeCheck }), everything)
	if last(checked) == plan.KindPublish || !checked.CheckOnly {
		t.Error("a pipeline that only checks publishes")
	}
}

func TestARunIsBuiltFromItsCopy(t *testing.T) {
	r := resolved(t, nil)
	copied := FromRun(v1alpha1.DevPipelineRunSpec{Plan: r.Plan, Engines: r.Engines, Policies: r.Policies})
	if got, want := build(t, copied, everything).Digest, build(t, r, everything).Digest; got != want {
		t.Errorf("the digest of the run is %s, that of the pipeline %s", got, want)
	}
}

func TestConstructionRefusesInOrder(t *testing.T) {
	// Each change breaks one thing; all of them are applied from the last up to the one
	// that must be reported.
	breaks := []struct {
		name       string
		change     func(*Resolved)
		wantKind   fault.Kind
		wantReason fault.Reason
		wantIn     string
	}{
		{"bounds", func(r *Resolved) { r.Plan.Workspace.Bounds.MaxDepth = -1 }, fault.InvalidPipeline, fault.ReasonBound, "bounds.maxDepth"},
		{"policy rules", func(r *Resolved) {
			r.Policies = append([]v1alpha1.PolicyLayer{{Ref: &v1alpha1.PolicyReference{Name: "guard"}, PolicyRules: v1alpha1.PolicyRules{Write: &v1alpha1.AccessRules{Deny: v1alpha1.Globs{"a[b]"}}}}}, r.Policies...)
		}, fault.InvalidPipeline, fault.ReasonAmbiguousLiteral, "DevPolicy guard"},
		{"excludes", func(r *Resolved) { r.Plan.Workspace.Exclude = v1alpha1.Globs{"*.{a,b}"} }, fault.InvalidPipeline, fault.ClassBrace, "workspace.exclude"},
		{"MIME overrides", func(r *Resolved) {
			r.Plan.Workspace.MIMETypes = &v1alpha1.MIMETypes{Extensions: map[string]v1alpha1.MIMEType{"TS": "text/plain"}}
		}, fault.InvalidPipeline, fault.ReasonType, "mimeTypes"},
		{"engines", func(r *Resolved) { r.Engines[0].Spec.Lints[0].Extensions = []string{".ts"} }, fault.InvalidPipeline, fault.ReasonType, "lints[0]"},
		{"acquisition", func(r *Resolved) { r.Plan.Workspace.Acquire = v1alpha1.Globs{"src/**", "../x"} }, fault.PathRefused, fault.ClassEscape, "workspace.acquire"},
		{"plan", func(r *Resolved) { r.Plan.Steps[4].Lint.Paths = v1alpha1.Globs{"!x*"} }, fault.BadArgument, fault.ClassNegation, "step 5 fix"},
	}
	for first := range breaks {
		t.Run(breaks[first].name, func(t *testing.T) {
			r := resolved(t, nil)
			for _, b := range breaks[first:] {
				b.change(&r)
			}
			want := breaks[first]
			_, err := Build(r, everything)
			got := fault.As(err)
			if got == nil || got.Kind != want.wantKind || got.Reason != want.wantReason || !strings.Contains(got.Error(), want.wantIn) {
				t.Errorf("Build = %v, want %s (%s) with %s", err, want.wantKind, want.wantReason, want.wantIn)
			}
		})
	}
}

func TestBoundsAreWholeAndPositive(t *testing.T) {
	quantity := func(text string) *v1alpha1.ByteQuantity {
		q := read[v1alpha1.ByteQuantity](t, text)
		return &q
	}
	for name, bounds := range map[string]v1alpha1.Bounds{
		"maxFiles":        {MaxFiles: -1},
		"maxBytesPerFile": {MaxBytesPerFile: quantity("1500m")},
		"maxTotalBytes":   {MaxTotalBytes: quantity("0")},
		"maxDepth":        {MaxDepth: -3},
	} {
		t.Run(name, func(t *testing.T) {
			r := resolved(t, func(s *v1alpha1.DevPipelineSpec) { s.Workspace.Bounds = bounds })
			if _, err := Build(r, everything); !fault.Is(err, fault.InvalidPipeline, fault.ReasonBound) || !strings.Contains(err.Error(), name) {
				t.Errorf("Build = %v, want InvalidPipeline (bound) naming %s", err, name)
			}
		})
	}
}
