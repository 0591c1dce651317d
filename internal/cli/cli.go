// Package cli is the command line of Fettle: it reads manifests and flags, runs them by
// package local, and says on the screen and by the exit code what came of it.
//
// It refuses bad input before anything runs, with one error that names the thing, the
// rule and what to do. It never touches a tree itself. All that it has of the world is
// in Env, and the files that its arguments name.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// version is set by the linker: -X github.com/fettle-dev/fettle/internal/cli.version=….
var version = "devel"

// Env is the world of a command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says which of them are terminals.
	Terminal struct{ In, Out, Err bool }

	Getenv     func(string) string
	Executable string // absolute path of the running program, "" if it isn't known
	Now        func() time.Time
	Random     io.Reader
}

// Main runs one command and returns its exit code. Cancelling ctx cancels a run, which
// then still accounts for what its tools did.
func Main(ctx context.Context, env Env, args []string) int {
	c := &app{Env: env}
	root := c.command()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	var end exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &end):
		return int(end)
	default:
		c.complain(err)
		return ExitRefused
	}
}

// app is what the commands share.
type app struct {
	Env
}

func (c *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "fettle",
		Short: "Put a repository in order with the tools it already uses",
		Long: `Fettle runs fixers (eslint --fix, prettier --write, gofmt -w, codemods) over a
declared set of files, and then says from the disk itself what changed.`,
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%s", err) })
	root.AddCommand(c.runCommand(), c.planCommand(), c.validateCommand(), c.reportCommand(), c.sidecarCommand(), c.versionCommand())
	return root
}

func (c *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(c.Stdout, "fettle %s\n", version)
			return err
		},
	}
}

// noArguments refuses what cobra would take for the name of a command.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return usage(cmd, "there is no command %q", args[0])
	default:
		return usage(cmd, "%s takes no arguments, and %q is one", cmd.CommandPath(), args[0])
	}
}

// OS is the world of a real process.
func OS() Env {
	env := Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, Random: osRandom,
	}
	env.Terminal.In, env.Terminal.Out, env.Terminal.Err = isTerminal(os.Stdin), isTerminal(os.Stdout), isTerminal(os.Stderr)
	if path, err := os.Executable(); err == nil {
		env.Executable = path
	}
	return env
}
