package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

func chain(all ...func(*corev1.Pod)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, f := range all {
			f(p)
		}
	}
}

func phase(phase corev1.PodPhase, reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase, p.Status.Reason, p.Status.Message = phase, reason, message }
}

func disrupted(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: "disrupted"})
	}
}

func TestWhatCanBeSeenOfAPod(t *testing.T) {
	pull := "ImagePullBackOff"
	for _, tt := range []struct {
		name         string
		pod          func(*corev1.Pod)
		want         stage
		wantReason   string
		wantSays     string
		wantHopeless bool
		wantStarted  bool
		wantIdle     bool
	}{
		{name: "both containers at work", pod: chain(), want: working, wantStarted: true},
		{
			name: "no node takes it", pod: unscheduled("0/3 nodes are available"),
			want: hanging, wantReason: v1alpha1.ReasonUnschedulable, wantSays: "0/3 nodes are available", wantIdle: true,
		},
		{
			name: "the fixer's image isn't pulled yet", pod: held(pods.Fixer, "ContainerCreating", ""),
			want: hanging,
		},
		{
			name: "the fixer's image can't be pulled, within the grace", pod: chain(held(pods.Fixer, pull, "not found"), scheduledAgo(PullGrace-time.Second)),
			want: hanging, wantReason: v1alpha1.ReasonImagePullFailed, wantSays: "registry.example.com/fixer",
		},
		{
			name: "the fixer's image can't be pulled, after the grace", pod: chain(held(pods.Fixer, "ErrImagePull", "not found"), scheduledAgo(PullGrace)),
			want: hanging, wantReason: v1alpha1.ReasonImagePullFailed, wantHopeless: true,
		},
		{
			name: "a name that is no image's", pod: held(pods.Fixer, "InvalidImageName", "couldn't parse"),
			want: hanging, wantReason: v1alpha1.ReasonImagePullFailed, wantHopeless: true,
		},
		{
			name: "the sidecar's image can't be pulled", pod: chain(held(pods.Workspace, pull, ""), held(pods.Fixer, "ContainerCreating", ""), scheduledAgo(PullGrace)),
			want: hanging, wantReason: v1alpha1.ReasonImagePullFailed, wantHopeless: true, wantIdle: true,
		},
		{
			name: "a configuration error", pod: chain(held(pods.Fixer, "CreateContainerConfigError", `secret "x" not found`), scheduledAgo(PullGrace)),
			want: hanging, wantReason: v1alpha1.ReasonStartFailed, wantSays: `secret "x" not found`, wantHopeless: true,
		},
		{
			name: "the fixer can't be started", pod: ended(pods.Fixer, 128, "StartError", "exec: no such file", time.Second),
			want: working, wantReason: v1alpha1.ReasonStartFailed, wantSays: "no such file", wantHopeless: true,
		},
		{
			name: "the fixer has ended, the sidecar re-reads", pod: ended(pods.Fixer, 0, "Completed", "", time.Second),
			want: working, wantStarted: true,
		},
		{
			name: "the sidecar re-reads for ever", pod: ended(pods.Fixer, 0, "Completed", "", RereadGrace),
			want: working, wantReason: v1alpha1.ReasonNoReport, wantHopeless: true, wantStarted: true,
		},
		{
			name: "the sidecar has died, the fixer ends soon", pod: ended(pods.Workspace, 137, "Error", "", time.Second),
			want: working, wantStarted: true,
		},
		{
			name: "the sidecar has died, the fixer doesn't end", pod: ended(pods.Workspace, 137, "Error", "", OrphanGrace),
			want: working, wantReason: v1alpha1.ReasonNoReport, wantHopeless: true, wantStarted: true,
		},
		{
			name: "the sidecar has died, the fixer was never pulled", pod: chain(ended(pods.Workspace, 137, "Error", "", time.Second), held(pods.Fixer, pull, "")),
			want: hanging, wantReason: v1alpha1.ReasonImagePullFailed, wantHopeless: true,
		},
		{
			name: "both have ended", pod: chain(ended(pods.Workspace, 0, "Completed", "", 0), ended(pods.Fixer, 0, "Completed", "", 0)),
			want: over, wantReason: v1alpha1.ReasonNoReport, wantStarted: true,
		},
		{
			name: "a mesh's container goes on", pod: chain(ended(pods.Workspace, 0, "Completed", "", 0), ended(pods.Fixer, 0, "Completed", "", 0), func(p *corev1.Pod) {
				status(p, "istio-proxy").State.Running = &corev1.ContainerStateRunning{}
			}),
			want: over, wantReason: v1alpha1.ReasonNoReport, wantStarted: true,
		},
		{
			name: "the sidecar was killed for its memory", pod: chain(ended(pods.Workspace, 137, "OOMKilled", "", 0), ended(pods.Fixer, 1, "Error", "", 0)),
			want: over, wantReason: v1alpha1.ReasonOOMKilled, wantSays: "sidecar exceeded its memory limit of 1Gi", wantStarted: true,
		},
		{
			name: "the sidecar couldn't work", pod: chain(ended(pods.Workspace, 2, "Error", "state is of another version", 0), ended(pods.Fixer, 1, "Error", "", 0)),
			want: over, wantReason: v1alpha1.ReasonSidecarRefused, wantSays: "another version", wantStarted: true,
		},
		{
			name: "evicted", pod: chain(phase(corev1.PodFailed, "Evicted", "low on memory"), ended(pods.Workspace, 137, "Error", "", 0), ended(pods.Fixer, 137, "Error", "", 0)),
			want: over, wantReason: v1alpha1.ReasonEvicted, wantSays: "low on memory", wantStarted: true,
		},
		{
			name: "preempted", pod: chain(disrupted("PreemptionByScheduler"), ended(pods.Workspace, 143, "Error", "", 0), ended(pods.Fixer, 143, "Error", "", 0)),
			want: over, wantReason: v1alpha1.ReasonEvicted, wantStarted: true,
		},
		{
			name: "its node was tainted", pod: chain(disrupted("DeletionByTaintManager"), phase(corev1.PodFailed, "", "")),
			want: over, wantReason: v1alpha1.ReasonNodeLost, wantStarted: true,
		},
		{
			name: "the backstop struck", pod: chain(phase(corev1.PodFailed, "DeadlineExceeded", ""), ended(pods.Workspace, 137, "Error", "", 0), ended(pods.Fixer, 137, "Error", "", 0)),
			want: over, wantReason: v1alpha1.ReasonDeadlineExceeded, wantStarted: true,
		},
		{
			name: "the node refused it", pod: func(p *corev1.Pod) {
				p.Status.ContainerStatuses = nil
				phase(corev1.PodFailed, "OutOfcpu", "")(p)
			},
			want: over, wantReason: v1alpha1.ReasonStartFailed, wantIdle: true,
		},
		{
			name: "the kubelet never made the containers", pod: chain(phase(corev1.PodFailed, "", ""), ended(pods.Workspace, 137, "ContainerStatusUnknown", "", 0), ended(pods.Fixer, 137, "ContainerStatusUnknown", "", 0)),
			want: over, wantReason: v1alpha1.ReasonNoReport, wantStarted: true, wantIdle: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := observe(t, copied, at("1-0", 1, fix()), running(tt.pod))
			got := look(o.Pod, Refusal{}, now)
			if got.stage != tt.want || got.hopeless != tt.wantHopeless || got.started != tt.wantStarted || got.idle != tt.wantIdle {
				t.Errorf("got stage %v, hopeless %v, started %v, idle %v, want %v, %v, %v, %v",
					got.stage, got.hopeless, got.started, got.idle, tt.want, tt.wantHopeless, tt.wantStarted, tt.wantIdle)
			}
			if got.because.Reason != tt.wantReason || !strings.Contains(got.because.Message, tt.wantSays) {
				t.Errorf("got %+v, want %s, %q", got.because, tt.wantReason, tt.wantSays)
			}
		})
	}
}

func TestTheEventsOfAPodThatHangsSayWhy(t *testing.T) {
	why := Refusal{v1alpha1.ReasonSourceNotFound, `configmap "files" not found`}
	o := observe(t, copied, at("prepare", 1, nil), running(held(pods.Workspace, "ContainerCreating", "")))
	if got := look(o.Pod, why, now); got.because != why || got.stage != hanging || got.hopeless {
		t.Errorf("got %+v, want it to wait because of %+v", got, why)
	}
	o = observe(t, copied, at("prepare", 1, nil), running())
	if got := look(o.Pod, why, now); got.because != (Refusal{}) {
		t.Errorf("a Pod at work: got %+v", got.because)
	}
}
