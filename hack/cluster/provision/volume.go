package provision

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Provisioner is the name that StorageClasses give for it.
	Provisioner = "fettle.dev/local"
	// Class is the default StorageClass.
	Class = "local"

	finalizer      = "fettle.dev/local-volume"
	provisionedBy  = "pv.kubernetes.io/provisioned-by"
	provisionerKey = "volume.kubernetes.io/storage-provisioner"
	selectedNode   = "volume.kubernetes.io/selected-node"
)

// wanted says whether a claim waits for a volume of ours: the scheduler has chosen a node
// for its first Pod, and it has no volume yet.
func wanted(claim *corev1.PersistentVolumeClaim) bool {
	return claim.DeletionTimestamp == nil &&
		claim.Spec.VolumeName == "" &&
		claim.Annotations[provisionerKey] == Provisioner &&
		claim.Annotations[selectedNode] != ""
}

// refusal says why a claim can't have a volume of ours; empty if it can.
func refusal(claim *corev1.PersistentVolumeClaim) string {
	switch spec := claim.Spec; {
	case spec.VolumeMode != nil && *spec.VolumeMode == corev1.PersistentVolumeBlock:
		return "volumes of class " + Class + " are file systems, not block devices"
	case spec.Selector != nil:
		return "volumes of class " + Class + " are made for a claim, not selected"
	case spec.DataSource != nil, spec.DataSourceRef != nil:
		return "volumes of class " + Class + " begin empty: there are no snapshots or clones"
	}
	return ""
}

// volumeName names the volume of a claim, so that making it twice makes one.
func volumeName(claim *corev1.PersistentVolumeClaim) string {
	return "pvc-" + string(claim.UID)
}

// volumeFor returns the volume that satisfies a claim: a directory of the node that the
// scheduler chose. Its size is what was asked for; nothing enforces it.
func volumeFor(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, dir string) (*corev1.PersistentVolume, error) {
	if class.ReclaimPolicy == nil {
		return nil, fmt.Errorf("class %s has no reclaim policy", class.Name)
	}
	node := claim.Annotations[selectedNode]
	mode := corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        volumeName(claim),
			Annotations: map[string]string{provisionedBy: Provisioner},
			Finalizers:  []string{finalizer},
		},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName:              class.Name,
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    &mode,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: dir}},
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
				}}}},
			}},
		},
	}, nil
}

// ended says whether the data of a volume of ours may go: its claim is gone and the class
// said to delete, or somebody deletes the volume itself.
func ended(volume *corev1.PersistentVolume) bool {
	if volume.Annotations[provisionedBy] != Provisioner || volume.Status.Phase == corev1.VolumeBound {
		return false
	}
	released := volume.Status.Phase == corev1.VolumeReleased &&
		volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete
	return released || volume.DeletionTimestamp != nil
}
