// Package daemon says what runs in a test cluster: command lines and configuration files of
// etcd, the control plane, the container runtime and the node's agents, in the order in
// which they are started.
//
// It starts nothing. The only files it writes are those configurations, and it leaves one
// that already says what it should alone: kube-proxy ends when its file is written.
package daemon

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

// Names of the daemons.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Containerd        = "containerd"
	Kubelet           = "kubelet"
	Proxy             = "kube-proxy"
	Provisioner       = "local-provisioner"
)

// Where is what the daemons are made from.
type Where struct {
	Settings   settings.Settings
	Kube       string // directory of the Kubernetes programs and etcd
	Self       string // path of this program, which is the provisioner too
	Containerd string // path of containerd
	Pause      string // image that holds a Pod's namespaces open
}

// All returns the daemons by name.
func (w Where) All() map[string]supervise.Daemon {
	all := map[string]supervise.Daemon{}
	for name, argv := range map[string][]string{
		Etcd:              w.etcd(),
		APIServer:         w.apiServer(),
		ControllerManager: w.controllerManager(),
		Scheduler:         w.scheduler(),
		Containerd:        {w.Containerd, "--config", w.Settings.Path("containerd.toml")},
		Kubelet:           w.kubelet(),
		Proxy:             {w.program(Proxy), "--config", w.Settings.Path("kube-proxy.yaml")},
		Provisioner:       {w.Self, "provision"},
	} {
		all[name] = supervise.Daemon{Name: name, Argv: argv, Log: w.Settings.Path("log", name+".log")}
	}
	return all
}

func (w Where) program(name string) string { return filepath.Join(w.Kube, name) }

func (w Where) pki(file string) string { return w.Settings.Path("pki", file) }

//go:embed templates
var templates embed.FS

// WriteConfigs writes the configuration files into the state directory.
func (w Where) WriteConfigs() error {
	parsed, err := template.New("").Option("missingkey=error").ParseFS(templates, "templates/*")
	if err != nil {
		return err
	}
	for _, t := range parsed.Templates() {
		var text bytes.Buffer
		if err := t.Execute(&text, w); err != nil {
			return fmt.Errorf("configuration %s: %w", t.Name(), err)
		}
		path := w.Settings.Path(t.Name())
		if t.Name() == "cni.conflist" {
			path = w.Settings.Path("cni", t.Name())
		}
		if err := put(path, text.Bytes()); err != nil {
			return fmt.Errorf("configuration %s: %w", t.Name(), err)
		}
	}
	return nil
}

// put replaces a file by rename where its content differs.
func put(path string, data []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
