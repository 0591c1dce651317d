package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
	"github.com/fettle-dev/fettle/internal/pods"
)

// gather finds out what a decision about a run rests on.
func (r *RunReconciler) gather(ctx context.Context, run *v1alpha1.DevPipelineRun) (lifecycle.Observation, error) {
	o := lifecycle.Observation{Run: run, Now: r.Now()}
	if run.Status.CompletionTime != nil {
		return o, nil
	}
	for _, look := range []func(context.Context, *lifecycle.Observation) error{
		r.gatherNamespace, r.gatherClaims, r.gatherPod, r.gatherNode, r.gatherHang, r.gatherPolicies, r.gatherAdmission, r.gatherQueue,
	} {
		if err := look(ctx, &o); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (r *RunReconciler) gatherNamespace(ctx context.Context, o *lifecycle.Observation) error {
	n, err := namespaceOf(ctx, r.Client, o.Run.Namespace)
	if err != nil {
		return err
	}
	o.Leaving = n.DeletionTimestamp != nil
	return nil
}

// get gets an object of a run from the cache, or from the API server where the cache
// hasn't got it: a Pod that was made a moment ago isn't lost.
func (r *RunReconciler) get(ctx context.Context, namespace, name string, o client.Object) (found bool, err error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	err = r.Get(ctx, key, o)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, o)
	}
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return true, nil
}

// gatherClaims looks at the user's claim, which isn't in the cache, and at the run's own.
func (r *RunReconciler) gatherClaims(ctx context.Context, o *lifecycle.Observation) error {
	run := o.Run
	if source := run.Spec.Plan.Source.PersistentVolumeClaim; source != nil {
		claim := &corev1.PersistentVolumeClaim{}
		err := r.Live.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: string(source.ClaimName)}, claim)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("claim %s: %w", source.ClaimName, err)
		}
		o.Source = claimState(err == nil, claim, "")
		o.SourceUID = string(claim.UID)
		if o.Source == lifecycle.ClaimAbsent {
			o.SourceUID = "" // its name is known from the status, if it is needed
		}
	}
	own := &corev1.PersistentVolumeClaim{}
	found, err := r.get(ctx, run.Namespace, ownClaim(run, o.SourceUID), own)
	if err != nil {
		return fmt.Errorf("the run's own claim: %w", err)
	}
	o.Own = claimState(found, own, string(run.UID))
	return nil
}

// ownClaim is the name of a run's own claim: the one that the status has, once there is one.
func ownClaim(run *v1alpha1.DevPipelineRun, sourceUID string) string {
	switch s := run.Status.Source; {
	case s != nil && s.StateClaimName != "":
		return string(s.StateClaimName)
	case s != nil && s.ClaimName != "":
		return string(s.ClaimName)
	default:
		return pods.ClaimName(run, sourceUID)
	}
}

// claimState tells the state of a claim that ought to be a run's, or anybody's if runUID
// is empty.
func claimState(found bool, claim *corev1.PersistentVolumeClaim, runUID string) lifecycle.Claim {
	switch {
	case !found:
		return lifecycle.ClaimAbsent
	case runUID != "" && claim.Labels[v1alpha1.LabelRunUID] != runUID:
		return lifecycle.ClaimTaken
	case claim.DeletionTimestamp != nil:
		return lifecycle.ClaimLeaving
	default:
		return lifecycle.ClaimPresent
	}
}

// gatherPod finds the Pod that the status names; without one, the last that the run has.
func (r *RunReconciler) gatherPod(ctx context.Context, o *lifecycle.Observation) error {
	run := o.Run
	if run.Status.Pod == nil {
		var list corev1.PodList
		if err := r.List(ctx, &list, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
			return fmt.Errorf("list the run's Pods: %w", err)
		}
		o.Pod = latest(list.Items)
		return nil
	}
	pod := &corev1.Pod{}
	found, err := r.get(ctx, run.Namespace, string(run.Status.Pod.Name), pod)
	if err != nil {
		return fmt.Errorf("get Pod %s: %w", run.Status.Pod.Name, err)
	}
	if found && pod.Labels[v1alpha1.LabelRunUID] == string(run.UID) {
		o.Pod = pod
	}
	return nil
}

// latest is the Pod that was made last.
func latest(list []corev1.Pod) *corev1.Pod {
	var last *corev1.Pod
	for i := range list {
		p := &list[i]
		if last == nil || last.CreationTimestamp.Before(&p.CreationTimestamp) ||
			last.CreationTimestamp.Equal(&p.CreationTimestamp) && last.Name < p.Name {
			last = p
		}
	}
	return last
}

// gatherNode looks at the node of a Pod that doesn't end, or is gone.
func (r *RunReconciler) gatherNode(ctx context.Context, o *lifecycle.Observation) error {
	record := o.Run.Status.Pod
	if record == nil || record.Node == "" || o.Pod != nil && o.Pod.DeletionTimestamp == nil && !unready(o.Pod) {
		return nil
	}
	node := &corev1.Node{}
	err := r.Live.Get(ctx, client.ObjectKey{Name: record.Node}, node)
	o.NodeGone = apierrors.IsNotFound(err)
	if err != nil && !o.NodeGone {
		return fmt.Errorf("node %s: %w", record.Node, err)
	}
	return nil
}

// unready says whether a node's controller has marked a Pod of a node that doesn't answer.
func unready(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse && c.Reason == "NodeNotReady" {
			return true
		}
	}
	return p.Status.Reason == "NodeLost"
}

// gatherPolicies compares the policies that the run copied with those that there are.
func (r *RunReconciler) gatherPolicies(ctx context.Context, o *lifecycle.Observation) error {
	for _, layer := range o.Run.Spec.Policies {
		if layer.Ref == nil {
			continue
		}
		p := &v1alpha1.DevPolicy{}
		err := r.Get(ctx, client.ObjectKey{Name: string(layer.Ref.Name)}, p)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("policy %s: %w", layer.Ref.Name, err)
		}
		if o.Withdrawn = withdrawn(*layer.Ref, err == nil, p); o.Withdrawn != "" {
			return nil
		}
	}
	return nil
}

// withdrawn says in what way a policy isn't any more what a run copied, "" if it is.
func withdrawn(copied v1alpha1.PolicyReference, found bool, p *v1alpha1.DevPolicy) string {
	switch {
	case !found || string(p.UID) != copied.UID || p.DeletionTimestamp != nil:
		return fmt.Sprintf("the DevPolicy %s, which the run copied, was deleted", copied.Name)
	case p.Generation != copied.Generation:
		return fmt.Sprintf("the DevPolicy %s, which the run copied, was changed", copied.Name)
	default:
		return ""
	}
}
