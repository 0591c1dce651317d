package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// applyStatus writes the status of an object by server-side apply, if it differs from what
// the object has; fields that others own are left out of both. The write fails with a
// conflict if the object isn't the one any more that was read. object then is as it was
// written.
func applyStatus[T any, P interface {
	*T
	client.Object
}](ctx context.Context, c client.Client, object P, status any, others ...string) (written bool, err error) {
	want, err := fieldsOf(status, others)
	if err != nil {
		return false, err
	}
	whole, err := fieldsOf(object, nil)
	if err != nil {
		return false, err
	}
	has, _ := whole["status"].(map[string]any)
	for _, name := range others {
		delete(has, name)
	}
	same, err := equal(has, want)
	if err != nil || same {
		return false, err
	}
	gvk, err := apiutil.GVKForObject(object, c.Scheme())
	if err != nil {
		return false, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"status": want}}
	u.SetGroupVersionKind(gvk)
	u.SetName(object.GetName())
	u.SetNamespace(object.GetNamespace())
	u.SetResourceVersion(object.GetResourceVersion())
	if err := c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return false, fmt.Errorf("status of %s %s: %w", gvk.Kind, object.GetName(), err)
	}
	raw, err := u.MarshalJSON()
	if err != nil {
		return false, err
	}
	var fresh T
	if err := json.Unmarshal(raw, &fresh); err != nil {
		return false, err
	}
	*object = fresh
	return true, nil
}

// fieldsOf is a value as JSON without some of its members.
func fieldsOf(v any, without []string) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	for _, name := range without {
		delete(fields, name)
	}
	return fields, nil
}

func equal(a, b map[string]any) (bool, error) {
	if len(a) == 0 && len(b) == 0 {
		return true, nil
	}
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return bytes.Equal(x, y), err
}

// tellTransitions tells by events which conditions have another status or reason.
func tellTransitions(recorder events.EventRecorder, object client.Object, before, after []metav1.Condition) {
	for _, c := range after {
		if c.Type == v1alpha1.ConditionReconciling || c.Type == v1alpha1.ConditionStalled {
			continue // they follow from Ready
		}
		was := meta.FindStatusCondition(before, c.Type)
		if was != nil && was.Status == c.Status && was.Reason == c.Reason {
			continue
		}
		kind := corev1.EventTypeNormal
		if alarming(c) {
			kind = corev1.EventTypeWarning
		}
		recorder.Eventf(object, nil, kind, c.Reason, "Reconcile", "%s", outcome.Cut(c.Message, 1024))
	}
}
