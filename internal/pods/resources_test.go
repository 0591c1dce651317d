package pods

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

func text(r corev1.ResourceRequirements) string {
	return fmt.Sprintf("cpu %s-%s memory %s-%s", r.Requests.Cpu(), r.Limits.Cpu(), r.Requests.Memory(), r.Limits.Memory())
}

func TestResourcesOfATool(t *testing.T) {
	for _, tt := range []struct{ name, pod, tool, want string }{
		{"nobody says anything", `{}`, `{}`, "cpu 100m-0 memory 128Mi-1Gi"},
		{"the pipeline does", `{requests: {cpu: 1}, limits: {cpu: 2, memory: 3Gi}}`, `{}`, "cpu 1-2 memory 128Mi-3Gi"},
		{"the tool's win", `{limits: {memory: 3Gi}}`, `{limits: {memory: 2Gi}}`, "cpu 100m-0 memory 128Mi-2Gi"},
		{"a request above a default limit raises it", `{}`, `{requests: {memory: 5Gi}}`, "cpu 100m-0 memory 5Gi-5Gi"},
		{"a limit below a default request lowers it", `{}`, `{limits: {memory: 64Mi}}`, "cpu 100m-0 memory 64Mi-64Mi"},
		{"a limit that is given with a request stands", `{}`, `{requests: {memory: 5Gi}, limits: {memory: 6Gi}}`, "cpu 100m-0 memory 5Gi-6Gi"},
	} {
		run := aRun(t, fromConfigMap)
		run.Spec.Plan.Pod = &v1alpha1.PodSettings{Resources: read[v1alpha1.Resources](t, tt.pod)}
		b := &builder{Config: config(), Request: Request{Run: run}, tool: &tool{resources: read[v1alpha1.Resources](t, tt.tool)}}
		if got := text(b.resources()); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if c := config(); text(c.Fixer) != text(DefaultFixer()) {
			t.Errorf("%s: the default was changed to %s", tt.name, text(c.Fixer))
		}
	}
}

func TestAPolicyBoundsVolumeAndResources(t *testing.T) {
	most := read[v1alpha1.PolicyLimits](t, `{volumeSize: 1Gi, resources: {cpu: 2, memory: 512Mi}}`)
	run := aRun(t, fromConfigMap)
	before := run.DeepCopy()
	r := pipeline.FromRun(run.Spec)
	config().Bound(&r, most)
	if got := r.Plan.Workspace.Volume.Size.String(); got != "1Gi" {
		t.Errorf("the volume has %s, want 1Gi", got)
	}
	bounded := run.DeepCopy()
	bounded.Spec.Plan, bounded.Spec.Engines = r.Plan, r.Engines
	for entry, next := range map[string]*v1alpha1.NextInvocation{
		"0-0": {Engine: "eslint", Kind: v1alpha1.CapabilityLint},
		"2-1": {Step: 2, Engine: "prettier", Kind: v1alpha1.CapabilityFormat, Capability: 1},
		"3-0": {Step: 3, Engine: "tsc", Kind: v1alpha1.CapabilityCheck},
		"4-0": {Step: 4, Kind: v1alpha1.CapabilityRun},
	} {
		pod, err := config().Pod(request(bounded, entry, next))
		if err != nil {
			t.Fatal(err)
		}
		limits := pod.Spec.Containers[1].Resources.Limits
		if limits.Memory().Cmp(most.Resources.Memory.Quantity) > 0 || limits.Cpu().IsZero() || limits.Cpu().Cmp(most.Resources.CPU.Quantity) > 0 {
			t.Errorf("%s: the limits are cpu %s, memory %s, beyond the policy's", entry, limits.Cpu(), limits.Memory())
		}
	}
	if diff := cmp.Diff(before, run); diff != "" {
		t.Errorf("what was given was changed (-before +after):\n%s", diff)
	}
	again := r
	config().Bound(&again, most)
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("bounding twice differs (-once +twice):\n%s", diff)
	}
}

func TestAPolicyWithoutLimitsBoundsNothing(t *testing.T) {
	r := pipeline.FromRun(aRun(t, fromConfigMap).Spec)
	want := r
	config().Bound(&r, v1alpha1.PolicyLimits{})
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
