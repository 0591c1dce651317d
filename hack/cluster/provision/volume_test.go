package provision

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// claim returns a claim that waits for a volume of ours, changed by change.
func claim(change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "work", UID: "uid",
			Annotations: map[string]string{provisionerKey: Provisioner, selectedNode: "node"},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if change != nil {
		change(c)
	}
	return c
}

func TestAClaimIsServedOnceItsFirstPodHasANode(t *testing.T) {
	now := metav1.Now()
	for _, tt := range []struct {
		name   string
		change func(*corev1.PersistentVolumeClaim)
		want   bool
	}{
		{"with a node", nil, true},
		{"without a node", func(c *corev1.PersistentVolumeClaim) { delete(c.Annotations, selectedNode) }, false},
		{"of another provisioner", func(c *corev1.PersistentVolumeClaim) { c.Annotations[provisionerKey] = "other" }, false},
		{"with a volume", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "v" }, false},
		{"being deleted", func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &now }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := wanted(claim(tt.change)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatCantBeMadeIsRefused(t *testing.T) {
	block, files := corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem
	for _, tt := range []struct {
		name   string
		change func(*corev1.PersistentVolumeClaim)
		want   bool
	}{
		{"nothing special", nil, false},
		{"a file system", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeMode = &files }, false},
		{"a block device", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeMode = &block }, true},
		{"a selector", func(c *corev1.PersistentVolumeClaim) { c.Spec.Selector = &metav1.LabelSelector{} }, true},
		{"a copy", func(c *corev1.PersistentVolumeClaim) {
			c.Spec.DataSource = &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "a"}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := refusal(claim(tt.change)); (got != "") != tt.want {
				t.Errorf("got %q, want a refusal: %v", got, tt.want)
			}
		})
	}
}

func TestAVolumeIsBoundToItsClaimAndNode(t *testing.T) {
	policy := corev1.PersistentVolumeReclaimDelete
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, ReclaimPolicy: &policy}
	v, err := volumeFor(claim(nil), class, "/volumes/pvc-uid")
	if err != nil {
		t.Fatal(err)
	}
	if v.Name != "pvc-uid" || v.Spec.Local.Path != "/volumes/pvc-uid" || v.Spec.StorageClassName != "fast" {
		t.Errorf("got %s at %s of class %s, want pvc-uid at /volumes/pvc-uid of class fast", v.Name, v.Spec.Local.Path, v.Spec.StorageClassName)
	}
	if ref := v.Spec.ClaimRef; ref.Namespace != "team" || ref.Name != "work" || ref.UID != "uid" {
		t.Errorf("got claim %+v, want team/work with its UID", ref)
	}
	terms := v.Spec.NodeAffinity.Required.NodeSelectorTerms
	if len(terms) != 1 || terms[0].MatchExpressions[0].Values[0] != "node" {
		t.Errorf("got affinity %+v, want the chosen node only", terms)
	}
	if size := v.Spec.Capacity[corev1.ResourceStorage]; size.String() != "1Gi" {
		t.Errorf("got %s, want 1Gi", size.String())
	}
	class.ReclaimPolicy = nil
	if _, err := volumeFor(claim(nil), class, "/volumes/pvc-uid"); err == nil {
		t.Error("no reclaim policy: got nil, want an error")
	}
}

func TestDataGoesOnlyWhenItsClaimHasGone(t *testing.T) {
	now := metav1.Now()
	for _, tt := range []struct {
		name   string
		change func(*corev1.PersistentVolume)
		want   bool
	}{
		{"released", nil, true},
		{"released but retained", func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}, false},
		{"retained, then deleted", func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
			v.DeletionTimestamp = &now
		}, true},
		{"bound", func(v *corev1.PersistentVolume) { v.Status.Phase = corev1.VolumeBound }, false},
		{"bound and being deleted", func(v *corev1.PersistentVolume) {
			v.Status.Phase = corev1.VolumeBound
			v.DeletionTimestamp = &now
		}, false},
		{"available", func(v *corev1.PersistentVolume) { v.Status.Phase = corev1.VolumeAvailable }, false},
		{"of another provisioner", func(v *corev1.PersistentVolume) { v.Annotations[provisionedBy] = "other" }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "v", Annotations: map[string]string{provisionedBy: Provisioner}},
				Spec:       corev1.PersistentVolumeSpec{PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete},
				Status:     corev1.PersistentVolumeStatus{Phase: corev1.VolumeReleased},
			}
			if tt.change != nil {
				tt.change(v)
			}
			if got := ended(v); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
