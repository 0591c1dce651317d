//go:build cluster

package smoke

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/fettle-dev/fettle/hack/cluster/provision"
)

// claim makes a claim of the default class.
func (n *namespace) claim(name string, change func(*corev1.PersistentVolumeClaimSpec)) {
	n.t.Helper()
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if change != nil {
		change(&c.Spec)
	}
	if _, err := n.client.CoreV1().PersistentVolumeClaims(n.name).Create(n.t.Context(), c, metav1.CreateOptions{}); err != nil {
		n.t.Fatal(err)
	}
}

func TestTwoContainersShareAClaimAndALaterPodFindsTheirFiles(t *testing.T) {
	for name, who := range map[string]identity{"as 65532": nonroot, "as a high UID in group 0": assigned} {
		t.Run(name, func(t *testing.T) {
			n := newNamespace(t)
			n.claim("work", nil)
			output := n.succeed(pod("first", who, "work",
				shell("writer", "mkdir /work/tree; echo one >/work/tree/file; id -u"),
				shell("reader", "until [ -e /work/tree/file ]; do sleep 0.1; done; echo two >>/work/tree/file"),
			))
			if got, want := strings.TrimSpace(output["writer"]), strconv.FormatInt(*who.user, 10); got != want {
				t.Errorf("got user %s, want %s", got, want)
			}
			later := pod("later", who, "work", shell("a", "cat /work/file; : >/work/new"))
			later.Spec.Containers[0].VolumeMounts[0].SubPath = "tree"
			if got := n.succeed(later)["a"]; got != "one\ntwo\n" {
				t.Errorf("got %q, want both lines", got)
			}
		})
	}
}

func TestAVolumeGoesWithItsClaimAndTakesItsFilesAlong(t *testing.T) {
	n := newNamespace(t)
	n.claim("work", nil)
	n.succeed(pod("writer", nonroot, "work", shell("a", "mkdir -m 0 /work/closed; echo 1 >/work/file; : >/work/empty")))
	claims := n.client.CoreV1().PersistentVolumeClaims(n.name)
	bound, err := claims.Get(t.Context(), "work", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	volume, err := n.client.CoreV1().PersistentVolumes().Get(t.Context(), bound.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.client.CoreV1().Pods(n.name).Delete(t.Context(), "writer", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := claims.Delete(t.Context(), "work", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	n.eventually("volume "+volume.Name, func(ctx context.Context) error {
		_, err := n.client.CoreV1().PersistentVolumes().Get(ctx, volume.Name, metav1.GetOptions{})
		return gone(err)
	})
	if volume.Annotations["pv.kubernetes.io/provisioned-by"] != provision.Provisioner {
		return // another cluster's volumes aren't on this machine
	}
	if _, err := os.Stat(volume.Spec.Local.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory: got %v, want it gone", err)
	}
}

func TestABlockDeviceIsRefusedWithAnEvent(t *testing.T) {
	n := newNamespace(t)
	n.claim("block", func(s *corev1.PersistentVolumeClaimSpec) { s.VolumeMode = ptr.To(corev1.PersistentVolumeBlock) })
	p := pod("waiting", nonroot, "", shell("a", "true"))
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "block", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "block"},
	}})
	p.Spec.Containers[0].VolumeDevices = []corev1.VolumeDevice{{Name: "block", DevicePath: "/dev/block"}}
	n.create(p)
	n.eventually("event", func(context.Context) error {
		if text := n.events("block"); !strings.Contains(text, "ProvisioningFailed") {
			return errors.New(text)
		}
		return nil
	})
}
