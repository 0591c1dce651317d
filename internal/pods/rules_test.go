package pods

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// everyPod calls visit for each kind of Pod, over each kind of source and mode.
func everyPod(t *testing.T, visit func(name string, r Request, pod *corev1.Pod)) {
	t.Helper()
	nexts := map[string]*v1alpha1.NextInvocation{
		outcome.Prepare: nil, outcome.Folders: nil, outcome.Recover: nil,
		"0-0": {Engine: "eslint", Kind: v1alpha1.CapabilityLint},
		"2-0": {Step: 2, Engine: "prettier", Kind: v1alpha1.CapabilityFormat},
		"2-1": {Step: 2, Index: 1, Engine: "prettier", Kind: v1alpha1.CapabilityFormat, Capability: 1},
		"3-0": {Step: 3, Engine: "tsc", Kind: v1alpha1.CapabilityCheck, ReadOnly: true},
		"4-0": {Step: 4, Kind: v1alpha1.CapabilityRun},
	}
	for _, source := range []string{fromConfigMap, fromClaim} {
		for _, mode := range []v1alpha1.PipelineMode{v1alpha1.PipelineModeApply, v1alpha1.PipelineModeCheck} {
			for entry, next := range nexts {
				run := aRun(t, source, settings(t), func(run *v1alpha1.DevPipelineRun) { run.Spec.Plan.Mode = mode })
				r := request(run, entry, next)
				pod, err := config().Pod(r)
				if err != nil {
					t.Fatal(err)
				}
				visit(fmt.Sprintf("%.10s %s %s", source, mode, entry), r, pod)
			}
		}
	}
}

func TestNoPodWithAUsersClaimHasAnFSGroup(t *testing.T) {
	with, without := 0, 0
	everyPod(t, func(name string, r Request, pod *corev1.Pod) {
		mounts := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
			return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == "checkout"
		})
		if mounts {
			with++
		} else {
			without++
		}
		if has := pod.Spec.SecurityContext.FSGroup != nil; has == mounts {
			t.Errorf("%s: mounts the user's claim: %v, has an fsGroup: %v", name, mounts, has)
		}
	})
	if with == 0 || without == 0 {
		t.Errorf("%d Pods with and %d without the claim: the test proves nothing", with, without)
	}
}

func TestAFixerSeesNoStateNoTokenAndNothingElseOfTheVolume(t *testing.T) {
	seen := 0
	everyPod(t, func(name string, r Request, pod *corev1.Pod) {
		if pod.Spec.Volumes == nil || len(pod.Spec.Containers) < 2 {
			return
		}
		seen++
		for _, m := range pod.Spec.Containers[1].VolumeMounts {
			switch {
			case m.Name == claimVolume && m.SubPath != treeFolder && (m.SubPath != depsFolder || !m.ReadOnly):
				t.Errorf("%s: the fixer mounts %q of the claim, read-only %v", name, m.SubPath, m.ReadOnly)
			case m.Name == tokenVolume, strings.HasPrefix(m.MountPath, StateDir), strings.HasPrefix(m.Name, Workspace):
				t.Errorf("%s: the fixer mounts %s at %s", name, m.Name, m.MountPath)
			case m.Name == sourceVolume && m.SubPath != "src/web":
				t.Errorf("%s: the fixer mounts %q of the user's claim", name, m.SubPath)
			case m.MountPath == TreeDir && r.Invocation.ReadOnly && !m.ReadOnly:
				t.Errorf("%s: a check mounts the tree to be written", name)
			}
		}
	})
	if seen == 0 {
		t.Error("no Pod has a fixer")
	}
}

func TestASubPathIsMountedOnlyAfterAPodHasMadeTheFolders(t *testing.T) {
	everyPod(t, func(name string, r Request, pod *corev1.Pod) {
		if outcome.IsInvocation(r.Entry) {
			return
		}
		for _, m := range pod.Spec.Containers[0].VolumeMounts {
			if m.SubPath != "" {
				t.Errorf("%s: mounts the subPath %s", name, m.SubPath)
			}
		}
	})
}

func TestEveryPodIsRestrictedPrivateAndOutOfMeshes(t *testing.T) {
	everyPod(t, func(name string, r Request, pod *corev1.Pod) {
		s := pod.Spec
		if s.RestartPolicy != corev1.RestartPolicyNever || *s.AutomountServiceAccountToken || *s.EnableServiceLinks || s.ShareProcessNamespace != nil ||
			s.HostPID || s.HostIPC || s.HostNetwork || *s.ActiveDeadlineSeconds <= 0 || s.ServiceAccountName != AccessName(r.Run) {
			t.Errorf("%s: %+v", name, s)
		}
		if c := s.SecurityContext; !*c.RunAsNonRoot || *c.RunAsUser == 0 || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: %+v", name, c)
		}
		if s.Containers[0].Name != Workspace || len(s.InitContainers) != 0 || len(s.Containers) > 2 {
			t.Errorf("%s: the sidecar isn't the first container", name)
		}
		for _, c := range s.Containers {
			sc := c.SecurityContext
			if *sc.AllowPrivilegeEscalation || !*sc.ReadOnlyRootFilesystem || sc.RunAsUser != nil || !slices.Equal(sc.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: %s: %+v", name, c.Name, sc)
			}
			if c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s: %s: %+v", name, c.Name, c.Resources)
			}
		}
		if (s.Containers[0].Lifecycle != nil) != (len(s.Containers) == 2) {
			t.Errorf("%s: the shim is brought where there is no fixer, or isn't where there is one", name)
		}
		if pod.Labels["sidecar.istio.io/inject"] != "false" || pod.Annotations["linkerd.io/inject"] != "disabled" || pod.Labels[v1alpha1.LabelRunUID] != string(r.Run.UID) {
			t.Errorf("%s: the pipeline's settings won over ours: %v %v", name, pod.Labels, pod.Annotations)
		}
		for _, v := range s.Volumes {
			if v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil || v.HostPath != nil || v.Secret != nil {
				t.Errorf("%s: volume %s: %+v", name, v.Name, v.VolumeSource)
			}
		}
		if entry, attempt, ok := EntryOf(pod.Labels); !ok || entry != r.Entry || attempt != r.Attempt {
			t.Errorf("%s: its labels say %s, %d, %v", name, entry, attempt, ok)
		}
	})
}

func TestTheSameRequestGivesTheSamePod(t *testing.T) {
	first := map[string]*corev1.Pod{}
	everyPod(t, func(name string, _ Request, pod *corev1.Pod) { first[name] = pod })
	everyPod(t, func(name string, _ Request, pod *corev1.Pod) {
		if diff := cmp.Diff(first[name], pod); diff != "" {
			t.Errorf("%s (-once +twice):\n%s", name, diff)
		}
	})
}

func TestNamesAreShortUniqueAndStable(t *testing.T) {
	run := aRun(t, fromConfigMap)
	run.Name = "a-very-long-pipeline-name-that-is-cut.---x" + strings.Repeat("y", 20)
	seen := map[string]string{}
	add := func(what, name string) {
		if len(name) > 51 {
			t.Errorf("%s: %s has %d characters", what, name, len(name))
		}
		if seen[name] != "" {
			t.Errorf("%s and %s are both called %s", what, seen[name], name)
		}
		seen[name] = what
	}
	for _, entry := range []string{outcome.Prepare, outcome.Recover, outcome.Folders, "0-1", "0-11", "1-0"} {
		for attempt := range int32(12) {
			add(fmt.Sprintf("%s %d", entry, attempt+1), PodName(run, entry, attempt+1))
		}
	}
	add("access", AccessName(run))
	add("claim", ClaimName(run, ""))
	for name := range seen {
		if !strings.HasPrefix(name, "a-very-long-pipeline-name-that-is-cut-") {
			t.Errorf("%s doesn't begin with the run's name, trimmed", name)
		}
	}
	other := run.DeepCopy()
	other.UID = "another"
	if PodName(run, "0-0", 1) == PodName(other, "0-0", 1) || ClaimName(run, "u") != ClaimName(other, "u") || ClaimName(run, "u") == ClaimName(run, "v") {
		t.Error("two runs of one name share a Pod, or of one claim don't share its lock")
	}
}

func TestARunIsNamedByItsCause(t *testing.T) {
	p := &v1alpha1.DevPipeline{}
	p.Name, p.UID = strings.Repeat("p", v1alpha1.MaxPipelineName), "u"
	names := map[string]bool{}
	for _, cause := range []v1alpha1.Cause{
		{Type: v1alpha1.CauseManual, Value: "1"}, {Type: v1alpha1.CauseManual, Value: "2"}, {Type: v1alpha1.CauseSpecChange, Value: "1"},
	} {
		for _, digest := range []string{"a", "b"} {
			name := RunName(p, cause, digest)
			if len(name) > v1alpha1.MaxRunName || names[name] {
				t.Errorf("%s: %d characters, twice: %v", name, len(name), names[name])
			}
			names[name] = true
		}
	}
}

func TestAnInvocationThatTheRunHasNotIsRefused(t *testing.T) {
	for _, next := range []*v1alpha1.NextInvocation{
		nil,
		{Step: 17, Kind: v1alpha1.CapabilityLint, Engine: "eslint"},
		{Step: -1, Kind: v1alpha1.CapabilityLint, Engine: "eslint"},
		{Step: 0, Kind: v1alpha1.CapabilityRun},
		{Step: 0, Kind: v1alpha1.CapabilityLint, Engine: "other"},
		{Step: 0, Kind: v1alpha1.CapabilityLint, Engine: "eslint", Capability: 1},
		{Step: 0, Kind: v1alpha1.CapabilityLint, Engine: "eslint", Capability: -1},
		{Step: 0, Kind: "other", Engine: "eslint"},
	} {
		if pod, err := config().Pod(request(aRun(t, fromConfigMap), "0-0", next)); err == nil {
			t.Errorf("%+v: got a Pod of %s, want an error", next, pod.Spec.Containers[1].Image)
		}
	}
}

func TestACommandIsNotExpanded(t *testing.T) {
	run := aRun(t, fromConfigMap, func(run *v1alpha1.DevPipelineRun) {
		run.Spec.Plan.Steps[4].Run.Command = []string{"sh", "-c", "echo $(HOME)"}
	})
	pod, err := config().Pod(request(run, "4-0", &v1alpha1.NextInvocation{Step: 4, Kind: v1alpha1.CapabilityRun}))
	if err != nil {
		t.Fatal(err)
	}
	if got := pod.Spec.Containers[1].Command[4]; got != "echo $$(HOME)" {
		t.Errorf("got %q, want it escaped", got)
	}
}
