package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// PolicyReconciler says of policies whether they can be used. What a policy does to runs
// is decided where runs are: one that changes or goes away cancels those that copied it.
type PolicyReconciler struct {
	client.Client
	Events events.EventRecorder
	Now    func() time.Time
}

// +kubebuilder:rbac:groups=fettle.dev,resources=devpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=fettle.dev,resources=devpolicies/status,verbs=get;patch

// Reconcile judges one policy.
func (r *PolicyReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	p := &v1alpha1.DevPolicy{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before, status := p.DeepCopy().Status.Conditions, p.Status.DeepCopy()
	status.ObservedGeneration = p.Generation
	judged(&status.Conditions, p.Generation, r.Now(), v1alpha1.ReasonInvalidPolicy, checkPolicy(p.Name, p.Spec))
	written, err := applyStatus(ctx, r.Client, p, status)
	if written {
		tellTransitions(r.Events, p, before, p.Status.Conditions)
	}
	return raced(err)
}
