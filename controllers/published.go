package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

// namespaceOf reads what is needed of a namespace: its labels, and whether it is going.
func namespaceOf(ctx context.Context, c client.Reader, name string) (*metav1.PartialObjectMetadata, error) {
	n := &metav1.PartialObjectMetadata{}
	n.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := c.Get(ctx, client.ObjectKey{Name: name}, n); err != nil {
		return nil, fmt.Errorf("namespace %s: %w", name, err)
	}
	return n, nil
}

// published reads the engines that there are and the policies that select a namespace.
func published(ctx context.Context, c client.Reader, namespace string) (pipeline.Published, error) {
	var from pipeline.Published
	n, err := namespaceOf(ctx, c, namespace)
	if err != nil {
		return from, err
	}
	var engines v1alpha1.DevEngineList
	if err := c.List(ctx, &engines); err != nil {
		return from, fmt.Errorf("engines: %w", err)
	}
	var policies v1alpha1.DevPolicyList
	if err := c.List(ctx, &policies); err != nil {
		return from, fmt.Errorf("policies: %w", err)
	}
	from.Engines = engines.Items
	for _, p := range policies.Items {
		// A policy that can't be read selects everything: it fails closed.
		if selector, err := selectorOf(p.Spec.NamespaceSelector); err != nil || selector.Matches(labels.Set(n.Labels)) {
			from.Policies = append(from.Policies, p)
		}
	}
	return from, nil
}

// selectorOf converts the selector of a policy.
func selectorOf(s v1alpha1.NamespaceSelector) (labels.Selector, error) {
	selector := &metav1.LabelSelector{}
	for k, v := range s.MatchLabels {
		metav1.AddLabelToSelector(selector, k, string(v))
	}
	for _, e := range s.MatchExpressions {
		r := metav1.LabelSelectorRequirement{Key: e.Key, Operator: e.Operator}
		for _, v := range e.Values {
			r.Values = append(r.Values, string(v))
		}
		selector.MatchExpressions = append(selector.MatchExpressions, r)
	}
	return metav1.LabelSelectorAsSelector(selector)
}
