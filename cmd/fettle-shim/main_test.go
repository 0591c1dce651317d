package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheProgramIsSmallStaticAndFree: it is copied into every Pod, into whatever image.
func TestTheProgramIsSmallStaticAndFree(t *testing.T) {
	const limit = 6 << 20
	bin := filepath.Join(t.TempDir(), "fettle-shim")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	info, err := os.Stat(bin)
	if err != nil || info.Size() > limit {
		t.Errorf("size = %d bytes, %v, want at most %d", info.Size(), err, limit)
	}
	f, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic loader")
		}
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		own := strings.HasPrefix(path, "github.com/fettle-dev/fettle/internal/shim") || path == "github.com/fettle-dev/fettle/cmd/fettle-shim"
		if !own && !strings.HasPrefix(path, "golang.org/x/sys/") {
			t.Errorf("the program imports %s: only the standard library, x/sys and its own packages belong there", path)
		}
	}
}
