package applypatch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
)

// envelope is a patch of these lines.
func envelope(lines ...string) string {
	return beginPatch + "\n" + strings.Join(lines, "\n") + "\n" + endPatch
}

func TestParseReadsEverySection(t *testing.T) {
	patch := "\n \n" + envelope(
		"*** Add File: a b.ts", "+one", "+", "++two",
		"",
		"*** Add File: empty",
		"*** Delete File: x",
		"*** End of File", "",
		"*** Update File:  src\\u.ts ",
		"@@ func main() @@", " keep", "- old", "+ new", "@@", "+tail",
		"*** End of File",
		"*** Update File: m", "*** Move to: n",
		"*** Update File: p", "*** Move to: q", "@@", "-z",
	) + "\n\n"
	want := []Operation{
		{Kind: Add, Path: "a b.ts", Text: "one\n\n+two\n"},
		{Kind: Add, Path: "empty"},
		{Kind: Delete, Path: "x"},
		{Kind: Update, Path: "src/u.ts", Hunks: []Hunk{
			{At: 14, Lines: []Line{{Context, "keep"}, {Removed, " old"}, {Added, " new"}}},
			{At: 18, Lines: []Line{{Added, "tail"}}},
		}},
		{Kind: Update, Path: "m", MoveTo: "n"},
		{Kind: Update, Path: "p", MoveTo: "q", Hunks: []Hunk{{At: 25, Lines: []Line{{Removed, "z"}}}}},
	}
	for name, patch := range map[string]string{
		"LF": patch, "CRLF": strings.ReplaceAll(patch, "\n", "\r\n"), "CR": strings.ReplaceAll(patch, "\n", "\r"),
	} {
		got, err := Parse(patch, 32)
		if err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: operations (-want +got):\n%s", name, diff)
		}
	}
}

func TestMalformedPatchIsRefusedWithItsLine(t *testing.T) {
	tests := []struct {
		name, patch string
		wantLine    int
	}{
		{"empty", "", 1},
		{"no begin", "\n*** Delete File: a", 2},
		{"no end", beginPatch + "\n*** Delete File: a\n", 3},
		{"no section", envelope(""), 3},
		{"text behind the end", envelope("*** Delete File: a") + "\n\nx", 5},
		{"text before the begin", "x\n" + envelope("*** Delete File: a"), 1},
		{"an unknown section", envelope("*** Rename File: a"), 2},
		{"a section without its space", envelope("*** Delete File:a"), 2},
		{"a line of an added file without plus", envelope("*** Add File: a", "+x", "y"), 4},
		{"a body of a deletion", envelope("*** Delete File: a", "-x"), 3},
		{"an update of nothing", envelope("*** Update File: a"), 3},
		{"a hunk without change", envelope("*** Update File: a", "@@", " a"), 5},
		{"a hunk without lines", envelope("*** Update File: a", "@@", "@@", "+x"), 4},
		{"hunk lines without a start", envelope("*** Update File: a", "-x"), 3},
		{"a move behind hunks", envelope("*** Update File: a", "@@", "-x", "*** Move to: b"), 5},
		{"an empty line within a hunk", envelope("*** Update File: a", "@@", " a", "", "-x"), 5},
		{"a hunk behind an empty line", envelope("*** Update File: a", "@@", "-a", "", "@@", "-x"), 6},
		{"a blank within the begin", " " + envelope("*** Delete File: a"), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.patch, 32)
			e := fault.As(err)
			if e == nil || e.Kind != fault.BadArgument || e.Reason != fault.ReasonMalformedPatch || e.Hint == "" {
				t.Fatalf("got %+v, %v; want BadArgument (malformed-patch) with a hint", got, err)
			}
			if want := fmt.Sprintf("line %d of the patch", tt.wantLine); !strings.HasPrefix(e.Message, want+":") {
				t.Errorf("got message %q; want it to begin with %q", e.Message, want)
			}
		})
	}
}

func TestPathsTakeTheStrictDoor(t *testing.T) {
	tests := []struct {
		name string
		line []string
		want fault.Reason
	}{
		{"a parent", []string{"*** Delete File: ../a"}, fault.ClassBadSegment},
		{"absolute", []string{"*** Add File: /a"}, fault.ClassNotRelative},
		{"no path", []string{"*** Add File: "}, fault.ClassEmpty},
		{"too deep", []string{"*** Update File: a/b/c", "@@", "-x"}, fault.ClassDepth},
		{"a destination", []string{"*** Update File: a", "*** Move to: ~/b"}, fault.ClassHome},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(envelope(tt.line...), 2)
			if !fault.Is(err, fault.PathRefused, tt.want) || !strings.Contains(err.Error(), "of the patch") {
				t.Errorf("got %v; want PathRefused (%s) with the line", err, tt.want)
			}
		})
	}
}

// rendered writes operations as a patch.
func rendered(ops []Operation) string {
	var lines []string
	for _, op := range ops {
		switch op.Kind {
		case Add:
			lines = append(lines, addFile+op.Path)
			for line := range text.Lines(op.Text) {
				lines = append(lines, "+"+text.Content(line))
			}
		case Delete:
			lines = append(lines, deleteFile+op.Path)
		case Update:
			lines = append(lines, updateFile+op.Path)
			if op.MoveTo != "" {
				lines = append(lines, moveTo+op.MoveTo)
			}
			for _, h := range op.Hunks {
				lines = append(lines, hunkStart)
				for _, line := range h.Lines {
					lines = append(lines, string(rune(line.Mark))+line.Text)
				}
			}
		}
	}
	return envelope(lines...)
}

func FuzzParsedPatchRendersToItself(f *testing.F) {
	f.Add(envelope("*** Add File: a", "+x", "", "*** Update File: b", "*** Move to: c", "@@ z", " a", "-b", "+c", "*** Delete File: d"))
	f.Add(envelope("*** Update File: a", "@@", "+x\r", "*** End of File"))
	f.Add(beginPatch)
	f.Add("")
	f.Fuzz(func(t *testing.T, patch string) {
		ops, err := Parse(patch, 8)
		if err != nil {
			if e := fault.As(err); e == nil || e.Reason == "" || e.Kind != fault.BadArgument && e.Kind != fault.PathRefused {
				t.Fatalf("got %v; want BadArgument or PathRefused with a reason", err)
			}
			return
		}
		again, err := Parse(rendered(ops), 8)
		if err != nil {
			if fault.Is(err, fault.PathRefused, "") {
				return // a path that trimming would change once more
			}
			t.Fatalf("%q: rendered as %q: %v", patch, rendered(ops), err)
		}
		if diff := cmp.Diff(ops, again, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".At" }, cmp.Ignore())); diff != "" {
			t.Fatalf("%q: parsed, rendered and parsed again (-first +second):\n%s", patch, diff)
		}
	})
}
