package daemon

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/hack/cluster/pki"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

func where(t *testing.T) Where {
	t.Helper()
	return Where{
		Settings:   settings.Settings{Name: "test", Network: netip.MustParsePrefix("10.7.0.0/16"), Dir: t.TempDir()},
		Kube:       "/kube",
		Self:       "/bin/cluster",
		Containerd: "/usr/bin/containerd",
		Pause:      "example/pause:dev",
	}
}

// A flag that names a file which nobody writes would be found only by a daemon that dies.
func TestEveryFileThatADaemonIsGivenIsWritten(t *testing.T) {
	w := where(t)
	if err := pki.Write(w.Settings, w.Settings.Path("pki"), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteConfigs(); err != nil {
		t.Fatal(err)
	}
	made := []string{"/etcd"} // directories and sockets that the daemons make
	for name, d := range w.All() {
		for _, argument := range d.Argv[1:] {
			_, value, ok := strings.Cut(argument, "=")
			if !ok {
				value = argument
			}
			below, ok := strings.CutPrefix(value, w.Settings.Dir)
			if !ok || slices.Contains(made, below) {
				continue
			}
			if _, err := os.Stat(value); err != nil {
				t.Errorf("%s %s: %v", name, argument, err)
			}
		}
	}
}

func TestConfigurationsParse(t *testing.T) {
	w := where(t)
	if err := w.WriteConfigs(); err != nil {
		t.Fatal(err)
	}
	kubelet := parsed(t, w.Settings.Path("kubelet.yaml"))
	if want := "unix://" + w.Settings.ContainerdSocket(); kubelet["containerRuntimeEndpoint"] != want {
		t.Errorf("kubelet: got runtime %v, want %s", kubelet["containerRuntimeEndpoint"], want)
	}
	proxy := parsed(t, w.Settings.Path("kube-proxy.yaml"))
	if proxy["clusterCIDR"] != "10.7.128.0/17" {
		t.Errorf("kube-proxy: got range %v, want 10.7.128.0/17", proxy["clusterCIDR"])
	}
	cni := parsed(t, w.Settings.Path("cni", "cni.conflist"))
	if cni["name"] != "pods" {
		t.Errorf("cni: got name %v, want pods", cni["name"])
	}
}

func TestAnUnchangedConfigurationIsNotWrittenAgain(t *testing.T) {
	w := where(t)
	if err := w.WriteConfigs(); err != nil {
		t.Fatal(err)
	}
	before := stat(t, w.Settings.Path("kube-proxy.yaml"))
	if err := w.WriteConfigs(); err != nil {
		t.Fatal(err)
	}
	if after := stat(t, w.Settings.Path("kube-proxy.yaml")); !os.SameFile(before, after) {
		t.Error("got a new file, want the old one untouched")
	}
	w.Settings.Name = "other"
	if err := w.WriteConfigs(); err != nil {
		t.Fatal(err)
	}
	if after := stat(t, w.Settings.Path("kube-proxy.yaml")); os.SameFile(before, after) {
		t.Error("got the old file, want one with the new name")
	}
}

func TestEachDaemonHasALogOfItsOwn(t *testing.T) {
	w := where(t)
	logs := map[string]string{}
	for name, d := range w.All() {
		if d.Name != name {
			t.Errorf("got %s under the name %s", d.Name, name)
		}
		if other, taken := logs[d.Log]; taken {
			t.Errorf("%s and %s share the log %s", name, other, d.Log)
		}
		logs[d.Log] = name
		if filepath.Dir(d.Log) != w.Settings.Path("log") {
			t.Errorf("%s: got log %s, want it in the state directory", name, d.Log)
		}
	}
}

// parsed reads YAML, which JSON is a part of.
func parsed(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]any{}
	if err := yaml.UnmarshalStrict(data, &content); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return content
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
