package controllers

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/lifecycle"
)

// refused is an object that couldn't be created.
type refused struct {
	kind, name string
	err        error
}

func (r *refused) Error() string { return fmt.Sprintf("create %s %s: %v", r.kind, r.name, r.err) }
func (r *refused) Unwrap() error { return r.err }

// unbuildable is a Pod that can't be made of what a sidecar said.
type unbuildable struct{ err error }

func (u *unbuildable) Error() string { return u.err.Error() }
func (u *unbuildable) Unwrap() error { return u.err }

// obstacleOf says of an error what a user can do something about; zero if nothing. final
// means that trying again can't help.
func obstacleOf(err error) (why lifecycle.Refusal, final bool) {
	var u *unbuildable
	if errors.As(err, &u) {
		return lifecycle.Refusal{Reason: v1alpha1.ReasonStepFailed, Message: "the run's status asks for what the run hasn't got: " + u.Error()}, true
	}
	var r *refused
	if !errors.As(err, &r) {
		return lifecycle.Refusal{}, false
	}
	message := fmt.Sprintf("the %s %s can't be created: %s", r.kind, r.name, r.err)
	switch {
	case errors.Is(err, errForeign):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonStartFailed, Message: message}, false
	case apierrors.HasStatusCause(r.err, "NamespaceTerminating"):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonAbandoned, Message: "the namespace is being deleted"}, false
	case apierrors.IsForbidden(r.err) && strings.Contains(r.err.Error(), "exceeded quota"):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonQuotaExceeded, Message: message}, false
	case apierrors.IsForbidden(r.err):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonStartFailed, Message: message}, false
	case apierrors.IsInvalid(r.err) || apierrors.IsBadRequest(r.err):
		return lifecycle.Refusal{Reason: v1alpha1.ReasonStartFailed, Message: message}, true
	default:
		return lifecycle.Refusal{}, false
	}
}
