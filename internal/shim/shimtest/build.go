package shimtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the real fettle-shim into dir and returns its path. The working directory
// must be within the module.
func Build(dir string) (string, error) {
	bin := filepath.Join(dir, "fettle-shim")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "github.com/fettle-dev/fettle/cmd/fettle-shim")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build fettle-shim: %w\n%s", err, out)
	}
	return bin, nil
}
