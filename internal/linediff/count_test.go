package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLinesEndWithEveryTerminator(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n", []string{"a\n"}},
		{"a\r\nb\rc\nd", []string{"a\r\n", "b\r", "c\n", "d"}},
		{"\r\r\n\n\r", []string{"\r", "\r\n", "\n", "\r"}},
		{"\n\r", []string{"\n", "\r"}},
		{"a\r", []string{"a\r"}},
	}
	for _, tt := range tests {
		var got []string
		for line := range lines([]byte(tt.text)) {
			got = append(got, string(line))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("lines of %q = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestCountsAreThoseOfAMinimalDiff(t *testing.T) {
	tests := []struct {
		name          string
		before, after string
		want          Stat
	}{
		{"nothing", "", "", Stat{0, 0, true}},
		{"equal", "a\nb\n", "a\nb\n", Stat{0, 0, true}},
		{"from empty", "", "a\nb", Stat{2, 0, true}},
		{"to empty", "a\nb\n", "", Stat{0, 2, true}},
		{"insertion in the middle", "1\n2\n3\n", "1\n2\nnew\n3\n", Stat{1, 0, true}},
		{"a moved line", "1\n2\n3\n", "2\n3\n1\n", Stat{1, 1, true}},
		{"a terminator belongs to its line", "a\r\nb\r\n", "a\nb\n", Stat{2, 2, true}},
		{"a final newline", "a\nb", "a\nb\n", Stat{1, 1, true}},
		{"a lone CR ends a line", "a\rb\r", "a\rc\rb\r", Stat{1, 0, true}},
		{"CR against CRLF at a common prefix's end", "a\r\nb", "a\rb", Stat{1, 1, true}},
		{"repeated lines", "a\na\na\nb\n", "a\na\nb\nb\n", Stat{1, 1, true}},
	}
	for _, tt := range tests {
		if got := Count([]byte(tt.before), []byte(tt.after)); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// table is the textbook's way to the length of a longest common subsequence.
func table(a, b [][]byte) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if bytes.Equal(x, y) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func split(text []byte) [][]byte { return slices.Collect(lines(text)) }

func wantTable(t *testing.T, before, after []byte, got Stat) {
	t.Helper()
	a, b := split(before), split(after)
	lcs := table(a, b)
	if want := (Stat{len(b) - lcs, len(a) - lcs, true}); got != want {
		t.Fatalf("got %+v, want %+v\nbefore %q\nafter %q", got, want, before, after)
	}
}

// randomText has few distinct lines, so that every kind of coincidence happens.
func randomText(rnd *rand.Rand, n, kinds int) []byte {
	ends := []string{"\n", "\n", "\n", "\r\n", "\r"}
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d%s", rnd.IntN(kinds), ends[rnd.IntN(1+rnd.IntN(len(ends)))])
	}
	if rnd.IntN(4) == 0 {
		b.WriteString("end")
	}
	return []byte(b.String())
}

// edited is text with some of its lines changed, removed, doubled or moved.
func edited(rnd *rand.Rand, text []byte, edits int) []byte {
	list := split(text)
	for range edits {
		if len(list) == 0 {
			return text
		}
		i, j := rnd.IntN(len(list)), rnd.IntN(len(list))
		switch rnd.IntN(4) {
		case 0:
			list = slices.Delete(list, i, i+1)
		case 1:
			list = slices.Insert(list, i, []byte("new\n"))
		case 2:
			list = slices.Insert(list, i, list[j])
		case 3:
			list[i], list[j] = list[j], list[i]
		}
	}
	return bytes.Join(list, nil)
}

func TestCountsEqualTheTableOnRandomTexts(t *testing.T) {
	for seed := range uint64(6000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		before := randomText(rnd, rnd.IntN(60), 1+rnd.IntN(30))
		after := randomText(rnd, rnd.IntN(60), 1+rnd.IntN(30))
		if rnd.IntN(2) == 0 {
			after = edited(rnd, before, rnd.IntN(8))
		}
		wantTable(t, before, after, Count(before, after))
	}
}

// Texts of several words of bits, with every mixture of frequent and rare lines.
func TestCountsEqualTheTableOnLongTexts(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		n := 200 + rnd.IntN(700)
		kinds := []int{1, 2, 3, 10, 50, n / 2, 10 * n}[rnd.IntN(7)]
		before := randomText(rnd, n, kinds)
		after := randomText(rnd, 200+rnd.IntN(700), kinds)
		if rnd.IntN(3) == 0 {
			after = edited(rnd, before, rnd.IntN(n))
		}
		wantTable(t, before, after, Count(before, after))
	}
}

// Each way to the length alone, whichever Count would choose.
func TestEveryAlgorithmEqualsTheTable(t *testing.T) {
	sequence := func(rnd *rand.Rand, n, kinds int) ([]int32, [][]byte) {
		seq, list := make([]int32, n), make([][]byte, n)
		for i := range seq {
			seq[i] = int32(rnd.IntN(kinds))
			if rnd.IntN(3) > 0 {
				seq[i] = int32(rnd.IntN(1 + rnd.IntN(kinds)))
			}
			list[i] = fmt.Append(nil, seq[i])
		}
		return seq, list
	}
	for seed := range uint64(1500) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		kinds := 1 + rnd.IntN(40)
		a, listA := sequence(rnd, 1+rnd.IntN(400), kinds)
		b, listB := sequence(rnd, 1+rnd.IntN(200), kinds)
		want := table(listA, listB)
		if got := newOccurrences(a, kinds).lcs(b); got != want {
			t.Fatalf("seed %d: bits: %d, want %d", seed, got, want)
		}
		if got := (len(a) + len(b) - distance(a, b, 1<<30)) / 2; got != want {
			t.Fatalf("seed %d: Myers: %d, want %d", seed, got, want)
		}
	}
}

func TestBeyondTheBoundTheCountSaysSoAndIsAtMostTheExactOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 10))
	before, after := randomText(rnd, 900, 40), randomText(rnd, 900, 40)
	exact := Count(before, after)
	got := count(before, after, 100)
	if got.Exact {
		t.Fatalf("a count of 14,000 word steps claims to be exact within 100")
	}
	if got.Added > exact.Added || got.Removed > exact.Removed || got.Added-got.Removed != exact.Added-exact.Removed {
		t.Errorf("got %+v, want at most %+v and the same balance", got, exact)
	}
	if again := count(before, after, 100); again != got {
		t.Errorf("the same texts gave %+v and %+v", got, again)
	}
}

func FuzzCountEqualsTheTable(f *testing.F) {
	f.Add([]byte("a\nb\r\nc"), []byte("a\rb\nc"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(before)*len(after) > 1<<20 {
			return
		}
		wantTable(t, before, after, Count(before, after))
	})
}
