package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
)

// hangAfter is how long a Pod that a node has taken may take to start before its events
// are read.
const hangAfter = 10 * time.Second

// gatherHang reads the events of a Pod that hangs: what can't be mounted isn't in its
// status.
func (r *RunReconciler) gatherHang(ctx context.Context, o *lifecycle.Observation) error {
	if o.Pod == nil || !hangs(o.Pod, o.Now) {
		return nil
	}
	var list corev1.EventList
	err := r.Live.List(ctx, &list, client.InNamespace(o.Run.Namespace), client.MatchingFields{"involvedObject.uid": string(o.Pod.UID)}, client.Limit(100))
	if err != nil {
		return fmt.Errorf("events of Pod %s: %w", o.Pod.Name, err)
	}
	o.Hang = hangReason(list.Items, o.Run.Spec.Plan.Source)
	return nil
}

// hangs says whether a Pod has been taken by a node for a while and a container waits
// without a reason of its own.
func hangs(p *corev1.Pod, now time.Time) bool {
	if p.Status.Phase != corev1.PodPending || p.Spec.NodeName == "" || p.DeletionTimestamp != nil {
		return false
	}
	since := p.CreationTimestamp.Time
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			since = c.LastTransitionTime.Time
		}
	}
	return now.Sub(since) >= hangAfter
}

// hangReason makes a reason of the last warning of a Pod.
func hangReason(all []corev1.Event, source v1alpha1.Source) lifecycle.Refusal {
	var last *corev1.Event
	for i := range all {
		e := &all[i]
		if e.Type == corev1.EventTypeWarning && (last == nil || seenAt(last).Before(seenAt(e))) {
			last = e
		}
	}
	if last == nil {
		return lifecycle.Refusal{}
	}
	why := lifecycle.Refusal{Reason: v1alpha1.ReasonStartFailed, Message: "the Pod can't be started: " + last.Message}
	if last.Reason == "FailedMount" && source.ConfigMap != nil &&
		(strings.Contains(last.Message, fmt.Sprintf("configmap %q not found", source.ConfigMap.Name)) ||
			strings.Contains(last.Message, "references non-existent config key")) {
		why = lifecycle.Refusal{Reason: v1alpha1.ReasonSourceNotFound, Message: fmt.Sprintf("the ConfigMap %s can't be mounted: %s", source.ConfigMap.Name, last.Message)}
	}
	return why
}

// seenAt is when an event was seen last, in the new form or the old one.
func seenAt(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	default:
		return e.EventTime.Time
	}
}
