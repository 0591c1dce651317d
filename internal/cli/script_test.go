package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

const (
	// ttyEnv names, in the environment of a script, what is a terminal: in, out, err.
	ttyEnv = "FETTLE_TEST_TTY"
	// binEnv is where the shim of the tests is.
	binEnv = "FETTLE_TEST_BIN"
)

func TestMain(m *testing.M) {
	testscript.Main(withShim{m}, map[string]func(){"fettle": fettle})
}

// fettle is the command of the scripts: the real thing, but for what it takes for a
// terminal.
func fettle() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	env := OS()
	tty := os.Getenv(ttyEnv)
	env.Terminal.In = strings.Contains(tty, "in")
	env.Terminal.Out = strings.Contains(tty, "out")
	env.Terminal.Err = strings.Contains(tty, "err")
	env.Executable = "" // the shim isn't beside the test
	os.Exit(Main(ctx, env, os.Args[1:]))
}

// withShim builds the real shim for the tests to run.
type withShim struct{ m *testing.M }

func (w withShim) Run() int {
	dir, err := os.MkdirTemp("", "fettle-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if _, err := shimtest.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv(binEnv, dir)
	return w.m.Run()
}

func TestScripts(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("find gofmt: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			path := []string{filepath.Join(env.WorkDir, "tools"), os.Getenv(binEnv), os.Getenv("PATH"), filepath.Join(strings.TrimSpace(string(goroot)), "bin")}
			env.Setenv("PATH", strings.Join(path, ":"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("USER", "ann")
			env.Values[rawKey{}] = &raw{}
			return executable(filepath.Join(env.WorkDir, "tools"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits,
			"keep":  cmdKeep,
		},
	})
}

// executable makes programs of what a script's tools are, before it runs.
func executable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.Chmod(filepath.Join(dir, e.Name()), 0o755))
	}
	return err
}

// raw are the outputs of the last command as it printed them.
type raw struct{ stdout, stderr string }

type rawKey struct{}

// cmdExits runs a command and wants this exit code of it: exits 3 fettle run. What
// differs from run to run is taken out of its outputs.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	printed := ts.Value(rawKey{}).(*raw)
	*printed = raw{ts.ReadFile("stdout"), ts.ReadFile("stderr")}
	fmt.Fprint(ts.Stdout(), stable(printed.stdout, ts.Getenv("WORK")))
	fmt.Fprint(ts.Stderr(), stable(printed.stderr, ts.Getenv("WORK")))
}

// stable takes out of an output what differs from run to run: times, which stand at the
// end of their columns, the own parts of runs' names, digests, and where the test works.
// Control characters are written out.
func stable(text, work string) string {
	text = strings.ReplaceAll(text, work, "$WORK")
	for _, v := range []struct{ pattern, text string }{
		{`(?m) *\b(\d+ ms|\d+\.\d s|\d+ min \d\d s)`, " T"},
		{`-[bcdfghjklmnpqrstvwxz2456789]{6}\b`, "-RUN"},
		{`sha256:[0-9a-f]{64}`, "sha256:D"},
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "WHEN"},
		{`\d+ MiB`, "N MiB"},
		{`roots/[0-9a-f]{16}`, "roots/HASH"},
		{`(Millis|KiB)("?:) \d+`, "$1$2 0"},
		{"\r\x1b\\[K", "ERASE\n"}, // the line before goes
		{"\x1b", "ESC"},
	} {
		text = regexp.MustCompile(v.pattern).ReplaceAllString(text, v.text)
	}
	return text
}

// cmdKeep sets a variable to what the first group of a pattern matches in an output as
// it was printed: keep DIGEST stderr 'digest: (\S+)'.
func cmdKeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: keep VARIABLE stdout|stderr PATTERN")
	}
	printed := ts.Value(rawKey{}).(*raw)
	text := map[string]string{"stdout": printed.stdout, "stderr": printed.stderr}[args[1]]
	match := regexp.MustCompile(args[2]).FindStringSubmatch(text)
	if len(match) < 2 {
		ts.Fatalf("%s has no match for %s", args[1], args[2])
	}
	ts.Setenv(args[0], match[1])
}
