package blocks

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naivePair is a SEARCH/REPLACE pair.
type naivePair struct{ search, replace []string }

func pairsBody(pairs []naivePair) string {
	var b strings.Builder
	section := func(lines []string) {
		for _, l := range lines {
			if strings.HasSuffix(l, "\r") {
				l += "\r" // one CR before the LF is no part of the line
			}
			b.WriteString(l + "\n")
		}
	}
	for _, p := range pairs {
		b.WriteString("<<<<<<< SEARCH\n")
		section(p.search)
		b.WriteString("=======\n")
		section(p.replace)
		b.WriteString(">>>>>>> REPLACE\n")
	}
	return b.String()
}

// naiveReplace is § 7 told a second time; the code is empty on success.
func naiveReplace(content string, pairs []naivePair) (string, Code) {
	file := naiveSplit(content)
	var edits []naiveEdit
	for _, p := range pairs {
		found := naiveFind(file, p.search)
		if len(p.search) == 0 {
			found = nil
			if len(pairs) == 1 && content == "" {
				found = []int{0}
			}
		}
		if len(found) == 0 {
			return "", CodeEditSearchNotFound
		}
		if len(found) > 1 {
			return "", CodeEditSearchAmbiguous
		}
		edits = append(edits, naiveEdit{start: found[0], end: found[0] + len(p.search), ops: naiveOps(p)})
	}
	if !naiveArrange(edits) {
		return "", CodeEditSpanOverlap
	}
	return naiveApply(content, edits), ""
}

func naiveOps(p naivePair) []naiveOp {
	s, r := p.search, p.replace
	var head, tail []naiveOp
	for len(s) > 0 && len(r) > 0 && s[0] == r[0] {
		head = append(head, naiveOp{keepLine, s[0]})
		s, r = s[1:], r[1:]
	}
	for len(s) > 0 && len(r) > 0 && s[len(s)-1] == r[len(r)-1] {
		tail = append(tail, naiveOp{keepLine, s[len(s)-1]})
		s, r = s[:len(s)-1], r[:len(r)-1]
	}
	for _, l := range s {
		head = append(head, naiveOp{removeLine, l})
	}
	for _, l := range r {
		head = append(head, naiveOp{addLine, l})
	}
	return append(head, tail...)
}

// randomPairs mostly copies searches out of the file, so that many of them resolve.
func randomPairs(rng *rand.Rand, content string) []naivePair {
	file := naiveSplit(content)
	var pairs []naivePair
	for range 1 + rng.IntN(3) {
		search := randomLines(rng, 2)
		if len(file) > 0 && rng.IntN(5) > 0 {
			lo := rng.IntN(len(file))
			hi := lo + 1 + rng.IntN(min(4, len(file)-lo))
			search = nil
			for _, l := range file[lo:hi] {
				search = append(search, l.text)
			}
		}
		replace := randomLines(rng, 3)
		switch rng.IntN(4) {
		case 0:
			replace = append(slices.Clone(search), replace...)
		case 1:
			replace = append(replace, search...)
		}
		pairs = append(pairs, naivePair{search, replace})
	}
	return pairs
}

func TestReplaceEqualsANaiveImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	resolved := 0
	for range 50000 {
		content := randomContent(rng)
		pairs := randomPairs(rng, content)
		want, wantCode := naiveReplace(content, pairs)
		got, err := ResolveReplace([]byte(content), pairsBody(pairs))
		if code := codeOf(err); code != wantCode || err == nil && string(got.Content) != want {
			t.Fatalf("%q with %q:\n got %q %q\nwant %q %q", content, pairs, got.Content, code, want, wantCode)
		}
		if err == nil {
			resolved++
		}
	}
	if resolved < 10000 {
		t.Errorf("only %d edits resolved: the test proves little", resolved)
	}
}

func codeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// § 30.2: an edit and the same change as full content give the same bytes.
func TestReplaceEqualsTheSameChangeAsFullContent(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for range 5000 {
		var lines []string
		for range 1 + rng.IntN(20) {
			lines = append(lines, string(rune('a'+len(lines)))+pick(rng, []string{"", " x", "\t"}))
		}
		lo := rng.IntN(len(lines))
		hi := lo + 1 + rng.IntN(len(lines)-lo)
		with := randomLines(rng, 4)
		full := strings.Join(slices.Concat(lines[:lo], with, lines[hi:], []string{""}), "\n")
		got, err := ResolveReplace([]byte(strings.Join(append(lines, ""), "\n")), pairsBody([]naivePair{{lines[lo:hi], with}}))
		if err != nil || string(got.Content) != full {
			t.Fatalf("%q [%d:%d] with %q: got %q %v, want %q", lines, lo, hi, with, got.Content, err, full)
		}
	}
}

// Many searches in a long file go through an index; it must find what a scan finds.
func TestIndexFindsWhatAScanFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for range 5000 {
		file := cutLines([]byte(randomContent(rng)))
		index := newLineIndex(file)
		for range 4 {
			var pattern [][]byte
			for _, l := range randomLines(rng, 3) {
				pattern = append(pattern, []byte(l))
			}
			if len(pattern) == 0 {
				continue
			}
			want := matches(file, pattern, 0, file.len())
			if got := index.find(pattern); !slices.Equal(got, want) {
				t.Fatalf("%q in %q: index %v, scan %v", pattern, file.data, got, want)
			}
			var texts []string
			for _, p := range pattern {
				texts = append(texts, string(p))
			}
			if naive := naiveFind(naiveSplit(string(file.data)), texts); !slices.Equal(naive, want) {
				t.Fatalf("%q in %q: scan %v, naive %v", pattern, file.data, want, naive)
			}
		}
	}
}

// Every pair here is found once and shares its first lines with thousands of others: the
// cost must not be their product.
func TestManyPairsInALongFileResolve(t *testing.T) {
	const n = 20000
	var content, body, want bytes.Buffer
	for i := range n {
		line := strings.Repeat("x", 1+i%2)
		content.WriteString(line + "\n")
		want.WriteString(line + "\n")
	}
	for i := range n / 2 {
		key := strings.Repeat("k", i%7) + string(rune('a'+i%26)) + strings.Repeat("z", i/26%50) + "." + strings.Repeat("q", i/1300)
		content.WriteString(key + "\n")
		want.WriteString(key + "!\n")
		body.WriteString(pairsBody([]naivePair{{[]string{key}, []string{key + "!"}}}))
	}
	got, err := ResolveReplace(content.Bytes(), body.String())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Content, want.Bytes()) {
		t.Error("the edited file is not the one expected")
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\nb\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n")
	f.Add("", "<<<<< SEARCH\n=====\nb\n>>>>> REPLACE\n")
	f.Fuzz(func(t *testing.T, content, body string) {
		got, err := ResolveReplace([]byte(content), body)
		again, _ := ResolveReplace([]byte(content), body)
		if !bytes.Equal(got.Content, again.Content) {
			t.Errorf("two answers: %q and %q", got.Content, again.Content)
		}
		checkEditError(t, body, err)
	})
}

// checkEditError checks the shape of a refusal: a code, a hint, numbers within bounds.
func checkEditError(t *testing.T, body string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Fatalf("%v: want an *Error with a hint", err)
	}
	if x := e.Edit; x != nil && (x.BodyLine > countLines([]byte(body)) || x.Applied > x.Proposed || x.Edit > x.Proposed) {
		t.Errorf("%q: numbers out of bounds: %+v", body, x)
	}
}
