package process

import (
	"fmt"
	"os"
	"testing"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

// raceEnv keeps processes that the race detector watches from sleeping at their end.
const raceEnv = "GORACE=atexit_sleep_ms=0"

// shimEnv names the fettle-shim that was built for these tests.
const shimEnv = "PROCESS_TEST_SHIM"

func TestMain(m *testing.M) {
	shimtest.RunTool()
	if len(os.Args) > 1 && os.Args[1] == driverArg {
		os.Exit(driverMain(os.Args[2:]))
	}
	os.Exit(withShim(m))
}

func withShim(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-shim-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin, err := shimtest.Build(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv(shimEnv, bin)
	return m.Run()
}

// newDriver returns a driver of a root of its own.
func newDriver(t *testing.T) *Driver {
	t.Helper()
	d, err := New(options(t.TempDir(), t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func options(root, state string) Options {
	return Options{Shim: os.Getenv(shimEnv), State: state, Root: root, Path: os.Getenv("PATH"), Env: []string{raceEnv}}
}

func sh(script string) []string { return []string{"sh", "-c", script} }
