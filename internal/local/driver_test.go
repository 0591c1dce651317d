package local

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// shimEnv names the fettle-shim that was built for these tests.
const shimEnv = "LOCAL_TEST_SHIM"

func TestMain(m *testing.M) { os.Exit(withShim(m)) }

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

func testDriver(t *testing.T) (*Driver, string) {
	t.Helper()
	root := t.TempDir()
	p, err := process.New(process.Options{Shim: os.Getenv(shimEnv), State: t.TempDir(), Root: root, Path: os.Getenv("PATH")})
	must(t, err)
	return NewDriver(p, "/given", root), root
}

func callOf(script string, paths ...string) runtime.Call {
	return runtime.Call{
		Name: "0-0", Attempt: 1, Paths: paths, Deadline: time.Minute,
		Invocation: engine.Invocation{EngineID: "tool", Exec: engine.Exec{Command: []string{"sh", "-c", script, "tool"}}},
	}
}

func TestInvokeTellsWhatBecameOfATool(t *testing.T) {
	one, seven := 1, 7
	for _, tc := range []struct {
		name        string
		script      string
		change      func(*runtime.Call)
		wantEnded   string
		wantCode    *int
		wantCause   string
		wantStarted bool
		wantFound   []diagnostic.Diagnostic
	}{
		{name: "clean", script: "exit 0", wantEnded: report.EndedOK, wantCode: new(int), wantStarted: true},
		{
			name: "findings", script: `echo "a.ts:3:5: error: bad"; exit 1`, change: withFormat(engine.FormatGNU, 1),
			wantEnded: report.EndedOK, wantCode: &one, wantStarted: true,
			wantFound: []diagnostic.Diagnostic{{Path: "a.ts", Severity: diagnostic.Error, Message: "bad", Line: 3, Column: 5}},
		},
		{
			name: "a code that means failure, and what it found before", script: `echo "a.ts:3:5: error: bad"; exit 7`, change: withFormat(engine.FormatGNU, 1),
			wantEnded: report.EndedEngineError, wantCode: &seven, wantStarted: true, wantCause: "exited with code 7",
			wantFound: []diagnostic.Diagnostic{{Path: "a.ts", Severity: diagnostic.Error, Message: "bad", Line: 3, Column: 5}},
		},
		{
			name: "output that can't be read", script: "echo oops", change: withFormat(engine.FormatESLintJSON),
			wantEnded: report.EndedEngineError, wantCode: new(int), wantStarted: true, wantCause: "its output is no ESLintJSON",
		},
		{name: "a signal", script: "kill -SEGV $$", wantEnded: report.EndedCrash, wantStarted: true, wantCause: "SIGSEGV"},
		{
			name: "the deadline", script: "sleep 600", change: func(c *runtime.Call) { c.Deadline = 50 * time.Millisecond },
			wantEnded: report.EndedDeadline, wantStarted: true, wantCause: "deadline",
		},
		{
			name: "a tool that isn't installed", change: func(c *runtime.Call) { c.Invocation.Exec.Command = []string{"no-such-tool"} },
			wantEnded: report.EndedEngineError, wantCause: "no-such-tool is not installed",
		},
		{
			name: "a format that can't be read", script: "touch started", change: withFormat(engine.FormatSARIF),
			wantEnded: report.EndedEngineError, wantCause: "doesn't read diagnostics of format SARIF",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, root := testDriver(t)
			call := callOf(tc.script)
			if tc.change != nil {
				tc.change(&call)
			}
			got := d.Invoke(t.Context(), call)
			if got.Ended != tc.wantEnded || got.Started != tc.wantStarted {
				t.Errorf("ended %s, started %v, want %s, %v", got.Ended, got.Started, tc.wantEnded, tc.wantStarted)
			}
			if diff := cmp.Diff(tc.wantCode, got.ExitCode); diff != "" {
				t.Errorf("exit code (-want +got):\n%s", diff)
			}
			if (tc.wantCause == "") != (got.Cause == nil) || got.Cause != nil && !strings.Contains(got.Cause.Error(), tc.wantCause) {
				t.Errorf("cause = %v, want one with %q", got.Cause, tc.wantCause)
			}
			if diff := cmp.Diff(tc.wantFound, got.Diagnostics); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if got.Started {
				want := report.Containment{Kind: wire.Declared, Exceeds: true}
				if diff := cmp.Diff(want, got.Containment); diff != "" || got.Usage == nil {
					t.Errorf("containment (-want +got):\n%s usage %v", diff, got.Usage)
				}
				if diff := cmp.Diff([]string{"/given", root}, got.Roots); diff != "" {
					t.Errorf("roots (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func withFormat(f engine.DiagnosticsFormat, findings ...int) func(*runtime.Call) {
	return func(c *runtime.Call) {
		c.Invocation.Exec.Diagnostics.Format = f
		c.Invocation.Exec.ExitCodes.Findings = findings
	}
}

func TestAToolIsToldItsPathsAndWhetherToFix(t *testing.T) {
	for _, tc := range []struct {
		name string
		as   engine.PathArgs
		fix  bool
		want string
	}{
		{"as arguments behind the separator", engine.PathArgs{As: engine.PathsArguments, Separator: "--"}, false, "-- a|b c|"},
		{"behind what makes it fix", engine.PathArgs{As: engine.PathsArguments}, true, "--fix|a|b c|"},
		{"in a list of lines", engine.PathArgs{As: engine.PathsFile}, false, "a\nb c\n"},
		{"on standard input", engine.PathArgs{As: engine.PathsStdin}, false, "a\x00b c\x00"},
		{"not at all", engine.PathArgs{As: engine.PathsNone}, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, _ := testDriver(t)
			script := map[engine.PathsAs]string{engine.PathsFile: `cat "$1"`, engine.PathsStdin: "cat"}[tc.as.As]
			if script == "" {
				script = `for a; do printf '%s|' "$a"; done`
			}
			call := callOf(script, "a", "b c")
			call.Invocation.Fix = tc.fix
			call.Invocation.Exec.FixArgs = []string{"--fix"}
			call.Invocation.Exec.Paths = tc.as
			got := d.Invoke(t.Context(), call)
			text := ""
			if got.Stdout != nil {
				text = got.Stdout.Text
			}
			if want := strings.Replace(tc.want, "-- a", "--|a", 1); text != want || got.Cause != nil {
				t.Errorf("the tool was told %q, %v, want %q", text, got.Cause, want)
			}
		})
	}
}

func TestAReportKeepsTheEndOfAnOutput(t *testing.T) {
	d, _ := testDriver(t)
	got := d.Invoke(t.Context(), callOf(`head -c 1000000 /dev/zero | tr '\0' x; printf 'the end\377'; printf warn >&2`))
	if got.Stdout == nil || got.Stderr == nil {
		t.Fatalf("tails = %v, %v, want both", got.Stdout, got.Stderr)
	}
	if !strings.HasSuffix(got.Stdout.Text, "xxthe end\uFFFD") || got.Stdout.Dropped != 1_000_008-driver.TailBytes {
		t.Errorf("stdout ends in %q, %d bytes dropped", got.Stdout.Text[len(got.Stdout.Text)-20:], got.Stdout.Dropped)
	}
	if *got.Stderr != (report.Tail{Text: "warn"}) {
		t.Errorf("stderr = %+v, want the whole of it", *got.Stderr)
	}
}

func TestLookFindsWhatIsWrongBeforeAnythingRuns(t *testing.T) {
	d, _ := testDriver(t)
	for _, tc := range []struct {
		name     string
		exec     engine.Exec
		wantKind fault.Kind // "" is fine
		wantText string
	}{
		{"an installed tool", engine.Exec{Command: []string{"sh"}}, "", ""},
		{"one that isn't", engine.Exec{Command: []string{"no-such-tool"}}, fault.StepFailed, "no-such-tool is not installed"},
		{"output that this build can't read", engine.Exec{Command: []string{"sh"}, Diagnostics: engine.Diagnostics{Format: engine.FormatSARIF}}, fault.StepUnavailable, "SARIF"},
		{"a pattern that doesn't compile", engine.Exec{Command: []string{"sh"}, Diagnostics: engine.Diagnostics{Format: engine.FormatPattern, Pattern: "("}}, fault.InvalidPipeline, "pattern"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := d.Look("mine", tc.exec)
			if tc.wantKind == "" {
				must(t, err)
				return
			}
			if !fault.Is(err, tc.wantKind, "") || fault.As(err).Engine != "mine" || !strings.Contains(err.Error(), tc.wantText) {
				t.Errorf("error = %v, want %s of engine mine with %q", err, tc.wantKind, tc.wantText)
			}
		})
	}
}
