package docs_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheFirstExampleRuns: in a directory with the files that getting-started.md shows,
// its commands print what it shows, with the real gofmt and prettier.
func TestTheFirstExampleRuns(t *testing.T) {
	p := docPage(t, "getting-started.md")
	dir, bin := t.TempDir(), t.TempDir()
	for _, f := range p.fences() {
		if name := f.attribute("file"); name != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(f.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	build(t, bin)
	tools, err := filepath.Abs(filepath.Join(repository, "hack/npm/node_modules/.bin"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + ":" + tools + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	ran := 0
	for _, f := range p.fences() {
		if !f.is("console") {
			continue
		}
		line, want, _ := strings.Cut(f.text, "\n")
		cmd := exec.Command("sh", "-c", strings.TrimPrefix(line, "$ "))
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output() // exit codes tell of changes, too
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		ran++
		if got := timeless(string(out)); got != timeless(want) {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", line, got, timeless(want))
		}
	}
	if ran < 4 {
		t.Errorf("found %d commands with their output, want at least 4", ran)
	}
}

// build builds the programs into a directory.
func build(t *testing.T, bin string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", bin+"/", "./cmd/fettle", "./cmd/fettle-shim")
	cmd.Dir = repository
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

var (
	duration = regexp.MustCompile(` +\d+(\.\d+)? (ms|s)\b`)
	runName  = regexp.MustCompile(`\btidy-[a-z0-9]{6}\b`)
	version  = regexp.MustCompile(`go1\.[0-9.]+[^ ]*`)
)

// timeless takes out what differs from run to run.
func timeless(s string) string {
	s = duration.ReplaceAllString(s, " …")
	s = runName.ReplaceAllString(s, "tidy-xxxxxx")
	return strings.TrimRight(version.ReplaceAllString(s, "go1.x"), "\n")
}
