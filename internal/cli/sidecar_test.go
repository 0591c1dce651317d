package cli

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// commanded runs a command with nothing around it.
func commanded(t *testing.T, executable string, args ...string) (code int, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	env := Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
		Executable: executable, Now: time.Now, Random: rand.Reader,
	}
	return Main(t.Context(), env, args), errs.String()
}

func TestASidecarIsToldOneThingToDo(t *testing.T) {
	for _, tt := range []struct {
		name string
		args string
		want string
	}{
		{"nothing", "--run r --namespace n", "exactly one of"},
		{"two things", "--run r --namespace n --prepare --recover", "exactly one of"},
		{"an invocation and another thing", "--run r --namespace n --folders --invocation 0-0", "exactly one of"},
		{"an invocation without index", "--run r --namespace n --invocation 3", "--invocation"},
		{"an invocation that is written otherwise", "--run r --namespace n --invocation 03-0", "--invocation"},
		{"no attempt", "--run r --namespace n --prepare --attempt 0", "--attempt"},
		{"no run", "--namespace n --prepare", "--run"},
		{"no namespace", "--run r --prepare", "--namespace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stderr := commanded(t, "", append([]string{"sidecar", "--base", t.TempDir()}, strings.Fields(tt.args)...)...)
			if code != ExitRefused || !strings.Contains(stderr, tt.want) || !strings.Contains(stderr, "fettle sidecar --help") {
				t.Errorf("code %d, %q, want %d with %q", code, stderr, ExitRefused, tt.want)
			}
		})
	}
}

func TestASidecarThatCannotDoItsWorkSaysSoByItsExitCodeAndLastWords(t *testing.T) {
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "dev"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, stderr := commanded(t, "", "sidecar", "--base", base, "--run", "r", "--namespace", "n", "--prepare")
	words, err := os.ReadFile(filepath.Join(base, "dev/termination-log"))
	if code != 2 || err != nil || !strings.Contains(string(words), "there is no API server") || !strings.Contains(stderr, string(words)) {
		t.Errorf("code %d, %q, last words %q, %v", code, stderr, words, err)
	}
}

func TestTheShimIsCopiedFromBesideFettle(t *testing.T) {
	image, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(image, "fettle-shim"), []byte("shim"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, stderr := commanded(t, filepath.Join(image, "fettle"), "sidecar", "--copy-shim", bin)
	if _, err := os.Stat(filepath.Join(bin, "fettle-shim")); code != ExitOK || err != nil {
		t.Errorf("code %d, %q, %v", code, stderr, err)
	}
	if code, _ := commanded(t, filepath.Join(bin, "nowhere", "fettle"), "sidecar", "--copy-shim", bin); code == ExitOK {
		t.Error("a shim that isn't there was copied")
	}
}
