// Command fettle-controller runs the controllers of Fettle in a cluster.
//
// It is a program of its own, beside fettle: what it links for Kubernetes would cost every
// run and every sidecar memory (docs/design/2026-12-01-controller-binary.md).
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/fettle-dev/fettle/controllers"
)

// version is set by the linker: -X main.version=….
var version = "devel"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal is the system's to answer
	cmd := command(os.Stderr, os.Getenv, controllers.Run)
	cmd.SetArgs(os.Args[1:])
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "fettle-controller: %v\n", err)
		os.Exit(1)
	}
}

// command is the program: it reads its flags and runs. Log lines go to log.
func command(log io.Writer, getenv func(string) string, run func(context.Context, controllers.Options) error) *cobra.Command {
	f := settings{Options: controllers.Defaults()}
	cmd := &cobra.Command{
		Use:   "fettle-controller",
		Short: "Run the controllers of Fettle in a cluster",
		Long: `Runs the controllers of Fettle: they make runs of pipelines and take them through
their Pods. It reaches the cluster as the Pod that it is, or by --kubeconfig.`,
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.complete(getenv); err != nil {
				return err
			}
			f.Logger = logr.FromSlogHandler(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: f.level()}))
			klog.SetLogger(f.Logger)
			config, err := controllers.Connect(f.kubeconfig)
			if err != nil {
				return err
			}
			f.Config = config
			f.Logger.Info("starting", "version", version, "image", f.Image)
			return run(cmd.Context(), f.Options)
		},
	}
	f.add(cmd.Flags())
	return cmd
}
