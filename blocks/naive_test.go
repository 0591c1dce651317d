package blocks

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// The types here are the specification of editing told a second time, without a thought
// for cost: lists of lines, searched by comparing everything with everything.

// naiveLine is a line with its terminator, "" for none.
type naiveLine struct{ text, end string }

// naiveEdit replaces the observed lines from start to end.
type naiveEdit struct {
	start, end           int
	ops                  []naiveOp
	diff                 bool // git_diff, otherwise SEARCH/REPLACE
	oldMarker, newMarker bool
}

type naiveOp struct {
	sign op
	text string
}

func naiveSplit(content string) []naiveLine {
	var out []naiveLine
	for content != "" {
		line, rest, lf := strings.Cut(content, "\n")
		l := naiveLine{text: line}
		if lf {
			l.end = "\n"
			if t, cr := strings.CutSuffix(line, "\r"); cr {
				l = naiveLine{t, "\r\n"}
			}
		}
		out = append(out, l)
		content = rest
	}
	return out
}

func naiveDominant(content string) string {
	if 2*strings.Count(content, "\r\n") > strings.Count(content, "\n") {
		return "\r\n"
	}
	return "\n"
}

func naiveFind(file []naiveLine, search []string) []int {
	var found []int
	for i := 0; i+len(search) <= len(file); i++ {
		same := true
		for k, s := range search {
			same = same && file[i+k].text == s
		}
		if same {
			found = append(found, i)
		}
	}
	return found
}

// naiveApply builds the edited file. edits are sorted and don't overlap.
func naiveApply(content string, edits []naiveEdit) string {
	file, dominant := naiveSplit(content), naiveDominant(content)
	var out []naiveLine
	next := 0
	for _, e := range edits {
		out = append(out, file[next:e.start]...)
		out = append(out, naiveSpan(file, e, content, dominant)...)
		next = e.end
	}
	out = append(out, file[next:]...)
	var b strings.Builder
	for i, l := range out {
		if l.end == "" && i < len(out)-1 {
			l.end = dominant
		}
		b.WriteString(l.text + l.end)
	}
	return b.String()
}

func naiveSpan(file []naiveLine, e naiveEdit, content, dominant string) []naiveLine {
	endOf := func(i int) string {
		if file[i].end == "" {
			return dominant
		}
		return file[i].end
	}
	var out []naiveLine
	kept := false
	at := e.start
	for i := 0; i < len(e.ops); {
		if e.ops[i].sign == keepLine {
			out, kept = append(out, file[at]), true
			i, at = i+1, at+1
			continue
		}
		var added []string
		removed := 0
		for ; i < len(e.ops) && e.ops[i].sign != keepLine; i++ {
			if e.ops[i].sign == addLine {
				added = append(added, e.ops[i].text)
			} else {
				removed++
			}
		}
		for j, text := range added {
			end := dominant
			switch {
			case removed > j:
				end = endOf(at + j)
			case removed > 0:
				end = endOf(at + removed - 1)
			case at > 0:
				end = endOf(at - 1)
			case at < len(file):
				end = endOf(at)
			}
			out, kept = append(out, naiveLine{text, end}), false
		}
		at += removed
	}
	if e.end < len(file) || len(out) == 0 {
		return out
	}
	last := &out[len(out)-1]
	wasTerminated := content == "" || strings.HasSuffix(content, "\n")
	if e.newMarker || !kept && !e.oldMarker && !wasTerminated {
		last.end = ""
	}
	return out
}

// naiveArrange sorts edits; it returns false if two overlap.
func naiveArrange(edits []naiveEdit) bool {
	slices.SortStableFunc(edits, func(a, b naiveEdit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	for i := 1; i < len(edits); i++ {
		if edits[i].start < edits[i-1].end {
			return false
		}
	}
	return true
}

// randomContent is a file over few distinct lines with ends of all kinds.
func randomContent(rng *rand.Rand) string {
	ends := pick(rng, [][]string{{"\n"}, {"\n"}, {"\r\n"}, {"\n", "\r\n"}})
	var b strings.Builder
	n := rng.IntN(9)
	for i := range n {
		b.WriteString(pick(rng, []string{"a", "b", "c", "", " d", "e\r", "f f"}))
		if i < n-1 || rng.IntN(3) > 0 {
			b.WriteString(pick(rng, ends))
		}
	}
	return b.String()
}

func randomLines(rng *rand.Rand, most int) []string {
	out := []string{}
	for range rng.IntN(most + 1) {
		out = append(out, pick(rng, []string{"a", "b", "x", "", " d", "y z"}))
	}
	return out
}
