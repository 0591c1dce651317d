package main

import (
	"context"
	"os/exec"

	"github.com/fettle-dev/fettle/hack/cluster/daemon"
	"github.com/fettle-dev/fettle/hack/cluster/image"
	"github.com/fettle-dev/fettle/hack/cluster/provision"
)

// start starts those daemons that don't run.
func (b *bring) start(names ...string) error {
	all := b.where.All()
	for _, name := range names {
		started, err := b.control.Start(all[name])
		if err != nil {
			return err
		}
		if started {
			b.say("started %s", name)
		}
	}
	return nil
}

// load imports the images as soon as containerd answers.
func (b *bring) load(ctx context.Context, images []image.Image) error {
	socket := b.settings.ContainerdSocket()
	err := b.await(ctx, "containerd", daemon.Containerd, func(ctx context.Context) (bool, error) {
		err := exec.CommandContext(ctx, b.ctr, "--address="+socket, "version").Run()
		return err == nil, err
	})
	if err != nil {
		return err
	}
	loader := image.Loader{Ctr: b.ctr, Socket: socket, Marks: b.settings.Path("images")}
	for _, i := range images {
		loaded, err := loader.Load(ctx, i)
		if err != nil {
			return err
		}
		if loaded {
			b.say("imported %s", i.Ref)
		}
	}
	return nil
}

// serve starts what needs the API server, and waits until Pods can be made.
func (b *bring) serve(ctx context.Context) error {
	client, err := clientFor(b.settings, "admin")
	if err != nil {
		return err
	}
	if err := b.await(ctx, "API server", daemon.APIServer, apiReady(client)); err != nil {
		return err
	}
	err = b.start(daemon.ControllerManager, daemon.Scheduler, daemon.Kubelet, daemon.Proxy, daemon.Provisioner)
	if err != nil {
		return err
	}
	if err := provision.ApplyClass(ctx, client); err != nil {
		return err
	}
	if err := b.await(ctx, "node", daemon.Kubelet, nodeReady(client, b.settings.Name)); err != nil {
		return err
	}
	return b.await(ctx, "default ServiceAccount", daemon.ControllerManager, serviceAccountReady(client))
}
