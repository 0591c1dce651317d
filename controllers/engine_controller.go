package controllers

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/reasons"
)

// EngineReconciler says of engines whether they can be used.
type EngineReconciler struct {
	client.Client
	Events events.EventRecorder
	Now    func() time.Time
}

// +kubebuilder:rbac:groups=fettle.dev,resources=devengines,verbs=get;list;watch
// +kubebuilder:rbac:groups=fettle.dev,resources=devengines/status,verbs=get;patch

// Reconcile judges one engine.
func (r *EngineReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	e := &v1alpha1.DevEngine{}
	if err := r.Get(ctx, req.NamespacedName, e); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before, status := e.DeepCopy().Status.Conditions, e.Status.DeepCopy()
	status.ObservedGeneration = e.Generation
	judged(&status.Conditions, e.Generation, r.Now(), v1alpha1.ReasonInvalidEngine, checkEngine(e.Name, e.Spec))
	written, err := applyStatus(ctx, r.Client, e, status)
	if written {
		tellTransitions(r.Events, e, before, e.Status.Conditions)
	}
	return raced(err)
}

// judged sets the condition Ready of an object that is judged once.
func judged(conditions *[]metav1.Condition, generation int64, now time.Time, reason string, err error) {
	c := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(now), Reason: v1alpha1.ReasonAccepted, Message: reasons.Say(v1alpha1.ReasonAccepted, ""),
	}
	if err != nil {
		why := refusal(reason, err)
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, why.Reason, outcome.Cut(reasons.Say(why.Reason, why.Message), 1024)
	}
	meta.SetStatusCondition(conditions, c)
}

// raced makes a lost race an ordinary reason to look again.
func raced(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: raceDelay}, nil
	}
	return ctrl.Result{}, err
}
