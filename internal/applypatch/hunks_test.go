package applypatch

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
)

// hunksOf parses hunks; a slash ends a line.
func hunksOf(t testing.TB, body string) []Hunk {
	t.Helper()
	ops, err := Parse(envelope("*** Update File: f", strings.ReplaceAll(body, "/", "\n")), 32)
	if err != nil || len(ops) != 1 {
		t.Fatalf("parse %q: %+v, %v", body, ops, err)
	}
	return ops[0].Hunks
}

func TestHunksKeepTheFileInItsForm(t *testing.T) {
	tests := []struct{ name, before, hunks, want string }{
		{"a CRLF file", "a\r\nb\r\nc\r\n", "@@/ a/-b/+x/+y/ c", "a\r\nx\r\ny\r\nc\r\n"},
		{"context keeps its own terminators", "a\r\nb\nc\r\n", "@@/ a/-b/+x/ c", "a\r\nx\nc\r\n"},
		{"added lines of a group count from its start", "a\nb\r\nc\r\nd\r\n", "@@/-a/ b/-c/+x/+y/ d", "b\r\nx\r\ny\r\nd\r\n"},
		{"removed and added lines in any order are one group", "a\rb\nc\n", "@@/+x/-a/+y/-b/+z", "x\ry\nz\nc\n"},
		{"appending behind a last line without terminator", "a\nb", "@@/ b/+c", "a\nb\nc"},
		{"replacing a last line without terminator", "a\r\nb", "@@/-b/+c/+d", "a\r\nc\r\nd"},
		{"removing a last line without terminator", "a\nb", "@@/-b", "a"},
		{"removing all lines", "a\nb\n", "@@/-a/-b", ""},
		{"two hunks with a moving cursor", "x\na\nx\nb\n", "@@/-x/+1/ a/@@/-x/+2/ b", "1\na\n2\nb\n"},
		{"a place before the cursor doesn't count", "x\ny\nx\n", "@@/-x/-y/+1/@@/-x/+2", "1\n2\n"},
		{"a hunk that only adds appends", "a\nb", "@@/+c/+d", "a\nb\nc\nd"},
		{"to an empty file, with a terminator", "", "@@/+c", "c\n"},
		{"twice", "a\n", "@@/+b/@@/+c", "a\nb\nc\n"},
		{"context that repeats itself in part", "a\na\nb\n", "@@/ a/ b/+c", "a\na\nb\nc\n"},
		{"a longer beginning that fails late", "a\nb\na\nb\na\nc\n", "@@/ a/ b/ a/-c", "a\nb\na\nb\na\n"},
		{"an empty line as context", "a\n\nb\n", "@@/ /-b/+c", "a\n\nc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyHunks("f", tt.before, hunksOf(t, tt.hunks))
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestHunkThatMatchesNoPlaceOrSeveralIsRefused(t *testing.T) {
	tests := []struct {
		name, before, hunks string
		want                fault.Reason
		wantText            string
	}{
		{"no place", "x\n", "@@/-q/+z", fault.ReasonNotFound, "hunk 1"},
		{"two places", "x\ny\nx\n", "@@/-x/+z", fault.ReasonAmbiguous, "lines 1 and 3"},
		{"two places that overlap", "a\na\na\n", "@@/-a/-a", fault.ReasonAmbiguous, "lines 1 and 2"},
		{"before the cursor only", "a\nb\n", "@@/-b/@@/-a", fault.ReasonNotFound, "from line 3"},
		{"behind an appended line", "a\n", "@@/+b/@@/-a", fault.ReasonNotFound, "hunk 2"},
		{"white space", "a \n", "@@/-a", fault.ReasonNotFound, "hunk 1"},
		{"two places behind the cursor", "a\nx\nx\n", "@@/-a/@@/-x", fault.ReasonAmbiguous, "lines 2 and 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyHunks("f", tt.before, hunksOf(t, tt.hunks))
			e := fault.As(err)
			if e == nil || e.Kind != fault.StepFailed || e.Reason != tt.want || e.Path != "f" || e.Hint == "" {
				t.Fatalf("got %q, %v; want StepFailed (%s) with path and hint", got, err, tt.want)
			}
			if !strings.Contains(e.Message, tt.wantText) {
				t.Errorf("message %q lacks %q", e.Message, tt.wantText)
			}
		})
	}
}

// naiveApply applies hunks to contents by the words of spec §8.4, and says whether each
// had one place.
func naiveApply(lines []string, hunks []Hunk) ([]string, bool) {
	cursor := 0
	for _, h := range hunks {
		var before, after []string
		for _, line := range h.Lines {
			if line.Mark != Added {
				before = append(before, line.Text)
			}
			if line.Mark != Removed {
				after = append(after, line.Text)
			}
		}
		places := []int{}
		for at := cursor; at+len(before) <= len(lines) && len(before) > 0; at++ {
			if slices.Equal(lines[at:at+len(before)], before) {
				places = append(places, at)
			}
		}
		if len(before) == 0 {
			places = []int{len(lines)}
		}
		if len(places) != 1 {
			return nil, false
		}
		lines = slices.Concat(lines[:places[0]], after, lines[places[0]+len(before):])
		cursor = places[0] + len(after)
	}
	return lines, true
}

func contents(s string) (list []string) {
	for line := range text.Lines(s) {
		list = append(list, text.Content(line))
	}
	return list
}

// trimmed drops empty lines at the end, which a text without final newline can't have.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func FuzzHunksApplyAsANaiveImplementationDoes(f *testing.F) {
	f.Add("a\nb\nc", "@@\n a\n-b\n+x\n@@\n+z")
	f.Add("a\na\nb\n", "@@\n a\n-b")
	f.Add("x\r\ny\rz\n", "@@\n-y\n+1\n+2")
	f.Add("aa\nab\naa\nab\n", "@@\n aa\n ab\n aa\n+q")
	f.Fuzz(func(t *testing.T, s, body string) {
		ops, err := Parse(envelope("*** Update File: f", body), 8)
		if err != nil || len(ops) != 1 {
			return
		}
		got, err := ApplyHunks("f", s, ops[0].Hunks)
		want, ok := naiveApply(contents(s), ops[0].Hunks)
		if ok != (err == nil) {
			t.Fatalf("%q on %q: got %q, %v; the naive one says %v", body, s, got, err, ok)
		}
		if err != nil {
			return
		}
		if s != "" && got != "" && (text.Terminator(s) == "") != (text.Terminator(got) == "") {
			t.Fatalf("%q on %q: got %q with another final newline", body, s, got)
		}
		if strings.ContainsRune(s, '\r') {
			return // a CR before an LF that gets next to it makes one terminator of two
		}
		if !slices.Equal(trimmed(contents(got)), trimmed(want)) {
			t.Fatalf("%q on %q: got %q; want lines %q", body, s, got, want)
		}
	})
}
