package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whole is a report with something of everything.
func whole() Report {
	r := sample()
	r.Steps[3].Skips = append(r.Steps[3].Skips, StepSkip{Group: "ts", Reason: "write-denied", Engine: "prettier", Files: 2}, StepSkip{Reason: "no-capability", Files: 1})
	r.Written = []string{"package.json", "src/app.ts"}
	r.Withheld = []string{"src/b.ts"}
	r.Unreadable = []string{"src/gone\x1b.ts"}
	r.Identity = []Note{{Path: "run.sh", Kind: "mode", Before: "0755", After: "0644"}}
	r.Strays = []Stray{{Path: "src/c.ts", Kind: "content"}}
	r.Reads = map[string]string{"license": "MIT\r\nis short\n"}
	r.Discrepancies = []Discrepancy{{Step: 2, Engine: "eslint", ClaimedUnchanged: []string{"src/x.ts"}, ChangedUnclaimed: []string{"src/y.ts"}, ClaimedUnauthorized: []string{"../z"}, Unparseable: []string{"deleted"}}}
	in := &r.Invocations[0]
	in.Attempts, in.LeftProcesses, in.Version = 2, 1, "v10.0.0"
	in.Usage = &Usage{UserMillis: 1500, SystemMillis: 300, MaxRSSKiB: 200 << 10}
	in.Stdout = &Tail{Text: "…the end\n", Dropped: 5000}
	in.Stderr = &Tail{Text: "\x1b[31mwarning:\x1b[0m\n\tx\n"}
	crashed := &r.Invocations[1]
	crashed.Ended, crashed.Signal, crashed.Containment = EndedCrash, "SIGSEGV", &Containment{Kind: "LandlockDirectories", Roots: []string{"src", "test"}, Exceeds: true}
	return r
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("text differs from %s (-want +got):\n%s", file, diff)
	}
}

func TestDetailsHoldWhatTheScreenLeavesOut(t *testing.T) {
	var out bytes.Buffer
	if err := whole().Text(&out, Style{Findings: All, Details: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "details.txt", out.String())
}

func TestDetailsPassNoControlCharacterOn(t *testing.T) {
	r := whole()
	r.Invocations[0].Stdout.Text = "a\x1b]0;t\x07\u202eb\r\x9b1m"
	r.Reads["\x1b[2J"] = "\x00"
	var out bytes.Buffer
	if err := r.Text(&out, Style{Findings: All, Details: true}); err != nil {
		t.Fatal(err)
	}
	for _, c := range out.String() {
		if c < 0x20 && c != '\n' || c >= 0x7f && c < 0xa0 || c == '\u202e' {
			t.Fatalf("%#x is in the text:\n%q", c, out.String())
		}
	}
}

func TestADryRunSaysWhatWouldChange(t *testing.T) {
	r := sample()
	r.DryRun = true
	var out bytes.Buffer
	if err := r.Text(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5 files would change, 73 insertions", "this was a dry run on a copy: nothing is changed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("text lacks %q:\n%s", want, out.String())
		}
	}
}

func TestAWaitingRunSaysSo(t *testing.T) {
	r := sample()
	r.Waiting = &Waiting{Step: 2, Name: "fix", Digest: "sha256:x"}
	var out bytes.Buffer
	if err := r.Text(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "the run waits for an approval of fix"; !strings.Contains(out.String(), want) {
		t.Errorf("text lacks %q:\n%s", want, out.String())
	}
}

func TestACheckThatFindsNothingSaysSo(t *testing.T) {
	r := sample()
	r.Steps[4].State = StepSucceeded
	r.Invocations = append(r.Invocations, Invocation{Step: 4, Engine: "tsc", Kind: "check", Ended: EndedOK, ReadOnly: true})
	var out bytes.Buffer
	if err := r.Text(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "tsc                                 0 findings"; !strings.Contains(out.String(), want) {
		t.Errorf("text lacks %q:\n%s", want, out.String())
	}
}
