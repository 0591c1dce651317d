package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// LeaseName is the lease that managers elect their leader by.
const LeaseName = "controller.fettle.dev"

// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update,namespace=fettle-system

// Run runs the controllers until ctx is cancelled, or the lease is lost.
func Run(ctx context.Context, o Options) error {
	shared, err := o.pods()
	if err != nil {
		return err
	}
	ctrl.SetLogger(o.Logger)
	m, err := newManager(o)
	if err != nil {
		return err
	}
	recorder := m.GetEventRecorder("fettle")
	err = (&RunReconciler{Client: m.GetClient(), Live: m.GetAPIReader(), Events: recorder, Pods: shared, Now: time.Now}).setUp(m, o.Workers)
	if err != nil {
		return fmt.Errorf("controller of runs: %w", err)
	}
	if err := (&PipelineReconciler{Client: m.GetClient(), Events: recorder, Pods: shared, Now: time.Now}).setUp(m, o.Workers); err != nil {
		return fmt.Errorf("controller of pipelines: %w", err)
	}
	if err := (&EngineReconciler{Client: m.GetClient(), Events: recorder, Now: time.Now}).setUp(m); err != nil {
		return fmt.Errorf("controller of engines: %w", err)
	}
	if err := (&PolicyReconciler{Client: m.GetClient(), Events: recorder, Now: time.Now}).setUp(m); err != nil {
		return fmt.Errorf("controller of policies: %w", err)
	}
	return m.Start(ctx)
}

func newManager(o Options) (ctrl.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	filtered, err := newCache(o)
	if err != nil {
		return nil, err
	}
	lease, renew := o.LeaseDuration, o.LeaseDuration*2/3
	m, err := ctrl.NewManager(o.Config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         filtered,
		Client:                        client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}},
		Metrics:                       metricsserver.Options{BindAddress: o.MetricsAddress},
		HealthProbeBindAddress:        o.HealthAddress,
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              LeaseName,
		LeaderElectionNamespace:       o.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true, // the process ends with Run
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		GracefulShutdownTimeout:       &o.Timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("manager: %w", err)
	}
	if err := m.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return nil, fmt.Errorf("health: %w", err)
	}
	if err := m.AddReadyzCheck("alive", healthz.Ping); err != nil {
		return nil, fmt.Errorf("health: %w", err)
	}
	return m, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, rbacv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// newCache holds all of our own kinds but reports, and of others only what we made.
func newCache(o Options) (cache.Options, error) {
	made, err := labels.NewRequirement(v1alpha1.LabelRunUID, selection.Exists, nil)
	if err != nil {
		return cache.Options{}, err
	}
	ours := cache.ByObject{Label: labels.NewSelector().Add(*made)}
	c := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}: ours, &corev1.PersistentVolumeClaim{}: ours, &corev1.ServiceAccount{}: ours,
			&rbacv1.Role{}: ours, &rbacv1.RoleBinding{}: ours,
		},
	}
	if len(o.Namespaces) > 0 {
		c.DefaultNamespaces = map[string]cache.Config{}
		for _, n := range o.Namespaces {
			c.DefaultNamespaces[n] = cache.Config{}
		}
	}
	return c, nil
}
