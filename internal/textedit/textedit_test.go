package textedit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
)

func TestEditReplacesOnePlace(t *testing.T) {
	tests := []struct {
		name, before, find, replace, want string
	}{
		{"whole lines of a CRLF file are found with LF", "a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"find with CRLF matches an LF file", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"},
		{"a lone CR file", "a\rb\rc\r", "b", "x\ny", "a\rx\ry\rc\r"},
		{"each new line takes the terminator of the line it replaces", "a\r\nb\nc\n", "a\nb", "p\nq\nr", "p\r\nq\nr\nc\n"},
		{"a surplus line takes the dominant terminator", "a\nb\r\nc\r\n", "a", "x\ny", "x\ny\r\nb\r\nc\r\n"},
		{"no final newline stays so", "a\nb", "b", "x\ny", "a\nx\ny"},
		{"a trailing newline names whole lines", "a\nb\nc\n", "b\n", "x\n", "a\nx\nc\n"},
		{"whole lines stay lines though the replacement ends without terminator", "a\nb\nc\n", "b\n", "x", "a\nx\nc\n"},
		{"a trailing newline of the replacement makes no line of its own", "a\nb\nc\n", "b", "x\n", "a\nx\nc\n"},
		{"two trailing newlines of the replacement make one empty line", "a\nb\nc\n", "b\n", "x\n\n", "a\nx\n\nc\n"},
		{"an empty line in place of a line", "a\nb\nc\n", "b\n", "\n", "a\n\nc\n"},
		{"nothing in place of whole lines removes them", "a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"},
		{"nothing in place of a line leaves an empty one", "a\nb\nc\n", "b", "", "a\n\nc\n"},
		{"removing the last line without final newline", "a\nb", "b\n", "", "a"},
		{"removing all lines empties the text", "a\nb\n", "a\nb\n", "", ""},
		{"emptying the only line, which had no terminator", "a", "a", "", ""},
		{"an empty last line can't stay without final newline", "a\nb", "b", "\n\n", "a"},
		{"find that is only a terminator is an empty line", "a\n\nb\n", "\n", "x", "a\nx\nb\n"},
		{"and where there is none, a terminator", "a\nb", "\n", "", "ab"},
		{"find of whole lines with an empty one at the end", "a\n\nb\na\n", "a\n\n", "x\n", "x\nb\na\n"},
		{"a unique substring", "{\r\n  \"v\": \"1.0.0\"\r\n}\r\n", `"1.0.0"`, `"1.1.0"`, "{\r\n  \"v\": \"1.1.0\"\r\n}\r\n"},
		{"a substring over two lines", "foo(a,\r\n  b)\r\nz\r\n", "(a,\n  b", "(\n  a,\n  b", "foo(\r\n  a,\r\n  b)\r\nz\r\n"},
		{"terminators of a substring by number", "xa\rb\r\ncy\n", "a\nb\nc", "1\n2\n3\n4", "x1\r2\r\n3\n4y\n"},
		{"whole lines win over substrings", "ab\na\nba\n", "a", "x", "ab\nx\nba\n"},
		{"a final newline is kept though a substring took it", "a\nxb\r\n", "b\n", "c", "a\nxc\r\n"},
		{"a run at the start of the text", "a\nb\nb\n", "a\nb", "x", "x\nb\n"},
		{"many bytes before the place, CRLF", "é\r\nü\r\nö\r\n", "ö", "x", "é\r\nü\r\nx\r\n"},
		{"the same bytes are no change", "a\r\nb\n", "a", "a", "a\r\nb\n"},
		{"separators that end no line are text", "a\u2028b\n", "\u2028", " ", "a b\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply("f", tt.before, []Edit{{tt.find, tt.replace}})
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestEditThatNamesNoPlaceOrSeveralIsRefused(t *testing.T) {
	tests := []struct {
		name, before, find string
		want               fault.Reason
		wantText           string
	}{
		{"no place", "a\n", "z", fault.ReasonNotFound, "edit 1"},
		{"two substrings", "aXb\ncXd\n", "X", fault.ReasonAmbiguous, "lines 1 and 2"},
		{"two substrings that overlap", "xaaay\n", "aa", fault.ReasonAmbiguous, "lines 1 and 1"},
		{"two runs of lines", "a\nb\r\na\n", "a", fault.ReasonAmbiguous, "lines 1 and 3"},
		{"two runs that overlap", "a\na\na\n", "a\na", fault.ReasonAmbiguous, "lines 1 and 2"},
		{"two empty lines", "\n\n", "\n", fault.ReasonAmbiguous, "lines 1 and 2"},
		{"an empty text has no lines", "", "\n", fault.ReasonNotFound, "edit 1"},
		{"an empty find", "a", "", fault.ReasonNotFound, "edit 1"},
		{"whole lines that are only part of a line", "ab\n", "b\nb", fault.ReasonNotFound, "edit 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply("f", tt.before, []Edit{{tt.find, "y"}})
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

func TestEditsApplyOneAfterTheOtherOrNotAtAll(t *testing.T) {
	got, err := Apply("f", "a\nb\n", []Edit{{"a", "c"}, {"c\nb", "d"}})
	if err != nil || got != "d\n" {
		t.Errorf("got %q, %v; want %q", got, err, "d\n")
	}
	got, err = Apply("f", "a\nb\n", []Edit{{"a", "x"}, {"zzz", "y"}})
	if got != "" || !fault.Is(err, fault.StepFailed, fault.ReasonNotFound) || !strings.Contains(err.Error(), "edit 2") {
		t.Errorf("got %q, %v; want nothing and the refusal of edit 2", got, err)
	}
	if got, err = Apply("f", "a", nil); err != nil || got != "a" {
		t.Errorf("no edit: got %q, %v; want the text", got, err)
	}
}

func TestReadLinesCountsFromOneAndClampsTheEnd(t *testing.T) {
	const file = "a\r\nb\rc\nd"
	tests := []struct {
		name, text string
		start, end int
		want       string
		refused    bool
	}{
		{"a range", file, 2, 3, "b\nc", false},
		{"to the end", file, 3, 0, "c\nd", false},
		{"beyond the end", file, 4, 9, "d", false},
		{"one line", file, 1, 1, "a", false},
		{"empty lines", "\n\n", 1, 2, "\n", false},
		{"start beyond the last line", file, 5, 9, "", true},
		{"end before start", file, 3, 2, "", true},
		{"start below one", file, 0, 2, "", true},
		{"an empty text has no line", "", 1, 0, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadLines("f", tt.text, tt.start, tt.end)
			if refused := fault.Is(err, fault.BadArgument, fault.ReasonRange); refused != tt.refused || got != tt.want || (err != nil) != refused {
				t.Errorf("got %q, %v; want %q, refused %v", got, err, tt.want, tt.refused)
			}
		})
	}
}

// naiveRuns are the runs of whole lines that match find, by the words of spec §8.3.
func naiveRuns(s, find string) (runs [][2]int) {
	want, lines, offset := contents(find), text.Split(s), 0
	for i, line := range lines {
		if i+len(want) > len(lines) {
			break
		}
		run := strings.Join(lines[i:i+len(want)], "")
		if strings.Join(contents(run), "\x00") == strings.Join(want, "\x00") {
			runs = append(runs, [2]int{offset, offset + len(run)})
		}
		offset += len(line)
	}
	return runs
}

func contents(s string) (list []string) {
	for line := range text.Lines(s) {
		list = append(list, text.Content(line))
	}
	return list
}

func FuzzEditTouchesOnlyThePlaceItNames(f *testing.F) {
	f.Add("a\r\nb\nc", "b\n", "x\ny")
	f.Add("aXb\ncXd", "X", "")
	f.Add("\n\n", "\n", "a")
	f.Add("a\rb", "a\rb\r", "\r")
	f.Fuzz(func(t *testing.T, s, find, replace string) {
		if find == "" || len(s)+len(find) > 200 || strings.ContainsAny(s+find, "\x00") || !utf8.ValidString(s+find+replace) {
			return
		}
		got, err := Apply("f", s, []Edit{{find, replace}})
		runs := naiveRuns(s, find)
		if len(runs) > 1 && !fault.Is(err, fault.StepFailed, fault.ReasonAmbiguous) {
			t.Fatalf("%d runs of %q in %q: got %q, %v; want ambiguous", len(runs), find, s, got, err)
		}
		if err != nil {
			if len(runs) == 1 {
				t.Fatalf("one run of %q in %q: got %v", find, s, err)
			}
			return
		}
		if len(runs) == 1 {
			checkKept(t, s, got, runs[0])
		}
		if s != "" && got != "" && (text.Terminator(s) == "") != (text.Terminator(got) == "") {
			t.Fatalf("%q became %q: the final newline changed", s, got)
		}
	})
}

// checkKept says that what stands before and behind a run of lines is kept, but for the
// final newline.
func checkKept(t *testing.T, before, after string, run [2]int) {
	t.Helper()
	head, tail := before[:run[0]], before[run[1]:]
	if !strings.HasPrefix(after, head) && !strings.HasPrefix(head, after) {
		t.Fatalf("%q became %q: what stood before %v changed", before, after, run)
	}
	if !strings.HasSuffix(after, tail) {
		t.Fatalf("%q became %q: what stood behind %v changed", before, after, run)
	}
}
