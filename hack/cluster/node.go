package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/fettle-dev/fettle/hack/cluster/node"
	"github.com/fettle-dev/fettle/hack/cluster/provision"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

// firstProcess is what [node.Spawn] starts: it makes the node around itself and then starts
// and reaps daemons until it is killed, and everything in the node with it.
func firstProcess(_ context.Context, s settings.Settings, arguments []string) error {
	if len(arguments) == 1 {
		return node.JoinCgroups(s, []string{os.Args[0], "node", arguments[0], "joined"})
	}
	if len(arguments) != 2 || os.Getpid() != 1 {
		return errors.New("node is for the cluster itself to call")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := node.Prepare(s, arguments[0], filepath.Dir(self)); err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	supervisor := supervise.New(append(s.Env(), "PATH="+node.Path))
	go supervisor.Reap(ended)
	listener, err := net.Listen("unix", s.ControlSocket())
	if err != nil {
		return err
	}
	return supervisor.Serve(listener)
}

// provisioner is a daemon of the node.
func provisioner(ctx context.Context, s settings.Settings, _ []string) error {
	client, err := clientFor(s, "provisioner")
	if err != nil {
		return err
	}
	controller := &provision.Controller{Client: client, Root: s.Volumes(), Log: slog.Default()}
	return controller.Run(ctx)
}

// clientFor returns a client that isn't slowed down: it is the only user of its cluster.
func clientFor(s settings.Settings, user string) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Path("pki", user+".kubeconfig"))
	if err != nil {
		return nil, fmt.Errorf("kubeconfig of %s: %w", user, err)
	}
	config.QPS, config.Burst = 200, 400
	return kubernetes.NewForConfig(config)
}
