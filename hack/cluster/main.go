// Command cluster brings up a one-node Kubernetes on this machine, in namespaces of its own,
// and takes it down without a trace. docs/cluster.md says what it needs and what it is like.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// command is one word of the command line.
type command struct {
	usage string
	help  string // empty for what only the program itself calls
	run   func(context.Context, settings.Settings, []string) error
}

func commands() map[string]command {
	return map[string]command{
		"up":         {"up -kube DIR -bin DIR -node-modules DIR -gofmt FILE", "bring the cluster up, or what is missing of it", up},
		"down":       {"down", "take the cluster down and check that nothing is left", down},
		"leaks":      {"leaks", "list what of the cluster is visible on the host", leaks},
		"kubeconfig": {"kubeconfig", "print the path of the administrator's kubeconfig", kubeconfig},
		"daemons":    {"daemons", "list the daemons and what became of them", daemons},
		"stop":       {"stop [-kill] DAEMON", "end a daemon and wait until it has ended", stop},
		"start":      {"start DAEMON", "start a daemon that has ended", start},
		"exec":       {"exec COMMAND...", "run a command inside the node", execute},
		"node":       {"node", "", firstProcess},
		"provision":  {"provision", "", provisioner},
	}
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	cancel()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return usage()
	}
	c, ok := commands()[arguments[0]]
	if !ok {
		return usage()
	}
	s, err := settings.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	return c.run(ctx, s, arguments[1:])
}

func usage() error {
	var lines []string
	for _, c := range commands() {
		if c.help != "" {
			lines = append(lines, fmt.Sprintf("  cluster %s\n    \t%s\n", c.usage, c.help))
		}
	}
	slices.Sort(lines)
	fmt.Fprintf(os.Stderr, "usage:\n%s\nenvironment: %s, %s, %s\n", strings.Join(lines, ""),
		settings.NameVariable, settings.NetworkVariable, settings.DirVariable)
	return flag.ErrHelp
}
