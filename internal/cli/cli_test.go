package cli

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

func TestExitCodeOfAReport(t *testing.T) {
	step := 0
	failure := func(kind fault.Kind, step *int) *report.Failure {
		return &report.Failure{Kind: string(kind), Step: step}
	}
	changes := []report.Change{{Path: "a", Kind: "modified"}}
	for _, tc := range []struct {
		name string
		r    report.Report
		want int
	}{
		{"nothing to do", report.Report{OK: true}, ExitOK},
		{"changes made", report.Report{OK: true, Changes: changes}, ExitOK},
		{"changes that a dry run would make", report.Report{OK: true, DryRun: true, Changes: changes}, ExitChanges},
		{"a dry run with nothing to change", report.Report{OK: true, DryRun: true}, ExitOK},
		{"error diagnostics", report.Report{}, ExitChanges},
		{"a failed step", report.Report{Error: failure(fault.StepFailed, &step)}, ExitFailed},
		{"an argument that a step refused", report.Report{Error: failure(fault.BadArgument, &step)}, ExitFailed},
		{"a gate that said no", report.Report{Error: failure(fault.GateDeclined, &step)}, ExitFailed},
		{"I/O before the first step", report.Report{Error: failure(fault.StepFailed, nil)}, ExitFailed},
		{"a path that acquisition refused", report.Report{Error: failure(fault.PathRefused, nil)}, ExitRefused},
		{"more files than the bounds allow", report.Report{Error: failure(fault.WorkspaceBounds, nil)}, ExitRefused},
		{"a waiting gate", report.Report{OK: true, Waiting: &report.Waiting{}}, ExitWaiting},
		{"a failed dry run with changes", report.Report{DryRun: true, Changes: changes, Error: failure(fault.StepFailed, &step)}, ExitFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := exitOf(tc.r); got != tc.want {
				t.Errorf("exit code = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestAStepIsFoundByNameBeforeNumber(t *testing.T) {
	p := plan.Plan{Steps: []plan.Step{{Name: "2", Args: plan.Write{}}, {Name: "save", Args: plan.Write{}}}}
	for name, want := range map[string]int{"2": 0, "1": 0, "save": 1} {
		if got, err := stepOf(p, name); err != nil || *got != want {
			t.Errorf("step %q = %v, %v, want %d", name, got, err, want)
		}
	}
	if got, err := stepOf(p, ""); got != nil || err != nil {
		t.Errorf("no step = %v, %v, want every step", got, err)
	}
	for _, name := range []string{"0", "3", "-1", "x", "1.0"} {
		if _, err := stepOf(p, name); !fault.Is(err, fault.UnknownStep, "") {
			t.Errorf("step %q: error = %v, want UnknownStep", name, err)
		}
	}
}

func TestAShellTakesAQuotedWordForOne(t *testing.T) {
	for word, want := range map[string]string{
		"pipeline.yaml": "pipeline.yaml", "sha256:0a": "sha256:0a", "a b": "'a b'", "": "''",
		"it's": `'it'\''s'`, "$HOME": "'$HOME'", "*": "'*'", "ü": "'ü'", "a\nb": "'a\nb'",
	} {
		if got := shellQuoted(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}

func TestNothingThatIsSafeSteersATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\nof ünï": "plain\ttext\nof ünï",
		"\x1b[31mred\x07":     `\x1b[31mred\a`,
		"a\rb\x7f":            `a\rb\x7f`,
		"\u202eback":          `\u202eback`,
		"\u009b1m":            `\u009b1m`,
		"\xff\x9b":            "\uFFFD",
	} {
		if got := safe(text); got != want {
			t.Errorf("safe(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("\x1b]0;x\x07\xff\u202e\r\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range safe(text) {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("safe(%q) has %#x", text, r)
			}
		}
	})
}

// brokenPipe fails every write.
type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestAnOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: brokenPipe{}, Stderr: &stderr, Getenv: func(string) string { return "" }, Now: time.Now, Random: rand.Reader}
	if code := Main(t.Context(), env, []string{"version"}); code == ExitOK || !strings.Contains(stderr.String(), errBroken.Error()) {
		t.Errorf("exit code %d with %q, want a failure that says why", code, stderr.String())
	}
}
