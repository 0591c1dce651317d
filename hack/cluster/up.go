package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/hack/cluster/daemon"
	"github.com/fettle-dev/fettle/hack/cluster/image"
	"github.com/fettle-dev/fettle/hack/cluster/node"
	"github.com/fettle-dev/fettle/hack/cluster/pki"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

// bring is one run of up: what it was told and what it has found.
type bring struct {
	settings settings.Settings
	sources  image.Sources
	where    daemon.Where
	ctr      string
	control  supervise.Client
	began    time.Time
}

func up(ctx context.Context, s settings.Settings, arguments []string) error {
	b := &bring{settings: s, began: time.Now(), control: supervise.Client{Socket: s.ControlSocket()}}
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	kube := flags.String("kube", "", "directory of the Kubernetes programs and etcd, as hack/kube/build prints it")
	flags.StringVar(&b.sources.Bin, "bin", "", "directory of fettle, fettle-shim and pause")
	flags.StringVar(&b.sources.NodeModules, "node-modules", "", "directory of the installed Node tools")
	flags.StringVar(&b.sources.Gofmt, "gofmt", "", "path of gofmt")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can make a node; set KUBECONFIG to run the tests on another cluster")
	}
	if _, err := node.Hierarchies("/proc/self/mountinfo"); err != nil {
		return err
	}
	if err := install(ctx, missing(needed())); err != nil {
		return err
	}
	unlock, err := lock(s)
	if err != nil {
		return err
	}
	defer unlock()
	if err := b.locate(*kube); err != nil {
		return err
	}
	return b.all(ctx)
}

// lock makes runs of up and down on clusters beside each other wait for each other.
func lock(s settings.Settings) (unlock func(), err error) {
	base := filepath.Dir(s.Dir)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(base)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		dir.Close()
		return nil, fmt.Errorf("lock %s: %w", base, err)
	}
	return func() { dir.Close() }, nil
}

func (b *bring) locate(kube string) error {
	// The daemons and the keys of the images don't depend on the directory of this process.
	for _, path := range []*string{&kube, &b.sources.Bin, &b.sources.NodeModules, &b.sources.Gofmt} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	containerd, err := exec.LookPath("containerd")
	if err != nil {
		return err
	}
	b.ctr, err = exec.LookPath("ctr")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b.where = daemon.Where{Settings: b.settings, Kube: kube, Self: self, Containerd: containerd, Pause: image.Pause}
	if _, err := os.Stat(filepath.Join(kube, daemon.Kubelet)); err != nil {
		return fmt.Errorf("kubelet: %w; hack/kube/build makes it", err)
	}
	return nil
}

func (b *bring) all(ctx context.Context) error {
	// A source that is missing is told before anything is started.
	images := image.Catalogue(b.sources)
	for _, i := range images {
		if _, err := i.Key(); err != nil {
			return err
		}
	}
	if err := b.node(ctx); err != nil {
		return err
	}
	if err := b.where.WriteConfigs(); err != nil {
		return err
	}
	if err := b.start(daemon.Etcd, daemon.APIServer, daemon.Containerd); err != nil {
		return err
	}
	loaded := make(chan error, 1)
	go func() { loaded <- b.load(ctx, images) }()
	err := b.serve(ctx)
	if err := errors.Join(err, <-loaded); err != nil {
		return err
	}
	b.say("cluster up in %.1f s", time.Since(b.began).Seconds())
	fmt.Printf("export KUBECONFIG=%s\n", b.settings.Kubeconfig())
	return nil
}

// node spawns the node unless it lives, and links it to the host.
func (b *bring) node(ctx context.Context) error {
	pid, err := b.control.PID()
	if errors.Is(err, supervise.ErrNotRunning) {
		if pid, err = b.spawn(ctx); err == nil {
			b.say("node is process %d", pid)
		}
	}
	if err != nil {
		return err
	}
	return node.Connect(b.settings, pid)
}

// spawn removes what a node before it may have left, and makes a new one from nothing.
func (b *bring) spawn(ctx context.Context) (pid int, err error) {
	if err := remove(b.settings); err != nil {
		return 0, err
	}
	if err := pki.Write(b.settings, b.settings.Path(mark), time.Now()); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(b.settings.Path("log"), 0o755); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := node.Spawn(ctx, b.settings, []string{b.where.Self, "node", b.where.Kube}); err != nil {
		return 0, err
	}
	return b.control.PID()
}

func (b *bring) say(format string, arguments ...any) {
	fmt.Printf("%5.1f s  %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, arguments...))
}
