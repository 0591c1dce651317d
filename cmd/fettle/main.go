// Command fettle puts a repository in order with the tools it already uses: see package
// cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/fettle-dev/fettle/internal/cli"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40) // memory is the scarcer of the two: budget P7
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal is the system's to answer
	os.Exit(cli.Main(ctx, cli.OS(), os.Args[1:]))
}
