package controllers

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// alarming says whether a condition is something to be warned of: a failure, or an
// obstacle that somebody has to remove.
func alarming(c metav1.Condition) bool {
	if c.Status == metav1.ConditionFalse {
		return true
	}
	return c.Status == metav1.ConditionUnknown && slices.Contains([]string{
		v1alpha1.ReasonQuotaExceeded, v1alpha1.ReasonUnschedulable, v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonStartFailed,
		v1alpha1.ReasonSourceNotFound, v1alpha1.ReasonPodLost,
	}, c.Reason)
}
