package pods

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

func check(run *v1alpha1.DevPipelineRun) { run.Spec.Plan.Mode = v1alpha1.PipelineModeCheck }

func settings(t *testing.T) func(*v1alpha1.DevPipelineRun) {
	return func(run *v1alpha1.DevPipelineRun) {
		run.Spec.Plan.Pod = new(read[v1alpha1.PodSettings](t, `
nodeSelector: {disk: fast}
tolerations: [{key: dedicated, operator: Equal, value: ci, effect: NoSchedule}, {operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
imagePullSecrets: [{name: mirror}, {name: shared}]
resources: {requests: {cpu: "1"}, limits: {memory: 3Gi, ephemeral-storage: 5Gi}}
labels: {team: a, fettle.dev/run-uid: forged, sidecar.istio.io/inject: "true"}
annotations: {note: hello, linkerd.io/inject: enabled}
priorityClassName: low
runtimeClassName: gvisor
`))
	}
}

func TestPodsOfARun(t *testing.T) {
	lint := &v1alpha1.NextInvocation{Step: 0, Engine: "eslint", Kind: v1alpha1.CapabilityLint}
	format := &v1alpha1.NextInvocation{Step: 2, Index: 1, Engine: "prettier", Kind: v1alpha1.CapabilityFormat, Capability: 1}
	types := &v1alpha1.NextInvocation{Step: 3, Engine: "tsc", Kind: v1alpha1.CapabilityCheck, ReadOnly: true}
	codemod := &v1alpha1.NextInvocation{Step: 4, Kind: v1alpha1.CapabilityRun}
	owned := func(run *v1alpha1.DevPipelineRun) {
		run.Status.Source = &v1alpha1.SourceStatus{RunAs: &v1alpha1.RunAs{User: 1000, Group: new(int64(100))}}
	}
	for _, tt := range []struct {
		name   string
		config func(*Config)
		give   Request
	}{
		{"prepare-configmap", nil, request(aRun(t, fromConfigMap), outcome.Prepare, nil)},
		{"prepare-claim", nil, request(aRun(t, fromClaim), outcome.Prepare, nil)},
		{"prepare-claim-check", nil, request(aRun(t, fromClaim, check), outcome.Prepare, nil)},
		{"folders-claim", nil, request(aRun(t, fromClaim, owned), outcome.Folders, nil)},
		{"recover-configmap", nil, request(aRun(t, fromConfigMap), outcome.Recover, nil)},
		{"recover-claim", nil, request(aRun(t, fromClaim, owned), outcome.Recover, nil)},
		{"invocation-lint", nil, request(aRun(t, fromConfigMap), "0-0", lint)},
		{"invocation-check", nil, request(aRun(t, fromConfigMap), "3-0", types)},
		{"invocation-claim", nil, request(aRun(t, fromClaim, owned), "4-0", codemod)},
		{"invocation-claim-check", nil, request(aRun(t, fromClaim, check), "2-1", format)},
		{"identity-assigned", func(c *Config) { c.Identity = nil }, request(aRun(t, fromConfigMap), "2-1", format)},
		{"settings", func(c *Config) { c.PullPolicy = corev1.PullAlways }, Request{
			Run: aRun(t, fromConfigMap, settings(t)), Entry: "2-1", Attempt: 3, Invocation: format, Claim: "c", Node: "node-1",
			PullSecrets: []corev1.LocalObjectReference{{Name: "shared"}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config()
			if tt.config != nil {
				tt.config(&c)
			}
			pod, err := c.Pod(tt.give)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, pod)
		})
	}
}

func TestWhatARunOwnsBesideItsPods(t *testing.T) {
	run := aRun(t, fromConfigMap)
	golden(t, "access", ServiceAccount(run), Role(run), RoleBinding(run))
	golden(t, "report", Report(run))
	golden(t, "claim", Claim(run, ClaimName(run, "")))
	inPlace := aRun(t, fromClaim)
	golden(t, "claim-state", Claim(inPlace, ClaimName(inPlace, "c1a1")))
}
