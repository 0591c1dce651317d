package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

// errForeign says that there is an object of the name of one that is to be made, and that
// it belongs to somebody else.
var errForeign = errors.New("somebody else's object has its name")

// start creates the Pod that the status names, and what it needs. All of it may be there.
func (r *RunReconciler) start(ctx context.Context, run *v1alpha1.DevPipelineRun) error {
	p, source := run.Status.Pod, run.Status.Source
	claim := string(source.ClaimName)
	if source.StateClaimName != "" {
		claim = string(source.StateClaimName)
	}
	secrets, err := r.pullSecrets(ctx, run.Namespace)
	if err != nil {
		return err
	}
	pod, err := r.Pods.Pod(pods.Request{
		Run: run, Entry: p.Entry, Attempt: p.Attempt, Invocation: p.Invocation,
		Claim: claim, Node: p.Near, PullSecrets: secrets,
	})
	if err != nil {
		return &unbuildable{err}
	}
	for _, o := range []client.Object{
		pods.Report(run), pods.Claim(run, claim), pods.ServiceAccount(run), pods.Role(run), pods.RoleBinding(run), pod,
	} {
		if err := r.create(ctx, run, o); err != nil {
			return err
		}
	}
	return nil
}

// create creates an object of a run unless it is there. One of another run is refused.
func (r *RunReconciler) create(ctx context.Context, run *v1alpha1.DevPipelineRun, o client.Object) error {
	kind := o.GetObjectKind().GroupVersionKind().Kind
	there, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%s %s can't be copied", kind, o.GetName())
	}
	err := r.reader(o).Get(ctx, client.ObjectKeyFromObject(o), there)
	if apierrors.IsNotFound(err) {
		if err = r.Create(ctx, o, client.FieldOwner(Manager)); !apierrors.IsAlreadyExists(err) {
			if err != nil {
				return &refused{kind: kind, name: o.GetName(), err: err}
			}
			return nil
		}
		err = r.Live.Get(ctx, client.ObjectKeyFromObject(o), there)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, o.GetName(), err)
	}
	if there.GetLabels()[v1alpha1.LabelRunUID] != string(run.UID) {
		return &refused{kind: kind, name: o.GetName(), err: errForeign}
	}
	return nil
}

// reader is where an object of a run is looked for: reports aren't in the cache, since
// nobody watches them.
func (r *RunReconciler) reader(o client.Object) client.Reader {
	if _, report := o.(*v1alpha1.DevPipelineReport); report {
		return r.Live
	}
	return r.Client
}

// pullSecrets are those that Pods of the namespace have by default.
func (r *RunReconciler) pullSecrets(ctx context.Context, namespace string) ([]corev1.LocalObjectReference, error) {
	account := &corev1.ServiceAccount{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "default"}, account)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("ServiceAccount default: %w", err)
	}
	return account.ImagePullSecrets, nil
}

// cleanUp deletes what was made for a run but its report. What is being deleted is waited
// for by nobody: its end is heard of.
func (r *RunReconciler) cleanUp(ctx context.Context, run *v1alpha1.DevPipelineRun) error {
	var errs []error
	for _, list := range []client.ObjectList{
		&corev1.PodList{}, &corev1.PersistentVolumeClaimList{}, &rbacv1.RoleBindingList{}, &rbacv1.RoleList{}, &corev1.ServiceAccountList{},
	} {
		if err := r.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
			return fmt.Errorf("what run %s made: %w", run.Name, err)
		}
		errs = append(errs, r.deleteAll(ctx, list))
	}
	return errors.Join(errs...)
}
