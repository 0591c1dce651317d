package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/hack/cluster/node"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

func kubeconfig(_ context.Context, s settings.Settings, _ []string) error {
	if _, err := os.Stat(s.Kubeconfig()); err != nil {
		return fmt.Errorf("%w; make cluster brings the cluster up", err)
	}
	fmt.Println(s.Kubeconfig())
	return nil
}

func daemons(_ context.Context, s settings.Settings, _ []string) error {
	states, err := supervise.Client{Socket: s.ControlSocket()}.List()
	if err != nil {
		return err
	}
	for _, state := range states {
		what := fmt.Sprintf("runs as process %d of the node", state.PID)
		if !state.Running {
			what = "ended: " + state.Exit
		}
		fmt.Printf("%-24s %s\n%-24s %s\n", state.Name, what, "", state.Log)
	}
	return nil
}

// stop sends SIGTERM, which a daemon may take its time over, or SIGKILL, which it may not.
func stop(_ context.Context, s settings.Settings, arguments []string) error {
	flags := flag.NewFlagSet("stop", flag.ContinueOnError)
	kill := flags.Bool("kill", false, "kill it, as a crash would")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want the name of one daemon")
	}
	signal := syscall.SIGTERM
	if *kill {
		signal = syscall.SIGKILL
	}
	return supervise.Client{Socket: s.ControlSocket()}.Stop(flags.Arg(0), signal, 10*time.Second)
}

// start starts a daemon as it was started before: up has written that down.
func start(_ context.Context, s settings.Settings, arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("want the name of one daemon")
	}
	_, err := supervise.Client{Socket: s.ControlSocket()}.Start(supervise.Daemon{Name: arguments[0]})
	return err
}

// execute runs a command in the node's namespaces, with this process's standard streams.
func execute(ctx context.Context, s settings.Settings, arguments []string) error {
	if len(arguments) == 0 {
		return errors.New("want a command")
	}
	pid, err := supervise.Client{Socket: s.ControlSocket()}.PID()
	if err != nil {
		return err
	}
	cmd := node.Enter(ctx, pid, arguments...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
