package pods

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// stateSize is what is asked for at most where the files stay on a user's claim.
const stateSize = "1Gi"

// Claim is the claim that a run owns, under the name of ClaimName.
func Claim(run *v1alpha1.DevPipelineRun, name string) *corev1.PersistentVolumeClaim {
	volume := run.Spec.Plan.Workspace.Volume
	size := resource.MustParse("2Gi")
	if volume.Size != nil {
		size = volume.Size.Quantity
	}
	if most := resource.MustParse(stateSize); InPlace(run) && size.Cmp(most) > 0 {
		size = most
	}
	modes := volume.AccessModes
	if len(modes) == 0 {
		modes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	}
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: childMeta(run, name),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      modes,
			StorageClassName: volume.StorageClassName,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		},
	}
}
