// Command fettle puts a repository in order with the tools it already uses: see package
// cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/fettle-dev/fettle/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal is the system's to answer
	os.Exit(cli.Main(ctx, cli.OS(), os.Args[1:]))
}
