//go:build cluster

package smoke

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// kubectl runs the one that make cluster puts into bin.
func kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "..", "bin", "kubectl"), arguments...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %q: %v: %s", arguments, err, out)
	}
	return string(out)
}

func TestKubectlWorksFromTheHost(t *testing.T) {
	n := newNamespace(t)
	n.create(pod("server", nonroot, "", shell("a", "echo ready; sleep 600")))
	n.until("server", func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning })
	contains(t, kubectl(t, "get", "nodes"), "Ready")
	contains(t, kubectl(t, "--namespace="+n.name, "exec", "server", "--", "id", "-u"), "65532")
	contains(t, kubectl(t, "--namespace="+n.name, "logs", "server"), "ready")
}
