// Package pods turns a run into what a cluster is given for it: its Pods, its claim, its
// ServiceAccount with what that may do, and its report (architecture: "How a run executes
// in a cluster"; docs/design/2026-12-01-pods.md).
//
// It is pure: a builder of objects, deterministic to the byte. It refuses an invocation
// that the run's copy of the pipeline doesn't have. It never decides when a Pod is made.
package pods

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// Names of the containers. The verdict on a Pod is that of Workspace; containers of other
// names, as meshes add them, are nobody's.
const (
	Workspace = "workspace" // the sidecar
	Fixer     = "fixer"     // the tool
)

// Backstops in case that neither sidecar nor controller ends a Pod (activeDeadlineSeconds
// kills the sidecar too, so nothing else relies on it).
const (
	backstop        = 10 * time.Minute // beyond the timeout of the run
	recoverBackstop = 30 * time.Minute // of a Pod that only looks
	grace           = 30 * time.Second // for a sidecar to re-read after SIGTERM
)

// Config is what the Pods of all runs share.
type Config struct {
	Image      string            // of the sidecar
	PullPolicy corev1.PullPolicy // of that image; "" is the cluster's default
	Identity   *Identity         // of all containers; nil leaves it to the cluster, as OpenShift wants it
	Sidecar    corev1.ResourceRequirements
	Fixer      corev1.ResourceRequirements // where neither engine nor pipeline says anything
}

// Identity is a numeric user and group.
type Identity struct {
	User, Group int64
}

// Request asks for one Pod.
type Request struct {
	Run         *v1alpha1.DevPipelineRun
	Entry       string // prepare, folders, recover, or that of Invocation
	Attempt     int32  // from 1
	Invocation  *v1alpha1.NextInvocation
	Claim       string                        // of the run
	Node        string                        // where the volume was used last; "" is nowhere yet
	PullSecrets []corev1.LocalObjectReference // of the namespace's ServiceAccount
}

// Pod builds one Pod of a run.
func (c Config) Pod(r Request) (*corev1.Pod, error) {
	b := &builder{Config: c, Request: r}
	if outcome.IsInvocation(r.Entry) {
		tool, err := toolOf(r.Run, r.Invocation)
		if err != nil {
			return nil, err
		}
		b.tool = &tool
	}
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: b.meta(),
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			ActiveDeadlineSeconds:         seconds(b.lifetime()),
			TerminationGracePeriodSeconds: seconds(grace),
			ServiceAccountName:            AccessName(r.Run),
			AutomountServiceAccountToken:  new(false),
			EnableServiceLinks:            new(false),
			SecurityContext:               b.podSecurity(),
			Volumes:                       b.volumes(),
			Containers:                    []corev1.Container{b.workspace()}, // before the fixer: its postStart brings the shim
		},
	}
	if b.tool != nil {
		pod.Spec.Containers = append(pod.Spec.Containers, b.fixer())
	}
	b.settings(&pod.Spec)
	b.prefer(&pod.Spec)
	return pod, nil
}

// builder holds what the parts of one Pod are made of.
type builder struct {
	Config
	Request
	tool *tool // nil without a fixer
}

func (b *builder) lifetime() time.Duration {
	if b.Entry == outcome.Recover || b.Entry == outcome.Folders {
		return recoverBackstop
	}
	return b.Run.Spec.Plan.Timeout.Duration.Duration + backstop
}

func seconds(d time.Duration) *int64 { return new(int64(d.Seconds())) }

// whole says whether the sidecar has the whole of the run's claim at /workspace: while its
// folders may not exist, a subPath of it would be made by the kubelet, as root.
func (b *builder) whole() bool { return b.tool == nil }

// PodName is the name of a run's Pod for an attempt of an entry.
func PodName(run *v1alpha1.DevPipelineRun, entry string, attempt int32) string {
	return childName(run, fmt.Sprintf("%s/%d", entry, attempt))
}
