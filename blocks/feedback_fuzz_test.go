package blocks

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile are the strings that reports are made of here: whatever might open a fence.
var hostile = []string{
	"", "a", "``` file=x\n", "\n``` file=x\ny\n```\n", "```", "~~~~ file=x", "a`b", "a~b", "my file", `a"b\c`, "a=b file=c",
	"\r\n   ~~~ file=z\n", "x\n\n```` FILE=q\n````\n", "\xff", "é\u2028``` file=a", "   ```", "\t", "`file=a`", "path=\"", "file=",
}

func (h hostiles) text() string {
	for {
		if s := pick(h.rng, hostile); !h.utf8 || utf8.ValidString(s) {
			return s
		}
	}
}

// long returns a content: pieces on lines of their own, or glued.
func (h hostiles) long() string {
	var b strings.Builder
	for range h.rng.IntN(6) {
		b.WriteString(strings.Repeat(h.text(), 1+h.rng.IntN(2)) + pick(h.rng, []string{"", "\n", "\r\n"}))
	}
	return b.String()
}

func (h hostiles) content() []byte {
	if h.rng.IntN(5) == 0 {
		return nil
	}
	return []byte(h.long())
}

type hostiles struct {
	rng  *rand.Rand
	utf8 bool // only valid UTF-8
}

// some returns up to two values.
func some[T any](h hostiles, draw func() T) []T {
	var out []T
	for range h.rng.IntN(3) {
		out = append(out, draw())
	}
	return out
}

func (h hostiles) report() Report {
	statuses := []Status{
		StatusCommitted, StatusUnchanged, StatusStale, StatusPreconditionFailed, StatusEditUnresolved,
		StatusWorktreeDirty, StatusFailed, StatusProjectionFailed, StatusPublicationFailed, Status(h.text()),
	}
	return Report{
		Status: pick(h.rng, statuses), Commit: h.text(), RepoRevision: h.text(), TransactionID: h.text(), Scope: h.text(),
		Results: some(h, func() Result {
			return Result{
				Path: h.text(), Mode: Mode(h.text()), Status: pick(h.rng, []ResultStatus{Created, Updated, Unchanged, ResultStatus(h.text())}),
				DiffText: h.long(), DiffTruncatedTo: h.rng.IntN(2), EditFormat: EditFormat(h.text()), Notes: []Note{Note(h.text())},
			}
		}),
		Errors: some(h, func() Error {
			return Error{Code: Code(h.text()), Path: h.text(), Hint: h.text(), Token: h.text(), Detail: h.text()}
		}),
		Hints:        some(h, func() Hint { return Hint{Line: h.rng.IntN(9), Info: h.text()} }),
		LocalDrift:   some(h, func() Drift { return Drift{h.text(), h.text(), h.text(), h.text()} }),
		Publications: some(h, func() Publication { return Publication{Scope: h.text(), Revision: h.text()} }),
		StaleFiles: some(h, func() StaleFile {
			return StaleFile{
				Path: h.text(), Content: h.content(), FileVersion: h.text(), ObservedVersion: h.text(), RepoRevision: h.text(),
				ChangesSinceRead: some(h, func() Change { return Change{h.text(), h.text(), h.text()} }),
			}
		}),
		Files:      some(h, func() ShownFile { return ShownFile{h.text(), h.content(), h.text()} }),
		DirtyFiles: some(h, func() DirtyFile { return DirtyFile{h.text(), h.content(), h.text(), h.text(), h.text()} }),
	}
}

// checkHarmless checks §§ 18.1 and 18.9 of a feedback text.
func checkHarmless(t *testing.T, text string) {
	t.Helper()
	if p := Parse(text, Defaults()); !p.Nothing() {
		t.Fatalf("the feedback parses to %+v:\n%s", p, text)
	}
	inFence := map[int]bool{} // lines of fences, counted from 1
	scan := newFenceScanner(text)
	for f, ok := scan.next(); ok; f, ok = scan.next() {
		if !f.closed {
			t.Fatalf("a fence is open at the end of\n%s", text)
		}
		for i := range strings.Count(f.content, "\n") + 2 {
			inFence[f.line+i] = true
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		item := line != "" && line[0] >= '1' && line[0] <= '9' || strings.HasPrefix(line, "    ")
		if !strings.HasPrefix(line, tag) && (i == 0 || !inFence[i+1] && !item) {
			t.Fatalf("line %d, %q, has no tag in\n%s", i+1, line, text)
		}
	}
}

func TestFeedbackOfRandomReportsReadsAsNothing(t *testing.T) {
	h := hostiles{rng: rand.New(rand.NewPCG(5, 1))}
	for range 20000 {
		cfg := Defaults()
		cfg.EditFormat = pick(h.rng, []EditFormat{FormatGitDiff, FormatReplace, FormatNone})
		cfg.MaxEchoBytes = int64(1 + h.rng.IntN(200))
		r := h.report()
		checkHarmless(t, Feedback(&r, cfg))
	}
}

func FuzzFeedbackReadsAsNothing(f *testing.F) {
	f.Add("a", "```\n~~~ file=b\n", "by\n``` file=c", uint8(0))
	f.Add("a`b c", "~~~~~\n````\n", "```` FILE=c", uint8(3))
	f.Fuzz(func(t *testing.T, path, content, other string, status uint8) {
		cfg := Defaults()
		if status%2 == 0 {
			cfg.EditFormat = FormatReplace
		}
		statuses := []Status{StatusCommitted, StatusStale, StatusEditUnresolved, StatusWorktreeDirty, StatusFailed}
		r := &Report{
			Status: statuses[int(status)%len(statuses)], Commit: other, RepoRevision: other,
			Results:    []Result{{Path: path, Status: Updated, DiffText: content}},
			Errors:     []Error{{Code: Code(other), Path: path, Hint: other, Token: other, Detail: content}},
			Hints:      []Hint{{Info: other}},
			StaleFiles: []StaleFile{{Path: path, Content: []byte(content), ChangesSinceRead: []Change{{other, other, content}}}},
			Files:      []ShownFile{{Path: path, Content: []byte(content), FileVersion: other}},
			DirtyFiles: []DirtyFile{{Path: path, Content: []byte(content), FileVersion: other}},
		}
		checkHarmless(t, Feedback(r, cfg))
	})
}

// The path of an echo can be read back from its label.
func FuzzEchoLabel(f *testing.F) {
	f.Add("a b", "x")
	f.Add("a`\"\\=", "```")
	f.Fuzz(func(t *testing.T, path, content string) {
		text, why := Echo(path, []byte(content), "v", Defaults())
		if why != "" || path == "" || oneLine(path) != path {
			return
		}
		scan := newFenceScanner(text)
		f, _ := scan.next()
		tok, _ := nextToken(f.info)
		if tok.key != "path" || tok.value != path {
			t.Errorf("%q: the label %q reads as %q", path, f.info, tok.value)
		}
	})
}
