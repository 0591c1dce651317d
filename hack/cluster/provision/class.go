package provision

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storageapply "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/client-go/kubernetes"
)

// ApplyClass makes the default StorageClass, whose claims wait for their first Pod.
func ApplyClass(ctx context.Context, client kubernetes.Interface) error {
	class := storageapply.StorageClass(Class).
		WithAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}).
		WithProvisioner(Provisioner).
		WithReclaimPolicy(corev1.PersistentVolumeReclaimDelete).
		WithVolumeBindingMode(storagev1.VolumeBindingWaitForFirstConsumer)
	options := metav1.ApplyOptions{FieldManager: "fettle-cluster", Force: true}
	_, err := client.StorageV1().StorageClasses().Apply(ctx, class, options)
	return err
}
