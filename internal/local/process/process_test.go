package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
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

// driver returns a driver of a root of its own.
func driver(t *testing.T) *Driver {
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

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name         string
		script       string
		findings     []int
		deadline     time.Duration
		wantEnded    Ended
		wantCode     int
		wantFindings bool
		wantText     string
	}{
		{name: "exit code 0 is clean", script: "exit 0", wantEnded: OK},
		{name: "a code that means findings is no failure", script: "exit 1", findings: []int{1}, wantEnded: OK, wantCode: 1, wantFindings: true},
		{name: "0 means no findings", script: "exit 0", findings: []int{1}, wantEnded: OK},
		{name: "any other code is a failure", script: "exit 2", findings: []int{1}, wantEnded: EngineError, wantCode: 2, wantText: "exited with code 2, which means failure: findings are 1"},
		{name: "without codes for findings every code is a failure", script: "exit 1", wantEnded: EngineError, wantCode: 1, wantText: "exited with code 1, which means failure"},
		{name: "a signal is a crash", script: "kill -ABRT $$", wantEnded: Crash, wantText: "ended by SIGABRT"},
		{name: "a deadline is one", script: "exec sleep 1000", deadline: 100 * time.Millisecond, wantEnded: Deadline, wantText: "deadline of 100ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := driver(t).Run(context.Background(), Request{Engine: "tool", Command: sh(tt.script), Findings: tt.findings, Deadline: tt.deadline})
			if r.Ended != tt.wantEnded || r.ExitCode != tt.wantCode || r.Findings != tt.wantFindings || !r.Started || r.Program == "" {
				t.Errorf("result = %+v, want %s, code %d, findings %v, started", r, tt.wantEnded, tt.wantCode, tt.wantFindings)
			}
			wantError(t, err, tt.wantEnded, tt.wantText)
			if r.Containment.Kind != wire.Declared {
				t.Errorf("containment = %+v, want Declared", r.Containment)
			}
		})
	}
}

// wantError expects what Run promises: nil for OK, else a fault with that reason.
func wantError(t *testing.T, err error, ended Ended, text string) {
	t.Helper()
	if ended == OK {
		if err != nil {
			t.Errorf("error = %v, want nil", err)
		}
		return
	}
	if !fault.Is(err, fault.StepFailed, ended) || fault.As(err).Engine == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v, want StepFailed (%s) of an engine with %q", err, ended, text)
	}
}

func TestToolsThatCantRunAreRefusedBeforeAnythingStarts(t *testing.T) {
	d := driver(t)
	script := filepath.Join(d.options.Root, "script")
	if err := os.WriteFile(script, []byte("#!/no/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		command  []string
		wantText string
		wantHint string
	}{
		{"one that isn't installed", []string{"no-such-tool"}, "no-such-tool is not installed", "install no-such-tool"},
		{"a file that isn't there", []string{"./none"}, "./none doesn't exist", "below the root"},
		{"a directory", []string{"/"}, "is a directory", "name a program"},
		{"a script without its interpreter", []string{"./script"}, "/no/interpreter", "install the interpreter"},
		{"no command", nil, "no command", "give the engine a command"},
		{"an argument beyond all limits", []string{"true", strings.Repeat("x", 200<<10)}, "exceeds what the system allows", "File or Stdin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := d.Run(context.Background(), Request{Engine: "tool", Command: tt.command})
			wantError(t, err, EngineError, tt.wantText)
			if r.Ended != EngineError || r.Started || !strings.Contains(fault.As(err).Hint, tt.wantHint) {
				t.Errorf("result = %+v, hint %q; want engine-error, not started, %q", r, fault.As(err).Hint, tt.wantHint)
			}
		})
	}
	wantNoFolders(t, d)
}

func TestTheProjectsOwnToolComesBeforePATH(t *testing.T) {
	d := driver(t)
	path := filepath.Join(t.TempDir(), "bin")
	d.options.Path = path + ":" + d.options.Path
	write := func(dir, says string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fixer"), []byte("#!/bin/sh\necho "+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	says := func() string {
		t.Helper()
		r, err := d.Run(context.Background(), Request{Engine: "fixer", Command: []string{"fixer"}})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Outputs[0].Stdout.Head)
	}
	write(path, "path")
	if got := says(); got != "path\n" {
		t.Errorf("without node_modules it is %q, want path", got)
	}
	write(filepath.Join(d.options.Root, "node_modules", ".bin"), "project")
	if got := says(); got != "project\n" {
		t.Errorf("with node_modules it is %q, want project", got)
	}
	elsewhere := t.TempDir()
	write(filepath.Join(elsewhere, "real", ".bin"), "original")
	if err := os.Symlink("real", filepath.Join(elsewhere, "node_modules")); err != nil {
		t.Fatal(err)
	}
	d.options.Project = elsewhere
	if got := says(); got != "original\n" {
		t.Errorf("with a project elsewhere, node_modules a link, it is %q, want original", got)
	}
}

func TestPrivateDirectoriesAreGoneAfterwards(t *testing.T) {
	d := driver(t)
	r, err := d.Run(context.Background(), Request{Engine: "tool", Command: sh(`echo "$HOME $TMPDIR $XDG_CACHE_HOME"; touch "$HOME/a" "$TMPDIR/b" "$XDG_CACHE_HOME/c"; chmod 500 "$HOME"`)})
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(r.Outputs[0].Stdout.Head))
	if len(dirs) != 3 || !strings.HasPrefix(dirs[0], d.options.State+"/") {
		t.Errorf("HOME, TMPDIR, XDG_CACHE_HOME = %v, want three below the state directory", dirs)
	}
	wantNoFolders(t, d)
}

func wantNoFolders(t *testing.T, d *Driver) {
	t.Helper()
	left, err := os.ReadDir(d.folder)
	if err != nil || len(left) != 0 {
		t.Errorf("%s holds %v, %v, want nothing", d.folder, left, err)
	}
}

func TestPassingOfAListIsOnePathALine(t *testing.T) {
	d := driver(t)
	list := Request{Engine: "tool", Command: shimtest.Command(t, "list"), Paths: []string{"a b", "c"}, Passing: PassingOf(engine.PathArgs{As: engine.PathsFile})}
	r, err := d.Run(context.Background(), list)
	if err != nil || string(r.Outputs[0].Stdout.Head) != "a b\nc\n" {
		t.Errorf("Run = %+v, %v, want a line per path", r, err)
	}
	list.Paths = []string{"a\nb"}
	r, err = d.Run(context.Background(), list)
	wantError(t, err, EngineError, "line feed")
	if r.Started {
		t.Error("a tool was started without the paths that it needs")
	}
}

func TestADaemonIsCountedAndDead(t *testing.T) {
	life := shimtest.NewLifeline(t)
	r, err := driver(t).Run(context.Background(), Request{Engine: "tool", Command: shimtest.Command(t, "daemon", life.Path)})
	life.WaitAlive("daemon")
	life.WaitDead()
	if err != nil || r.Leftovers != 1 {
		t.Errorf("result = %+v, %v, want ok with one leftover", r, err)
	}
}

func TestCancellingKillsAndSaysSo(t *testing.T) {
	life := shimtest.NewLifeline(t)
	d := driver(t)
	why := errors.New("the user pressed a key")
	ctx, cancel := context.WithCancelCause(context.Background())
	started := make(chan struct{})
	type answer struct {
		result Result
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		r, err := d.Run(ctx, Request{Engine: "tool", Command: shimtest.Command(t, "daemon-and-stay", life.Path), Started: func() { close(started) }})
		answers <- answer{r, err}
	}()
	life.WaitAlive("daemon", "forever")
	<-started
	cancel(why)
	a := <-answers
	life.WaitDead()
	wantError(t, a.err, Cancelled, why.Error())
	if !errors.Is(a.err, why) || a.result.Ended != Cancelled || !a.result.Started {
		t.Errorf("result = %+v, %v, want cancelled, started, with its cause", a.result, a.err)
	}
	wantNoFolders(t, d)
}

func TestACancelledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := driver(t).Run(ctx, Request{Engine: "tool", Command: sh("exit 0")})
	wantError(t, err, Cancelled, "cancelled")
	if r.Started || r.Ended != Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("result = %+v, %v, want cancelled, not started", r, err)
	}
}

func TestAShimThatIsNoneIsToldFromATool(t *testing.T) {
	for _, tt := range []struct{ name, shim, want string }{
		{"one that isn't there", "/no/shim", "start fettle-shim"},
		{"one that ends at once", "/bin/true", "the channel broke"},
		{"one that says something else", "", "exceeds the limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := driver(t)
			d.options.Shim = tt.shim
			if tt.shim == "" {
				d.options.Shim = filepath.Join(t.TempDir(), "shim")
				if err := os.WriteFile(d.options.Shim, []byte("#!/bin/sh\necho words >&3\necho complaint >&2\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r, err := d.Run(context.Background(), Request{Engine: "tool", Command: sh("exit 0")})
			if err == nil || r.Started || r.Ended == OK || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("result = %+v, %v, want a failure with %q and nothing started", r, err, tt.want)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command []string
		want    string
	}{
		{"the first line, trimmed", sh(`echo '  v1.2.3  '; echo more`), "v1.2.3"},
		{"nothing without a command", nil, ""},
		{"nothing if it fails", sh(`echo v1; exit 1`), ""},
		{"nothing if it isn't there", []string{"no-such-tool"}, ""},
		{"at most 200 bytes, whole characters", sh(`printf 'x'; for i in $(seq 150); do printf 'ä'; done`), "x" + strings.Repeat("ä", 99)},
		{"invalid UTF-8 is replaced", sh(`printf 'v\377'`), "v\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := driver(t).Version(context.Background(), "tool", tt.command); got != tt.want {
				t.Errorf("Version = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAVersionIsAskedOncePerEngine(t *testing.T) {
	d := driver(t)
	command := sh(`echo x >>asked; wc -l <asked`)
	for range 3 {
		if got := d.Version(context.Background(), "tool", command); got != "1" {
			t.Errorf("Version = %q, want the first answer", got)
		}
	}
	if got := d.Version(context.Background(), "other", command); got != "2" {
		t.Errorf("Version of another engine = %q, want it asked too", got)
	}
}

func TestFindShim(t *testing.T) {
	dir := t.TempDir()
	place := func(name string) string {
		t.Helper()
		full := filepath.Join(dir, name, shimName)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return full
	}
	explicit, beside, inPath := place("explicit"), place("beside"), place("path")
	fettle, path := filepath.Join(dir, "beside", "fettle"), filepath.Join(dir, "path")
	for _, tt := range []struct {
		name, explicit, executable, path, want, wantText string
	}{
		{"what is named", explicit, fettle, path, explicit, ""},
		{"what is named and isn't there, and nothing else", filepath.Join(dir, "none"), fettle, path, "", "doesn't exist"},
		{"beside fettle", "", fettle, path, beside, ""},
		{"in PATH", "", filepath.Join(dir, "fettle"), path, inPath, ""},
		{"nowhere", "", filepath.Join(dir, "fettle"), dir, "", "neither beside fettle nor in PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindShim(tt.explicit, tt.executable, tt.path)
			if got != tt.want || (err == nil) != (tt.wantText == "") || err != nil && (!strings.Contains(err.Error(), tt.wantText) || fault.As(err).Hint == "") {
				t.Errorf("FindShim = %q, %v, want %q, %q with a hint", got, err, tt.want, tt.wantText)
			}
		})
	}
}
