package blocks

import (
	"bytes"
	"strconv"
	"strings"
)

// AllLines asks NewDiff for the whole text.
const AllLines = -1

// maxTable bounds the rows times columns that are aligned (§ 19.2).
const maxTable = 4_000_000

// Diff is the feedback diff of § 19: what an agent is shown, and what is counted. It is
// not a patch for other programs: it has no context and adds before it removes.
type Diff struct {
	Text           string // without a final LF; empty if no line differs or none was asked for
	TruncatedTo    int    // lines kept of a longer text; 0: not cut
	Added, Removed int    // lines, every one counted
}

// NewDiff compares two contents, nil for absent, line by line. Text has at most
// maxLines lines, headers counted; 0 for none, AllLines for all.
func NewDiff(path string, before, after []byte, maxLines int) Diff {
	skipped, a, b := trimCommon(before, after)
	if len(a) == 0 && len(b) == 0 {
		return Diff{}
	}
	rows, cols := countLines(a), countLines(b)
	w := diffWriter{max: maxLines}
	if maxLines != 0 {
		w.line("--- a/", path)
		w.line("+++ b/", path)
		w.line("@@ -", lineRangeText(skipped, rows), " +", lineRangeText(skipped, cols), " @@")
	}
	if rows*cols <= maxTable && rows > 0 && cols > 0 {
		w.align(splitLines(a), splitLines(b))
	} else {
		w.all("-", a)
		w.all("+", b)
		w.removed, w.added = rows, cols
	}
	d := Diff{Text: w.text.String(), Added: w.added, Removed: w.removed}
	if w.cut {
		d.TruncatedTo = maxLines
	}
	return d
}

// lineRangeText renders the range of one side, which begins behind the line before
// (§ 19.3).
func lineRangeText(before, lines int) string {
	switch lines {
	case 0:
		return strconv.Itoa(before) + ",0"
	case 1:
		return strconv.Itoa(before + 1)
	}
	return strconv.Itoa(before+1) + "," + strconv.Itoa(lines)
}

// trimCommon takes the common first and then the common last lines off two contents.
// before is the number of the first ones.
func trimCommon(a, b []byte) (before int, restA, restB []byte) {
	for len(a) > 0 && len(b) > 0 {
		lineA, nextA := firstLine(a)
		lineB, nextB := firstLine(b)
		if !bytes.Equal(lineA, lineB) {
			break
		}
		before++
		a, b = nextA, nextB
	}
	for len(a) > 0 && len(b) > 0 {
		lineA, nextA := lastLine(a)
		lineB, nextB := lastLine(b)
		if !bytes.Equal(lineA, lineB) {
			break
		}
		a, b = nextA, nextB
	}
	return before, a, b
}

// firstLine and lastLine cut a line off content, without its LF.
func firstLine(content []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(content, []byte{'\n'})
	return line, rest
}

func lastLine(content []byte) (line, rest []byte) {
	line = bytes.TrimSuffix(content, []byte{'\n'})
	start := bytes.LastIndexByte(line, '\n') + 1
	return line[start:], content[:start]
}

// splitLines cuts at LF and drops a final empty piece.
func splitLines(content []byte) []string {
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// diffWriter collects a text up to a number of lines.
type diffWriter struct {
	text           strings.Builder
	lines, max     int
	cut            bool
	added, removed int
}

// line writes one line if there is room for it.
func (w *diffWriter) line(parts ...string) {
	if w.max == 0 || w.cut {
		return
	}
	if w.lines == w.max {
		w.cut = true
		return
	}
	if w.lines > 0 {
		w.text.WriteByte('\n')
	}
	w.lines++
	for _, p := range parts {
		w.text.WriteString(p)
	}
}

// all writes every line of content behind a sign.
func (w *diffWriter) all(sign string, content []byte) {
	for len(content) > 0 && w.max != 0 && !w.cut {
		var line []byte
		line, content = firstLine(content)
		w.line(sign, string(line))
	}
}

// align writes two lists of lines by a longest common subsequence, top down: a line
// both have is context; where they differ the addition goes first unless that would
// make the common subsequence shorter (§ 19.2).
func (w *diffWriter) align(before, after []string) {
	first := additionFirst(before, after)
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			w.line(" ", before[i])
			i, j = i+1, j+1
		case i == len(before) || j < len(after) && first.at(i, j):
			w.line("+", after[j])
			w.added++
			j++
		default:
			w.line("-", before[i])
			w.removed++
			i++
		}
	}
}
