package blocks

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func resolveText(t *testing.T, b Block, observed []byte) Candidate {
	t.Helper()
	c, err := Resolve(b, "f", Observed{Content: observed}, Defaults())
	if err != nil {
		t.Fatalf("%+v on %q: %v", b, observed, err)
	}
	return c
}

// § 30.2: append twice is append once.
func TestAppendTwiceIsAppendOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	for range 5000 {
		body := randomContent(rng)
		if body != "" && !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		b := Block{Mode: ModeAppend, Content: body, Newline: pick(rng, []Newline{NewlinePreserve, NewlineLF, NewlineCRLF})}
		observed := []byte(randomContent(rng))
		if rng.IntN(9) == 0 {
			observed = nil
		}
		once := resolveText(t, b, observed)
		if !bytes.HasPrefix(once.Content, observed) {
			t.Fatalf("%q + %q: %q lost what was there", observed, body, once.Content)
		}
		if twice := resolveText(t, b, once.Content); twice.Changes() || !bytes.Equal(twice.Content, once.Content) {
			t.Fatalf("%q + %q: %q, then %q", observed, body, once.Content, twice.Content)
		}
	}
}

func TestAppendCompletesWithTheDominantLineEnd(t *testing.T) {
	for observed, want := range map[string]string{
		"a\r\nb\r\nc":   "a\r\nb\r\nc\r\nx\n",
		"a\r\nb\nc":     "a\r\nb\nc\nx\n", // half is not most
		"a":             "a\nx\n",
		"":              "x\n",
		"a\rb":          "a\rb\nx\n",
		"a\r\nb\nc\r\r": "a\r\nb\nc\r\r\nx\n",
	} {
		if got := resolveText(t, Block{Mode: ModeAppend, Content: "x\n"}, []byte(observed)).Content; string(got) != want {
			t.Errorf("%q: got %q, want %q", observed, got, want)
		}
	}
}

// § 6.3: what isn't UTF-8 is replaced as a whole or removed, never damaged.
func TestFilesThatArentUTF8(t *testing.T) {
	binary := []byte("a\xff\nb")
	for _, m := range []Mode{ModeAppend, ModeEdit, ModeDiff} {
		_, err := Resolve(Block{Mode: m, Content: "x\n"}, "f", Observed{Content: binary}, Defaults())
		if !errors.Is(err, CodeEncodingInvalid) {
			t.Errorf("%s: got %v, want %s", m, err, CodeEncodingInvalid)
		}
	}
	c := resolveText(t, Block{Mode: ModeUpdate, Content: "x\ny\nz\n"}, binary)
	if r := c.Result; r.Added != 3 || r.Removed != 2 || r.DiffText != "" || !slices.Equal(r.Notes, []Note{NoteReplacedNonUTF8, NoteFinalNewlineAdded}) {
		t.Errorf("update: got %+v", r)
	}
}

func TestRemovalIsNilAndAnEmptyFileIsNot(t *testing.T) {
	for _, tt := range []struct {
		block    Block
		observed []byte
		removed  bool
	}{
		{Block{Mode: ModeDelete}, []byte("x"), true},
		{Block{Mode: ModeDelete}, nil, true},
		{Block{Mode: ModeWrite}, nil, false},
		{Block{Mode: ModeCreate}, nil, false},
		{Block{Mode: ModeUpdate}, []byte("x"), false},
		{Block{Mode: ModeAppend}, nil, false},
		{Block{Mode: ModeAppend}, []byte{}, false},
		{Block{Mode: ModeDiff, Content: "@@ -1 +0,0 @@\n-x\n"}, []byte("x"), false},
		{Block{Mode: ModeEdit, Content: "<<<<< SEARCH\n=====\n>>>>> REPLACE\n"}, nil, false},
	} {
		if c := resolveText(t, tt.block, tt.observed); (c.Content == nil) != tt.removed || len(c.Content) > 0 {
			t.Errorf("%+v on %v: got %v, want removed: %v", tt.block, tt.observed, c.Content, tt.removed)
		}
	}
}

func TestNotesStandInOrder(t *testing.T) {
	b := Block{Mode: ModeDiff, Content: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline\n"}
	if got, want := resolveText(t, b, []byte("a\nb\r\n")).Result.Notes, []Note{NoteEOLChanged, NoteFinalNewlineRemoved, NoteNoFinalNewline}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	unchanged := Block{Mode: ModeDiff, Content: "@@ -1 +1 @@\n a\n"}
	if got, want := resolveText(t, unchanged, []byte("a")).Result.Notes, []Note{NoteNoFinalNewline}; !slices.Equal(got, want) {
		t.Errorf("unchanged: got %q, want %q", got, want)
	}
}

func TestPreconditionsComeBeforeUnresolvedEdits(t *testing.T) {
	blocks := []Block{
		{Mode: ModeDiff, Content: "junk\n", Line: 3}, {Mode: ModeCreate, Line: 7}, {Mode: ModeUpdate}, {Mode: ModeWrite},
		{Mode: ModeDiff, Content: "@@ -1 +1 @@\n-z\n"},
	}
	there := Observed{Content: []byte("a\n"), Version: "v"}
	r := ResolveAll(blocks, []string{"a", "b", "c", "d", "e"}, []Observed{there, there, {}, there, there}, Defaults())
	var got []string
	for _, e := range append(r.Preconditions, r.Unresolved...) {
		got = append(got, string(e.Code)+" "+e.Path)
	}
	if want := []string{"FILE_EXISTS b", "FILE_NOT_FOUND c", "EDIT_MALFORMED a", "EDIT_CONTEXT_MISMATCH e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.OK() || len(r.Candidates) != 1 || r.Candidates[0].Observed.Version != "v" || r.Unresolved[0].Line != 3 {
		t.Errorf("got %+v", r)
	}
}

// § 5.5: a removal counts nothing, an unchanged file its full size.
func TestFinalSizesAreInclusive(t *testing.T) {
	cfg := Defaults()
	cfg.MaxFileSize, cfg.MaxTotalSize = 4, 6
	content := func(n int) Candidate { return Candidate{Path: "p", Content: bytes.Repeat([]byte("x"), n)} }
	for _, tt := range []struct {
		candidates []Candidate
		want       []Code
	}{
		{[]Candidate{content(4), content(2), {Path: "gone"}}, nil},
		{[]Candidate{content(5)}, []Code{CodeSizeExceeded}},
		{[]Candidate{content(4), content(3)}, []Code{CodeTotalSizeExceeded}},
		{[]Candidate{content(5), content(1), content(6)}, []Code{CodeSizeExceeded, CodeSizeExceeded, CodeTotalSizeExceeded}},
	} {
		var got []Code
		for _, e := range ValidateResolved(tt.candidates, cfg) {
			got = append(got, e.Code)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d candidates: got %q, want %q", len(tt.candidates), got, tt.want)
		}
	}
}

// § 30.3: a file of 8 MiB through every mode.
func TestALargeFileGoesThroughEveryMode(t *testing.T) {
	cfg := Defaults()
	cfg.MaxFileSize, cfg.MaxTotalSize, cfg.MaxEditDrift = 16<<20, 16<<20, 1<<20
	observed := bytes.Repeat([]byte("0123456789abcde\n"), 1<<19)
	observed = append(observed, "last\n"...)
	for _, b := range []Block{
		{Mode: ModeWrite, Content: string(observed[16:])},
		{Mode: ModeUpdate, Content: strings.Repeat("x\n", 4<<20)},
		{Mode: ModeAppend, Content: "more\n"},
		{Mode: ModeDelete},
		{Mode: ModeEdit, Content: "<<<<< SEARCH\nlast\n=====\nlast one\n>>>>> REPLACE\n"},
		{Mode: ModeDiff, Content: "@@ -5 +5 @@\n-last\n+last one\n"},
	} {
		b.Diff = DetailLimited
		c, err := Resolve(b, "f", Observed{Content: observed}, cfg)
		if err != nil || !c.Changes() {
			t.Errorf("%s: got %v", b.Mode, err)
		}
	}
}
