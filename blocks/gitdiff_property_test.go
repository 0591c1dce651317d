package blocks

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// naiveHunk is a hunk with markers behind its last old and last new line.
type naiveHunk struct {
	stated               int
	ops                  []naiveOp
	oldMarker, newMarker bool
}

func (h naiveHunk) old() []string {
	var out []string
	for _, o := range h.ops {
		if o.sign != addLine {
			out = append(out, o.text)
		}
	}
	return out
}

// body writes the hunk with counts that mean nothing.
func (h naiveHunk) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%d,7 +1 @@ context\n", h.stated)
	lastOld, lastNew := -1, -1
	for i, o := range h.ops {
		if o.sign != addLine {
			lastOld = i
		}
		if o.sign != removeLine {
			lastNew = i
		}
	}
	for i, o := range h.ops {
		text := o.text
		if strings.HasSuffix(text, "\r") {
			text += "\r"
		}
		b.WriteString(string(o.sign) + text + "\n")
		if h.oldMarker && i == lastOld || h.newMarker && i == lastNew {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
	return b.String()
}

// naiveDiff is § 8 told a second time.
func naiveDiff(content string, hunks []naiveHunk, maxDrift int) (string, int, Code) {
	file := naiveSplit(content)
	fuzz := 0
	var edits []naiveEdit
	for _, h := range hunks {
		old := h.old()
		candidates := naiveFind(file, old)
		wanted := h.stated - 1
		if len(old) == 0 {
			wanted = h.stated
			candidates = []int{min(wanted, len(file))}
		}
		best, drift := -1, maxDrift+1
		for _, c := range candidates {
			if (h.oldMarker || h.newMarker) && c+len(old) != len(file) {
				if len(old) > 0 {
					continue
				}
				c = len(file)
			}
			d := c - wanted
			if d < 0 {
				d = -d
			}
			if d < drift {
				best, drift = c, d
			}
		}
		if best < 0 {
			return "", 0, CodeEditContextMismatch
		}
		fuzz = max(fuzz, drift)
		edits = append(edits, naiveEdit{best, best + len(old), h.ops, true, h.oldMarker, h.newMarker})
	}
	if !naiveArrange(edits) {
		return "", 0, CodeEditSpanOverlap
	}
	return naiveApply(content, edits), fuzz, ""
}

// randomHunk mostly copies its old lines out of the file.
func randomHunk(rng *rand.Rand, content string) naiveHunk {
	file := naiveSplit(content)
	h := naiveHunk{stated: rng.IntN(len(file) + 3)}
	if len(file) > 0 && rng.IntN(4) > 0 {
		lo := rng.IntN(len(file))
		h.stated = max(0, lo+1+rng.IntN(5)-2)
		for _, l := range file[lo : lo+1+rng.IntN(min(3, len(file)-lo))] {
			h.ops = append(h.ops, naiveOp{pick(rng, []op{keepLine, removeLine}), l.text})
		}
	}
	for _, l := range randomLines(rng, 2) {
		at := rng.IntN(len(h.ops) + 1)
		h.ops = append(h.ops[:at], append([]naiveOp{{addLine, l}}, h.ops[at:]...)...)
	}
	if len(h.ops) == 0 {
		h.ops = []naiveOp{{addLine, "only"}}
	}
	h.setMarkers(rng)
	return h
}

// setMarkers marks sides that a marker may mark: a marker behind a context line is about
// both.
func (h *naiveHunk) setMarkers(rng *rand.Rand) {
	last := h.ops[len(h.ops)-1].sign
	switch {
	case rng.IntN(5) > 0:
	case last == keepLine:
		h.oldMarker, h.newMarker = true, true
	case last == addLine:
		h.newMarker = true
	case last == removeLine:
		h.oldMarker = true
	}
}

func TestDiffEqualsANaiveImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	resolved := 0
	for range 50000 {
		content := randomContent(rng)
		var hunks []naiveHunk
		var body strings.Builder
		for range 1 + rng.IntN(3) {
			hunks = append(hunks, randomHunk(rng, content))
			body.WriteString(hunks[len(hunks)-1].body())
		}
		drift := rng.IntN(4)
		want, wantFuzz, wantCode := naiveDiff(content, hunks, drift)
		got, err := ResolveDiff([]byte(content), body.String(), drift)
		if code := codeOf(err); code != wantCode || err == nil && (string(got.Content) != want || got.Fuzz != wantFuzz) {
			t.Fatalf("%q drift %d\n%s got %q %d %v\nwant %q %d %s", content, drift, body.String(), got.Content, got.Fuzz, err, want, wantFuzz, wantCode)
		}
		if err == nil {
			resolved++
		}
	}
	if resolved < 10000 {
		t.Errorf("only %d diffs resolved: the test proves little", resolved)
	}
}

// § 30.2: a hunk of context alone is the identity, whatever the line ends.
func TestAContextHunkIsTheIdentity(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for range 5000 {
		content := randomContent(rng)
		file := naiveSplit(content)
		if len(file) == 0 {
			continue
		}
		h := naiveHunk{stated: 1}
		for _, l := range file {
			h.ops = append(h.ops, naiveOp{keepLine, l.text})
		}
		got, err := ResolveDiff([]byte(content), h.body(), 0)
		if err != nil || string(got.Content) != content {
			t.Fatalf("%q: got %q, %v", content, got.Content, err)
		}
	}
}

// § 8.5: with a huge budget and many equal lines the cost stays linear for each hunk.
func TestAHugeBudgetOnALongFileIsCheap(t *testing.T) {
	content := strings.Repeat("x\n", 200_000)
	body := "@@ -1 +1 @@\n" + strings.Repeat("-x\n", 100_000) + "-y\n"
	if _, err := ResolveDiff([]byte(content), body, 1_000_000); codeOf(err) != CodeEditContextMismatch {
		t.Errorf("got %v, want %s", err, CodeEditContextMismatch)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "@@ -1 +1 @@\n-a\n+b\n")
	f.Add("a", "--- x\n@@ -1,0 +2 @@\n+b\n\\ No newline\n")
	f.Add("a\r\n\r\n", "@@ -1 +1 @@\n a\n\n+c\n\n")
	f.Fuzz(func(t *testing.T, content, body string) {
		got, err := ResolveDiff([]byte(content), body, 5)
		checkEditError(t, body, err)
		if err != nil {
			return
		}
		if got.Content == nil || len(got.Anchors) != got.Proposed || got.Fuzz > 5 {
			t.Errorf("%q %q: got %+v", content, body, got)
		}
		if again, err := ResolveDiff([]byte(content), body, 5); err != nil || !bytes.Equal(again.Content, got.Content) {
			t.Errorf("two answers: %q and %q", got.Content, again.Content)
		}
	})
}
