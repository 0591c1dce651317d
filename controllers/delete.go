package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deleteAll deletes what a list holds and isn't being deleted yet, each exactly.
func (r *RunReconciler) deleteAll(ctx context.Context, list client.ObjectList) error {
	var errs []error
	err := meta.EachListItem(list, func(item runtime.Object) error {
		o, ok := item.(client.Object)
		if !ok || o.GetDeletionTimestamp() != nil {
			return nil
		}
		uid := o.GetUID()
		if err := r.Delete(ctx, o, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("delete %T %s: %w", o, o.GetName(), err))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
