// Package provision makes the volumes of a test cluster's default StorageClass: for each
// claim whose first Pod has been scheduled a directory below one root, as a `local` volume
// bound to that claim. Any user may write into it. The directory goes with the claim.
//
// It refuses block devices, selectors and copies, with an event on the claim. It never
// touches a path that isn't its root and the name of a volume, whatever a volume says.
package provision

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Controller makes and removes volumes.
type Controller struct {
	Client kubernetes.Interface
	Root   string // directory for volumes, the same path for this process and the kubelet
	Log    *slog.Logger

	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	queue   workqueue.TypedRateLimitingInterface[key]
}

// key is a claim, or a volume if there is no namespace.
type key struct{ namespace, name string }

// Run works until the context ends.
func (c *Controller) Run(ctx context.Context) error {
	if err := os.MkdirAll(c.Root, 0o755); err != nil {
		return err
	}
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[key](50*time.Millisecond, 10*time.Second)
	c.queue = workqueue.NewTypedRateLimitingQueue(limiter)
	defer context.AfterFunc(ctx, c.queue.ShutDown)()

	factory := informers.NewSharedInformerFactory(c.Client, 0)
	claims := factory.Core().V1().PersistentVolumeClaims()
	volumes := factory.Core().V1().PersistentVolumes()
	c.claims, c.volumes = claims.Lister(), volumes.Lister()
	for _, informer := range []cache.SharedIndexInformer{claims.Informer(), volumes.Informer()} {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    c.enqueue,
			UpdateFunc: func(_, changed any) { c.enqueue(changed) },
		})
		if err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())

	for {
		k, shutdown := c.queue.Get()
		if shutdown {
			return nil
		}
		if err := c.reconcile(ctx, k); err != nil {
			c.Log.Error("try again later", "namespace", k.namespace, "name", k.name, "error", err)
			c.queue.AddRateLimited(k)
		} else {
			c.queue.Forget(k)
		}
		c.queue.Done(k)
	}
}

func (c *Controller) enqueue(object any) {
	if o, ok := object.(metav1.Object); ok {
		c.queue.Add(key{o.GetNamespace(), o.GetName()})
	}
}

func (c *Controller) reconcile(ctx context.Context, k key) error {
	if k.namespace == "" {
		volume, err := c.volumes.Get(k.name)
		if err != nil {
			return ignoreNotFound(err)
		}
		return c.reclaim(ctx, volume)
	}
	claim, err := c.claims.PersistentVolumeClaims(k.namespace).Get(k.name)
	if err != nil {
		return ignoreNotFound(err)
	}
	return c.provision(ctx, claim)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *Controller) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	if !wanted(claim) {
		return nil
	}
	if why := refusal(claim); why != "" {
		return c.refuse(ctx, claim, why)
	}
	if claim.Spec.StorageClassName == nil {
		return errors.New("the claim names no class")
	}
	class, err := c.Client.StorageV1().StorageClasses().Get(ctx, *claim.Spec.StorageClassName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	volume, err := volumeFor(claim, class, filepath.Join(c.Root, volumeName(claim)))
	if err != nil {
		return err
	}
	if err := makeDir(volume.Spec.Local.Path); err != nil {
		return err
	}
	_, err = c.Client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err == nil {
		c.Log.Info("made volume", "volume", volume.Name, "namespace", claim.Namespace, "claim", claim.Name)
	}
	return err
}

// makeDir makes a directory that any user may write into, whatever the umask.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return os.Chmod(dir, 0o777)
}

// reclaim removes the data first: a volume object without data is harmless, the reverse is a
// leak.
func (c *Controller) reclaim(ctx context.Context, volume *corev1.PersistentVolume) error {
	if !ended(volume) {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(c.Root, volume.Name)); err != nil {
		return err
	}
	volumes := c.Client.CoreV1().PersistentVolumes()
	if i := slices.Index(volume.Finalizers, finalizer); i >= 0 {
		changed := volume.DeepCopy()
		changed.Finalizers = slices.Delete(changed.Finalizers, i, i+1)
		if _, err := volumes.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			return ignoreNotFound(err)
		}
	}
	precondition := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &volume.UID}}
	if err := volumes.Delete(ctx, volume.Name, precondition); err != nil {
		return ignoreNotFound(err)
	}
	c.Log.Info("removed volume", "volume", volume.Name)
	return nil
}

// refuse says on the claim why nothing happens. Its name is the claim's, so that saying it
// again changes nothing.
func (c *Controller) refuse(ctx context.Context, claim *corev1.PersistentVolumeClaim, why string) error {
	now := metav1.Now()
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: fmt.Sprintf("%s.refused", volumeName(claim))},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim",
			Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		},
		Type: corev1.EventTypeWarning, Reason: "ProvisioningFailed", Message: why,
		Source:         corev1.EventSource{Component: Provisioner},
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}
	_, err := c.Client.CoreV1().Events(claim.Namespace).Create(ctx, event, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
