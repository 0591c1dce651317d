package sidecar_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/fettle-dev/fettle/internal/apiservertest"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

// programs are what a Pod has in its images: the real ones, built for these tests.
type programs struct{ fettle, shim string }

// What TestMain made for all tests.
var (
	built  programs
	server *rest.Config
)

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-sidecar-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // Pods of other identities run them, too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	built.fettle = filepath.Join(dir, "fettle")
	if built.shim, err = shimtest.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.fettle, "github.com/fettle-dev/fettle/cmd/fettle")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build fettle: %v\n%s", err, out)
		return 1
	}
	return apiservertest.Run(m, func(c *rest.Config) { server = c })
}
