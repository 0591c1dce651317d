package outcome

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

func row(i, length int) v1alpha1.ChangeRow {
	path := v1alpha1.Path(fmt.Sprintf("%04d/%s", i, strings.Repeat("a", length)))
	return v1alpha1.ChangeRow{Path: path, Kind: v1alpha1.ChangeRenamed, From: path, LinesAdded: 1}
}

func whole(rows, length int) v1alpha1.RunOutcome {
	a := &v1alpha1.Accounting{Changed: v1alpha1.ChangedCounts{Files: 50_000}, Digest: "sha256:" + v1alpha1.Digest(strings.Repeat("0", 64))}
	for i := range rows {
		a.First = append(a.First, row(i, length))
	}
	return v1alpha1.RunOutcome{Entry: "3-0", Attempt: 1, Result: v1alpha1.ResultChanged, Accounting: a}
}

func TestAnOutcomeNeverExceedsItsSizeAndKeepsItsCounts(t *testing.T) {
	long := strings.Repeat("ä", 4000)
	var paths []v1alpha1.Path
	var globs []string
	for i := range 10 {
		paths = append(paths, row(i, 1000).Path)
		globs = append(globs, strings.Repeat("b", 2000))
	}
	all := make([]int64, 64)
	for i := range all {
		all[i] = 50_000
	}
	waiting := &v1alpha1.GateStatus{Step: "fix", Targets: 10, FirstTargets: paths, MayCreate: globs}
	for _, tt := range []struct {
		name string
		give v1alpha1.RunOutcome
	}{
		{"small", whole(2, 10)},
		{"long paths", whole(20, 1000)},
		{"a long message", func() v1alpha1.RunOutcome { o := whole(20, 100); o.Message = long; return o }()},
		{"a gate over many files", func() v1alpha1.RunOutcome {
			o := whole(20, 500)
			o.Result, o.Waiting, o.Message, o.Changed = "", waiting, long, all
			return o
		}()},
		{"characters that JSON escapes", func() v1alpha1.RunOutcome {
			o := whole(20, 0)
			o.Message = strings.Repeat("<", 1024)
			o.Reason = strings.Repeat("<", 64)
			return o
		}()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := Encode(tt.give)
			if err != nil {
				t.Fatal(err)
			}
			if len(raw) > MaxBytes {
				t.Errorf("got %d bytes, want at most %d", len(raw), MaxBytes)
			}
			got, err := Decode(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			if got.Accounting.Changed != tt.give.Accounting.Changed || got.Accounting.Digest != tt.give.Accounting.Digest || got.Result != tt.give.Result {
				t.Errorf("got %+v, want the counts, digest and result of %+v", got, tt.give)
			}
			if !utf8.ValidString(got.Message) {
				t.Error("the message was cut within a character")
			}
		})
	}
}

func TestAnOutcomeThatFitsIsLeftAsItIs(t *testing.T) {
	want := whole(3, 40)
	if diff := cmp.Diff(want, Fit(want)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFittingChangesNothingThatItIsGiven(t *testing.T) {
	give := whole(20, 1000)
	give.Message = strings.Repeat("m", 5000)
	Fit(give)
	if len(give.Accounting.First) != 20 || len(give.Message) != 5000 {
		t.Error("the outcome that was given was changed")
	}
}

func TestWhatIsNoOutcomeIsRefused(t *testing.T) {
	for _, message := range []string{
		"", "panic: runtime error", "{}", `{"entry":"prepare","attempt":1}`, `{"entry":"prepare","result":"Changed"}`,
		`{"attempt":1,"result":"Changed"}`, `{"entry":"prepare","attempt":1,"result":"Changed","unknown":1}`,
		`{"entry":"prepare","attempt":1,"result":"Changed","redo":{}}`,
		`{"entry":"prepare","attempt":1,"result":"Changed","message":"` + strings.Repeat("m", MaxBytes) + `"}`,
	} {
		if _, err := Decode(message); !errors.Is(err, ErrNotOutcome) {
			t.Errorf("Decode(%.60q) = %v, want ErrNotOutcome", message, err)
		}
	}
}

func TestTextIsCutAtACharacter(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "lo…"}, {"ääää", 6, "ä…"}, {"ääää", 7, "ää…"}, {"long", 2, ""}, {"long", 0, ""},
	} {
		if got := Cut(tt.text, tt.limit); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}

func TestAllEntriesTogetherStayWithinTheirSize(t *testing.T) {
	for length, want := range map[int]int{3: 100, 63: 70} {
		name := strings.Repeat("s", length)
		var entries []v1alpha1.InvocationStatus
		left := 0
		for i := range 256 {
			code := int32(1)
			e, ok := FitEntry(entries, v1alpha1.InvocationStatus{
				Name: Invocation(i/4, i%4), Step: v1alpha1.StepName(name), Engine: name, Attempt: 11, Outcome: v1alpha1.OutcomeCompleted,
				ExitCode: &code, Message: strings.Repeat("m", 600*(i/255)), Paths: 50_000, Changed: 50_000,
				Diagnostics: &v1alpha1.DiagnosticCounts{Errors: 10_000, Warnings: 10_000}, Version: strings.Repeat("v", 200),
				Containment: &v1alpha1.ContainmentStatus{Kind: v1alpha1.ContainmentLandlockDirectories, Roots: []v1alpha1.Path{"src"}},
			})
			if !ok {
				left++
				continue
			}
			entries = append(entries, e)
		}
		raw, err := json.Marshal(entries)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > MaxEntryBytes {
			t.Errorf("names of %d: %d entries have %d bytes, want at most %d", length, len(entries), len(raw), MaxEntryBytes)
		}
		if len(entries) < want || entries[0].Version == "" || entries[len(entries)-1].Version != "" {
			t.Errorf("names of %d: got %d entries, want %d, the first whole and the last cut", length, len(entries), want)
		}
	}
}

func TestAnEntryIsReplacedByTheNextAttempts(t *testing.T) {
	var entries []v1alpha1.InvocationStatus
	for i := range 100 {
		e, ok := FitEntry(entries, v1alpha1.InvocationStatus{Name: "0-0", Step: "fix", Engine: "eslint", Attempt: int32(i + 1), Message: strings.Repeat("m", 512)})
		if !ok || len(e.Message) != 512 {
			t.Fatalf("attempt %d: got %v, want the entry whole", i+1, ok)
		}
		entries = []v1alpha1.InvocationStatus{e}
	}
}

func TestEntriesAreNamedByStepAndIndex(t *testing.T) {
	next := v1alpha1.NextInvocation{Step: 12, Index: 3}
	if got := Of(next); got != "12-3" || !IsInvocation(got) || Manager(got) != "fettle-sidecar-12-3" {
		t.Errorf("got %q of %q", got, Manager(got))
	}
	for _, other := range []string{Prepare, Folders, Recover} {
		if IsInvocation(other) {
			t.Errorf("%s is taken for an invocation", other)
		}
	}
}

func FuzzDecode(f *testing.F) {
	raw, _ := Encode(whole(3, 10))
	f.Add(string(raw))
	f.Add(`{"entry":"prepare","attempt":1,"redo":{"folders":true}}`)
	f.Fuzz(func(t *testing.T, message string) {
		o, err := Decode(message)
		if err != nil {
			return
		}
		raw, err := Encode(o)
		if err != nil && len(message) <= MaxBytes/8 {
			t.Fatalf("%q was decoded and can't be encoded: %v", message, err)
		}
		if err == nil && len(raw) > MaxBytes {
			t.Fatalf("%d bytes", len(raw))
		}
	})
}
