package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/internal/killtest"
)

// Killed runs fettle under killtest, with at's kill.
func (w *World) Killed(tb testing.TB, at killtest.Point, args ...string) (killtest.Result, Ran) {
	tb.Helper()
	stdout, stderr := w.output(tb, "stdout"), w.output(tb, "stderr")
	defer stdout.Close()
	defer stderr.Close()
	result, err := killtest.Run(killtest.Command{
		Path: w.Fettle, Args: args, Env: w.Env(), Dir: filepath.Dir(w.Manifest),
		Output: stdout, Errors: stderr, Launcher: w.Tool,
	}, at)
	if err != nil {
		tb.Fatalf("%v: %v", args, err)
	}
	return result, Ran{Exit: result.ExitCode, Stdout: read(tb, stdout.Name()), Stderr: read(tb, stderr.Name())}
}

func (w *World) output(tb testing.TB, name string) *os.File {
	tb.Helper()
	f, err := os.Create(filepath.Join(filepath.Dir(w.Manifest), name))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}
