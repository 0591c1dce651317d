package report

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

func sample() Report {
	one := 1
	return Report{
		Version: Version, Run: "web-demo-x1", Pipeline: "web-demo", StartedAt: "2026-01-02T03:04:05Z", DurationMillis: 5100, OK: true,
		Acquisition: Acquisition{Files: 14, Skipped: []Skip{{"non-text", 1}, {"read-denied", 1}}, Excluded: Counts{Directories: 2}, DurationMillis: 42},
		Steps: []Step{
			{Index: 0, Action: "edit", Target: "package.json", State: StepSucceeded, Changed: 1, DurationMillis: 3},
			{Index: 1, Action: "write", State: StepSucceeded, Written: 2, DurationMillis: 5},
			{Index: 2, Action: "lint", State: StepSucceeded, Changed: 4},
			{Index: 3, Action: "format", State: StepSucceeded, Changed: 8, Skips: []StepSkip{{Group: "sh", Reason: "no-capability", Files: 1}}},
			{Index: 4, Action: "check", State: StepNotRun},
		},
		Invocations: []Invocation{
			{Step: 2, Engine: "eslint", Kind: "lint", Ended: EndedOK, Attempts: 1, Files: 9, Changed: 4, Findings: 2, Containment: &Containment{Kind: "LandlockFiles"}, DurationMillis: 1900, ExitCode: &one, Stderr: &Tail{Text: "x"}},
			{Step: 3, Engine: "prettier", Kind: "format", Ended: EndedOK, Attempts: 1, Files: 12, Changed: 7, Containment: &Containment{Kind: "LandlockFiles"}, DurationMillis: 800},
			{Step: 3, Engine: "gofmt", Kind: "format", Ended: EndedOK, Attempts: 1, Files: 3, Changed: 1, Containment: &Containment{Kind: "LandlockDirectories", Exceeds: true}, DurationMillis: 61000},
		},
		Changes: []Change{
			{Path: "src/app.ts", Kind: "modified", LinesAdded: 12, LinesRemoved: 9},
			{Path: "src/dead.ts", Kind: "deleted", LinesRemoved: 31},
			{Path: "src/generated.ts", Kind: "added", LinesAdded: 20},
			{Path: "src/new.ts", Kind: "renamed", From: "src/old.ts", LinesAdded: 1, LinesRemoved: 1},
			{Path: "src/win\n.ts", Kind: "modified", LinesAdded: 40, LinesRemoved: 40, Class: "eolOnly"},
		},
		Diagnostics: []diagnostic.Diagnostic{
			{Path: "src/app.ts", Severity: diagnostic.Warning, Message: "Unexpected console statement.", Rule: "no-console", Line: 3, Column: 5, EngineID: "eslint"},
			{Severity: diagnostic.Info, Message: "4 files lay outside"},
			{Severity: diagnostic.Error, Message: "\x1b[31mred", Path: "src/b.ts"},
		},
		Diff: "--- a/x\n+++ b/x\n",
	}
}

func TestTextShowsARunAsPeopleReadIt(t *testing.T) {
	var out bytes.Buffer
	if err := sample().Text(&out, Style{Findings: 10}); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sample.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("text differs from %s (-want +got):\n%s", golden, diff)
	}
}

func TestTextNeverPassesAControlCharacterOn(t *testing.T) {
	r := sample()
	r.Error = &Failure{Kind: "StepFailed", Message: "bad\x1b]0;title\x07", Path: "a\x00b", Hint: "do\rthis"}
	var out bytes.Buffer
	if err := r.Text(&out, Style{Findings: 10}); err != nil {
		t.Fatal(err)
	}
	for i, b := range out.Bytes() {
		if b < 0x20 && b != '\n' {
			t.Fatalf("byte %d of the text is control character %#x:\n%q", i, b, out.String())
		}
	}
}

func TestTextCountsTheFindingsThatItDoesNotList(t *testing.T) {
	var out bytes.Buffer
	if err := sample().Text(&out, Style{Findings: 1}); err != nil {
		t.Fatal(err)
	}
	if want := "… and 1 more"; !strings.Contains(out.String(), want) {
		t.Errorf("text lacks %q:\n%s", want, out.String())
	}
}

func TestAnEncodedReportDecodesToItself(t *testing.T) {
	data, err := Encode(sample(), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), got); diff != "" {
		t.Errorf("decoded report differs (-want +got):\n%s", diff)
	}
}

func TestEveryTruncationOfAReportIsRefused(t *testing.T) {
	data, err := Encode(sample(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		_, err := Decode(bytes.NewReader(data[:n]))
		if !errors.Is(err, ErrCut) && !errors.Is(err, ErrFormat) {
			// The last bytes are gzip's checksum: everything is there, but unverified.
			t.Errorf("first %d of %d bytes: got error %v, want ErrCut or ErrFormat", n, len(data), err)
		}
	}
}

func TestDecodeRefusesWhatIsNoReportOfThisVersion(t *testing.T) {
	tests := map[string]struct {
		lines   string
		wantErr error
	}{
		"another version":       {`{"report":{"version":"fettle.dev/report/v9"}}` + "\n" + `{"end":{"lines":1}}`, ErrVersion},
		"no head":               {`{"change":{"path":"a"}}`, ErrFormat},
		"not JSON":              {"hello", ErrFormat},
		"a line of no kind":     {`{"report":{"version":"` + Version + `"}}` + "\n{}", ErrFormat},
		"an end that miscounts": {`{"report":{"version":"` + Version + `"}}` + "\n" + `{"end":{"lines":7}}`, ErrFormat},
		"no end":                {`{"report":{"version":"` + Version + `"}}`, ErrCut},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			zip := gzip.NewWriter(&buf)
			fmt.Fprint(zip, test.lines)
			zip.Close()
			if _, err := Decode(&buf); !errors.Is(err, test.wantErr) {
				t.Errorf("got error %v, want %v", err, test.wantErr)
			}
		})
	}
}

func TestEncodeCutsTheDiffFirstThenDetailsThenDiagnosticsAndRowsLast(t *testing.T) {
	r := sample()
	r.Diff = incompressible(60_000)
	r.Invocations[0].Stderr = &Tail{Text: incompressible(20_000)}
	for i := range 3000 {
		r.Diagnostics = append(r.Diagnostics, diagnostic.Diagnostic{Severity: diagnostic.Warning, Message: incompressible(20 + i%7)})
		r.Changes = append(r.Changes, Change{Path: fmt.Sprintf("src/%s/%d.ts", incompressible(8), i), Kind: "modified"})
	}
	r.Written = []string{"a"}
	prev := [5]int{1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30}
	for _, limit := range []int{400_000, 150_000, 64 << 10, 20_000, 4_000} {
		data, err := Encode(r, limit)
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		if len(data) > limit {
			t.Errorf("limit %d: got %d bytes", limit, len(data))
		}
		got, err := Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("limit %d: decode: %v", limit, err)
		}
		left := [5]int{len(got.Diff), tails(got), len(got.Written), len(got.Diagnostics), len(got.Changes)}
		for i := 1; i < len(left); i++ {
			if left[i] < [5]int{0, 1, 1, len(r.Diagnostics), len(r.Changes)}[i] && left[i-1] != 0 {
				t.Errorf("limit %d: cut %d before %d was gone: left %v", limit, i, i-1, left)
			}
			if left[i] > prev[i] {
				t.Errorf("limit %d: more left than with a larger limit: %v after %v", limit, left, prev)
			}
		}
		if len(got.Changes) < len(r.Changes) && len(got.Cut) == 0 {
			t.Errorf("limit %d: rows are cut and Cut doesn't say so", limit)
		}
		prev = left
	}
}

func tails(r Report) int {
	n := 0
	for _, in := range r.Invocations {
		if in.Stderr != nil {
			n++
		}
	}
	return n
}

func incompressible(n int) string {
	var b strings.Builder
	x := uint64(n)*2654435761 + 88172645463325252
	for b.Len() < n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		fmt.Fprintf(&b, "%x", x)
	}
	return b.String()[:n]
}

func TestComparableLeavesOutOnlyWhatDriversMayDifferIn(t *testing.T) {
	a, b := sample(), sample()
	b.Run, b.StartedAt, b.DurationMillis = "other", "later", 1
	b.Invocations[0].Usage = &Usage{UserMillis: 1}
	b.Invocations[0].Containment = &Containment{Kind: "Declared", Exceeds: true}
	b.Invocations[0].Attempts = 2
	if diff := cmp.Diff(a.Comparable(), b.Comparable()); diff != "" {
		t.Errorf("reports differ in what they may differ in:\n%s", diff)
	}
	b.Changes[0].LinesAdded++
	if cmp.Equal(a.Comparable(), b.Comparable()) {
		t.Error("a different row goes unnoticed")
	}
	if a.Invocations[0].Containment == nil {
		t.Error("Comparable changed its receiver")
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(sample(), 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("not gzip"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(bytes.NewReader(data))
		if err == nil && r.Version != Version {
			t.Errorf("decoded a report of version %q without an error", r.Version)
		}
	})
}
