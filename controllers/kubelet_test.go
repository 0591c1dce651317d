package controllers

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

// nodeName is the node that every Pod is bound to.
const nodeName = "node-1"

// pod is the one Pod of the namespace of which something may run, and fails if there are
// more: never may two Pods of a run be at work.
func (w *world) pod() *corev1.Pod {
	w.Helper()
	var found []*corev1.Pod
	for _, o := range w.list(&corev1.PodList{}, w.namespace) {
		if p := o.(*corev1.Pod); p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		w.Fatalf("%d Pods may be at work, want 1; the run says %+v", len(found), w.run().Status.Conditions)
	}
	return found[0]
}

// wantPod is the Pod at work, which must be of an attempt of an entry.
func (w *world) wantPod(entry string, attempt int32) *corev1.Pod {
	w.Helper()
	p := w.pod()
	if e, a, ok := pods.EntryOf(p.Labels); !ok || e != entry || a != attempt {
		w.Fatalf("the Pod at work is of %s #%d, want %s #%d", e, a, entry, attempt)
	}
	return p
}

// bind is the scheduler's part.
func (w *world) bind(p *corev1.Pod) {
	w.Helper()
	if p.Spec.NodeName != "" {
		return
	}
	w.must(w.SubResource("binding").Create(w.Context(), p, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}, Target: corev1.ObjectReference{Kind: "Node", Name: nodeName},
	}))
	w.must(w.Get(w.Context(), client.ObjectKeyFromObject(p), p))
}

// report sets the status of a Pod as its kubelet would.
func (w *world) report(p *corev1.Pod, change func(*corev1.PodStatus)) {
	w.Helper()
	before := p.DeepCopy()
	change(&p.Status)
	w.must(w.Status().Patch(w.Context(), p, client.MergeFrom(before)))
}

// start binds a Pod and starts its containers.
func (w *world) start(p *corev1.Pod) {
	w.Helper()
	w.bind(p)
	w.report(p, func(s *corev1.PodStatus) {
		s.Phase = corev1.PodRunning
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.clock)}}
		s.ContainerStatuses = nil
		for _, c := range p.Spec.Containers {
			s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
				Name: c.Name, Image: c.Image, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.clock)}},
			})
		}
	})
}

// stop ends the containers of a Pod.
func (w *world) stop(p *corev1.Pod, change ...func(*corev1.PodStatus)) {
	w.Helper()
	w.report(p, func(s *corev1.PodStatus) {
		s.Phase = corev1.PodSucceeded
		for i := range s.ContainerStatuses {
			s.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				Reason: "Completed", StartedAt: metav1.NewTime(w.clock), FinishedAt: metav1.NewTime(w.clock),
			}}
		}
		for _, c := range change {
			c(s)
		}
	})
}

// exits gives a container an exit code, a reason and a termination message.
func exits(container string, code int32, reason, message string) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		if code != 0 {
			s.Phase = corev1.PodFailed
		}
		for i := range s.ContainerStatuses {
			if t := s.ContainerStatuses[i].State.Terminated; t != nil && s.ContainerStatuses[i].Name == container {
				t.ExitCode, t.Reason, t.Message = code, reason, message
			}
		}
	}
}

// say is what the sidecar of a Pod writes before it ends: the outcome, and, for an
// invocation, its entry.
func (w *world) say(p *corev1.Pod, o v1alpha1.RunOutcome) {
	w.Helper()
	o.Entry, o.Attempt, _ = pods.EntryOf(p.Labels)
	status := v1alpha1.DevPipelineRunStatus{Outcome: new(outcome.Fit(o))}
	run := get(w, p.Labels[v1alpha1.LabelRun], &v1alpha1.DevPipelineRun{})
	if next := run.Status.Pod.Invocation; next != nil && outcome.IsInvocation(o.Entry) {
		entry := v1alpha1.InvocationStatus{
			Name: o.Entry, Step: run.Spec.Plan.Steps[next.Step].Name, Engine: next.Engine, Attempt: o.Attempt,
			Outcome: v1alpha1.OutcomeCompleted, Paths: 3, Changed: 1, Version: "v1.2.3", Image: "sha256:" + v1alpha1.Digest(slices.Repeat([]byte("0"), 64)),
			Containment: &v1alpha1.ContainmentStatus{Kind: v1alpha1.ContainmentLandlockFiles},
			StartTime:   new(metav1.NewTime(w.clock)), CompletionTime: new(metav1.NewTime(w.clock)),
		}
		if fitted, ok := outcome.FitEntry(run.Status.Invocations, entry); ok {
			status.Invocations = []v1alpha1.InvocationStatus{fitted}
		}
	}
	raw, err := json.Marshal(status)
	w.must(err)
	fields := map[string]any{}
	w.must(json.Unmarshal(raw, &fields))
	u := &unstructured.Unstructured{Object: map[string]any{"status": fields}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("DevPipelineRun"))
	u.SetName(run.Name)
	u.SetNamespace(run.Namespace)
	w.must(w.Status().Apply(w.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(outcome.Manager(o.Entry)), client.ForceOwnership))
}

// serve lets the Pod at work do its work and end.
func (w *world) serve(entry string, attempt int32, o v1alpha1.RunOutcome) {
	w.Helper()
	p := w.wantPod(entry, attempt)
	w.start(p)
	w.settle()
	w.say(p, o)
	w.settle()
	w.must(client.IgnoreNotFound(w.Get(w.Context(), client.ObjectKeyFromObject(p), p)))
	if p.DeletionTimestamp == nil && p.UID != "" {
		if err := w.Get(w.Context(), client.ObjectKeyFromObject(p), p); err == nil {
			w.stop(p)
		}
	}
	w.settle()
}

// vanish deletes a Pod with no grace.
func (w *world) vanish(p *corev1.Pod) {
	w.Helper()
	w.must(client.IgnoreNotFound(w.Delete(w.Context(), p, client.GracePeriodSeconds(0))))
}

// collect does what a cluster does with what is being deleted, and with what has lost its
// owner: Pods end, claims that no Pod uses go, dependents follow their owners.
func (w *world) collect() {
	w.Helper()
	used := map[string]bool{}
	for _, o := range w.list(&corev1.PodList{}, w.namespace) {
		p := o.(*corev1.Pod)
		if p.DeletionTimestamp != nil && !w.stubborn(p) {
			w.vanish(p)
			continue
		}
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				used[v.PersistentVolumeClaim.ClaimName] = true
			}
		}
	}
	for _, o := range w.list(&corev1.PersistentVolumeClaimList{}, w.namespace) {
		if o.GetDeletionTimestamp() != nil && !used[o.GetName()] {
			before := o.DeepCopyObject().(client.Object)
			o.SetFinalizers(nil)
			w.must(client.IgnoreNotFound(w.Patch(w.Context(), o, client.MergeFrom(before))))
		}
	}
	w.followOwners()
}

// stubborn says whether a test wants a Pod to stay though it is being deleted.
func (w *world) stubborn(p *corev1.Pod) bool { return p.Annotations["test/stubborn"] != "" }

func (w *world) followOwners() {
	w.Helper()
	owners := map[string]bool{}
	for _, l := range []client.ObjectList{&v1alpha1.DevPipelineList{}, &v1alpha1.DevPipelineRunList{}} {
		for _, o := range w.list(l, w.namespace) {
			owners[string(o.GetUID())] = true
		}
	}
	for _, l := range append(made(), &v1alpha1.DevPipelineRunList{}, &v1alpha1.DevPipelineReportList{}) {
		for _, o := range w.list(l, w.namespace) {
			if refs := o.GetOwnerReferences(); len(refs) > 0 && !owners[string(refs[0].UID)] && o.GetDeletionTimestamp() == nil {
				if err := w.Delete(w.Context(), o); err != nil && !apierrors.IsNotFound(err) {
					w.Fatal(err)
				}
			}
		}
	}
}
