package blocks

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// naiveTable is the classic table of longest common subsequences of suffixes.
func naiveTable(a, b []string) [][]int {
	l := make([][]int, len(a)+1)
	for i := range l {
		l[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				l[i][j] = l[i+1][j+1] + 1
			} else {
				l[i][j] = max(l[i+1][j], l[i][j+1])
			}
		}
	}
	return l
}

// naiveDiffLines is § 19.2 told a second time, without trimming suffixes first.
func naiveDiffLines(a, b []string) []string {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	l := naiveTable(a, b)
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, " "+a[i])
			i, j = i+1, j+1
		case j < len(b) && (i == len(a) || l[i][j+1] >= l[i+1][j]):
			out = append(out, "+"+b[j])
			j++
		default:
			out = append(out, "-"+a[i])
			i++
		}
	}
	return out
}

func TestFeedbackDiffEqualsANaiveImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	for range 20000 {
		a, b := randomContent(rng), randomContent(rng)
		want := naiveDiffLines(pieces(a), pieces(b))
		d := NewDiff("f", []byte(a), []byte(b), AllLines)
		var got []string
		if d.Text != "" {
			got = strings.Split(d.Text, "\n")[3:]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q to %q: got %q, want %q", a, b, got, want)
		}
	}
}

// pieces cuts at LF and drops a final empty piece.
func pieces(s string) []string {
	out := strings.Split(s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func TestDiffAboveTheTableIsRemovalsThenAdditions(t *testing.T) {
	a, b := strings.Repeat("a\n", 2000), "a\n"+strings.Repeat("b\n", 2001)
	d := NewDiff("f", []byte(a), []byte("x\n"+b), 5)
	if want := "--- a/f\n+++ b/f\n@@ -1,2000 +1,2003 @@\n-a\n-a"; d.Text != want || d.Added != 2003 || d.Removed != 2000 {
		t.Errorf("got %q, +%d -%d, want %q", d.Text, d.Added, d.Removed, want)
	}
}

func TestTheLimitCountsHeaders(t *testing.T) {
	for limit, want := range map[int]string{
		0: "", 1: "--- a/f", 3: "--- a/f\n+++ b/f\n@@ -1 +0,0 @@", 4: "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a", AllLines: "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a",
	} {
		d := NewDiff("f", []byte("a"), nil, limit)
		cut := 0
		if limit == 1 || limit == 3 {
			cut = limit
		}
		if d.Text != want || d.TruncatedTo != cut || d.Removed != 1 {
			t.Errorf("limit %d: got %+v, want %q", limit, d, want)
		}
	}
}
