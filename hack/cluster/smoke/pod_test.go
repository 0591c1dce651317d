//go:build cluster

package smoke

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/fettle-dev/fettle/hack/cluster/image"
)

// identity is who a Pod runs as.
type identity struct{ user, group, fsGroup *int64 }

var (
	// nonroot is what our Pods have by default.
	nonroot = identity{ptr.To[int64](65532), ptr.To[int64](65532), ptr.To[int64](65532)}
	// assigned is like what OpenShift assigns: a high UID that no image knows, in group 0.
	assigned = identity{ptr.To[int64](1000730000), ptr.To[int64](0), nil}
)

// container is one that the restricted standard admits, with a read-only root.
func container(name, imageRef string, command ...string) corev1.Container {
	return corev1.Container{
		Name: name, Image: imageRef, Command: command,
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false),
			ReadOnlyRootFilesystem:   ptr.To(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "work", MountPath: "/work"}, {Name: "tmp", MountPath: "/tmp"}},
		Env:          []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}},
	}
}

// pod has a volume at /work, a claim if it is named and else an empty directory.
func pod(name string, who identity, claim string, containers ...corev1.Container) *corev1.Pod {
	work := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	if claim != "" {
		work = corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			AutomountServiceAccountToken:  ptr.To(false),
			TerminationGracePeriodSeconds: ptr.To[int64](1),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsUser: who.user, RunAsGroup: who.group, FSGroup: who.fsGroup,
				RunAsNonRoot:   ptr.To(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: containers,
			Volumes: []corev1.Volume{
				{Name: "work", VolumeSource: work},
				{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
}

func shell(name, script string) corev1.Container {
	return container(name, image.Node, "sh", "-euc", script)
}

func TestANodeIsReady(t *testing.T) {
	nodes, err := connect(t).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				return
			}
		}
	}
	t.Errorf("got %d nodes and none Ready, want one", len(nodes.Items))
}

// Otherwise the other tests would prove nothing about the standard.
func TestAPodThatMayBecomeRootIsNotAdmitted(t *testing.T) {
	n := newNamespace(t)
	p := pod("root", nonroot, "", shell("a", "true"))
	p.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
	if _, err := n.client.CoreV1().Pods(n.name).Create(t.Context(), p, metav1.CreateOptions{}); err == nil {
		t.Error("got a Pod, want a refusal")
	}
}

func TestTooMuchMemoryIsAnOOMKill(t *testing.T) {
	n := newNamespace(t)
	c := container("hungry", image.Node, "node", "-e", "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))")
	c.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("96Mi")}
	ended, _ := n.run(pod("hungry", nonroot, "", c))
	got := ended.Status.ContainerStatuses[0].State.Terminated
	if got == nil || got.Reason != "OOMKilled" || got.ExitCode != 137 {
		t.Errorf("got %+v, want OOMKilled with 137", got)
	}
}

func TestAnImageThatIsNowhereIsSaid(t *testing.T) {
	n := newNamespace(t)
	n.create(pod("nowhere", nonroot, "", container("a", "docker.io/fettle/no-such-image:dev", "true")))
	n.until("nowhere", func(p *corev1.Pod) bool {
		for _, s := range p.Status.ContainerStatuses {
			if w := s.State.Waiting; w != nil && (w.Reason == "ErrImagePull" || w.Reason == "ImagePullBackOff") {
				return true
			}
		}
		return false
	})
}

func TestAPodReachesTheAPIServerWithItsToken(t *testing.T) {
	n := newNamespace(t)
	const script = `
const token = require("fs").readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/token", "utf8");
fetch("https://" + process.env.KUBERNETES_SERVICE_HOST + "/api/v1/namespaces/default/pods", {headers: {authorization: "Bearer " + token}})
  .then(r => r.json()).then(s => console.log(s.code, s.message));`
	p := pod("caller", nonroot, "", container("a", image.Node, "node", "-e", script))
	p.Spec.AutomountServiceAccountToken = nil
	p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{
		Name: "NODE_EXTRA_CA_CERTS", Value: "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
	})
	got := n.succeed(p)["a"]
	// Known and not allowed: so the token, the certificate and the service address work.
	contains(t, got, "403", "system:serviceaccount:"+n.name+":default")
}
