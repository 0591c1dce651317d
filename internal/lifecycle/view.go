package lifecycle

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

const oomKilled = "OOMKilled"

// view is a Pod with its containers told apart by name.
type view struct {
	*corev1.Pod
	now            time.Time
	withFixer      bool
	sidecar, fixer corev1.ContainerStatus
}

func viewOf(p *corev1.Pod, now time.Time) view {
	v := view{Pod: p, now: now}
	for _, c := range p.Spec.Containers {
		v.withFixer = v.withFixer || c.Name == pods.Fixer
	}
	for _, s := range p.Status.ContainerStatuses {
		switch s.Name {
		case pods.Workspace:
			v.sidecar = s
		case pods.Fixer:
			v.fixer = s
		}
	}
	return v
}

// isOver says whether nothing of ours runs any more. Containers of others don't count.
func (v view) isOver() bool {
	if v.Status.Phase == corev1.PodSucceeded || v.Status.Phase == corev1.PodFailed {
		return true
	}
	return v.sidecar.State.Terminated != nil && (!v.withFixer || v.fixer.State.Terminated != nil)
}

func (v view) hasRun() bool {
	if v.withFixer {
		return hasRun(v.fixer)
	}
	return hasRun(v.sidecar)
}

// hasRun says whether a container ran, or may have: one that couldn't be started has an
// end of its own.
func hasRun(s corev1.ContainerStatus) bool {
	t := s.State.Terminated
	return s.State.Running != nil || t != nil && t.Reason != "StartError" && t.Reason != "ContainerCannotRun"
}

// isIdle says whether a container of a Pod that isn't over hasn't run. A kubelet calls the
// end of one unknown that it had never made.
func isIdle(s corev1.ContainerStatus) bool {
	t := s.State.Terminated
	return !hasRun(s) || t != nil && t.Reason == "ContainerStatusUnknown"
}

func (v view) scheduled() *corev1.PodCondition { return v.condition(corev1.PodScheduled) }

func (v view) condition(of corev1.PodConditionType) *corev1.PodCondition {
	for i := range v.Status.Conditions {
		if v.Status.Conditions[i].Type == of {
			return &v.Status.Conditions[i]
		}
	}
	return nil
}

// since is when the node took the Pod.
func (v view) since() time.Time {
	if c := v.scheduled(); c != nil && !c.LastTransitionTime.IsZero() {
		return c.LastTransitionTime.Time
	}
	return v.CreationTimestamp.Time
}

func (v view) limit(container string) string {
	for _, c := range v.Spec.Containers {
		if c.Name == container {
			return c.Resources.Limits.Memory().String()
		}
	}
	return ""
}

// endedBy says why a Pod that is over may have left no word.
func (v view) endedBy() Refusal {
	if r, ok := v.disrupted(); ok {
		return r
	}
	t := v.sidecar.State.Terminated
	switch {
	case t == nil:
		return Refusal{v1alpha1.ReasonNoReport, "the Pod ended before its sidecar ran: " + cmp.Or(v.Status.Message, v.Status.Reason, "nobody says why")}
	case t.Reason == oomKilled:
		return Refusal{v1alpha1.ReasonOOMKilled, fmt.Sprintf("the sidecar exceeded its memory limit of %s", v.limit(pods.Workspace))}
	case t.ExitCode == 2:
		return Refusal{v1alpha1.ReasonSidecarRefused, cmp.Or(t.Message, "the sidecar couldn't do its work")}
	case t.ExitCode == 0:
		return Refusal{v1alpha1.ReasonNoReport, "the sidecar ended without saying where the run stands"}
	default:
		return Refusal{v1alpha1.ReasonNoReport, fmt.Sprintf("the sidecar ended with exit code %d and no word", t.ExitCode)}
	}
}

// disrupted says what the cluster did to the Pod.
func (v view) disrupted() (Refusal, bool) {
	message := cmp.Or(v.Status.Message, v.Status.Reason)
	switch v.Status.Reason {
	case "Evicted", "Preempting", "Terminated", "NodeShutdown", "Shutdown":
		return Refusal{v1alpha1.ReasonEvicted, message}, true
	case "NodeLost":
		return Refusal{v1alpha1.ReasonNodeLost, message}, true
	case "DeadlineExceeded":
		return Refusal{v1alpha1.ReasonDeadlineExceeded, message}, true
	case "UnexpectedAdmissionError", "OutOfcpu", "OutOfmemory", "OutOfephemeral-storage", "OutOfpods", "NodeAffinity", "NodePorts":
		return Refusal{v1alpha1.ReasonStartFailed, message}, true
	}
	c := v.condition(corev1.DisruptionTarget)
	if c == nil || c.Status != corev1.ConditionTrue {
		return Refusal{}, false
	}
	if c.Reason == "DeletionByPodGC" || c.Reason == "DeletionByTaintManager" {
		return Refusal{v1alpha1.ReasonNodeLost, cmp.Or(c.Message, c.Reason)}, true
	}
	return Refusal{v1alpha1.ReasonEvicted, cmp.Or(c.Message, c.Reason)}, true
}
