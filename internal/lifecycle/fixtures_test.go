package lifecycle

import (
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

func read[T any](t testing.TB, text string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

const (
	copied  = `configMap: {name: files}`
	inPlace = `persistentVolumeClaim: {claimName: checkout}`
)

// observe is an observation of a run that nothing is in the way of.
func observe(t testing.TB, source string, change ...func(*Observation)) Observation {
	t.Helper()
	run := read[v1alpha1.DevPipelineRun](t, `
metadata: {name: web-1, namespace: team, uid: run-uid, generation: 1}
spec:
  pipelineRef: {name: web, uid: pipeline-uid, generation: 1}
  plan:
    timeout: 30m
    retry: {limit: 1}
    source: {`+source+`}
    workspace: {acquire: ["**"]}
    steps:
    - {name: edit, edit: {path: a, edits: [{find: a, replace: b}]}}
    - {name: fix, lint: {fix: true}}
    - {name: format, format: {}}
  policies: [{}]
`)
	o := Observation{Run: &run, Now: now, Own: ClaimPresent}
	if source == inPlace {
		o.Source, o.SourceUID, o.Own = ClaimPresent, "claim-uid", ClaimPresent
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

func fix() *v1alpha1.NextInvocation {
	return &v1alpha1.NextInvocation{Step: 1, Engine: "eslint", Kind: v1alpha1.CapabilityLint}
}

func format() *v1alpha1.NextInvocation {
	return &v1alpha1.NextInvocation{Step: 2, Engine: "prettier", Kind: v1alpha1.CapabilityFormat}
}

// at puts a run at a Pod that has been created.
func at(entry string, attempt int32, next *v1alpha1.NextInvocation, change ...func(*v1alpha1.RunPodStatus)) func(*Observation) {
	return func(o *Observation) {
		p := &v1alpha1.RunPodStatus{
			Name: v1alpha1.ObjectName(pods.PodName(o.Run, entry, attempt)), UID: "pod-uid", Entry: entry, Attempt: attempt,
			Invocation: next, Since: new(ago(time.Minute)), Node: "node-1",
		}
		for _, c := range change {
			c(p)
		}
		o.Run.Status.Pod = p
		if o.Run.Status.StartTime == nil {
			o.Run.Status.StartTime = new(ago(10 * time.Minute))
		}
	}
}

// said lets the sidecar of the named Pod have written its outcome into the status.
func said(o v1alpha1.RunOutcome) func(*Observation) {
	return func(obs *Observation) {
		o.Entry, o.Attempt = obs.Run.Status.Pod.Entry, obs.Run.Status.Pod.Attempt
		obs.Run.Status.Outcome = &o
	}
}

// running is the Pod that the status names, with its containers at work.
func running(change ...func(*corev1.Pod)) func(*Observation) {
	return func(o *Observation) {
		r := o.Run.Status.Pod
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: string(r.Name), UID: "pod-uid", CreationTimestamp: ago(time.Minute), Labels: pods.Labels(o.Run),
		}}
		p.Labels[v1alpha1.LabelInvocation], p.Labels[v1alpha1.LabelAttempt] = r.Entry, strconv.Itoa(int(r.Attempt))
		p.Spec.NodeName = "node-1"
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: ago(time.Minute)}}
		names := []string{pods.Workspace}
		if outcome.IsInvocation(r.Entry) {
			names = append(names, pods.Fixer)
		}
		for _, name := range names {
			c := corev1.Container{Name: name, Image: "registry.example.com/" + name}
			c.Resources.Limits = pods.DefaultFixer().Limits
			p.Spec.Containers = append(p.Spec.Containers, c)
			s := corev1.ContainerStatus{Name: name, Image: c.Image}
			s.State.Running = &corev1.ContainerStateRunning{StartedAt: ago(time.Minute)}
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
		}
		for _, c := range change {
			c(p)
		}
		o.Pod = p
	}
}

func status(p *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == container {
			return &p.Status.ContainerStatuses[i]
		}
	}
	p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: container})
	return &p.Status.ContainerStatuses[len(p.Status.ContainerStatuses)-1]
}

// ended ends a container.
func ended(container string, code int32, reason, message string, before time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		status(p, container).State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, Message: message, StartedAt: ago(before + time.Second), FinishedAt: ago(before),
		}}
	}
}

// held keeps a container from starting.
func held(container, reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		status(p, container).State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
}

func scheduledAgo(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Conditions[0].LastTransitionTime = ago(d) }
}

func unscheduled(message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status.Phase, p.Status.ContainerStatuses = "", corev1.PodPending, nil
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message}}
	}
}

// both ends both containers well, with a termination message.
func both(message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		ended(pods.Workspace, 0, "Completed", message, time.Second)(p)
		if len(p.Spec.Containers) > 1 {
			ended(pods.Fixer, 0, "Completed", "", time.Second)(p)
		}
	}
}
