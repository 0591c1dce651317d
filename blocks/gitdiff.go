package blocks

import (
	"bytes"
	"strconv"
)

// ResolveDiff applies the hunks of body to the observed content, which must exist
// (§ 8). A hunk may be found at most maxDrift lines away from its stated line. Every
// error is an *Error.
func ResolveDiff(observed []byte, body string, maxDrift int) (Edited, error) {
	e, err := resolveDiff(observed, body, maxDrift)
	if err != nil {
		return Edited{}, err
	}
	return e, nil
}

func resolveDiff(observed []byte, body string, maxDrift int) (Edited, *Error) {
	if observed == nil {
		return Edited{}, newError(CodeFileNotFound, "", "%s", CodeFileNotFound.Hint())
	}
	hunks, err := parseHunks(cutLines([]byte(body)))
	if err != nil {
		return Edited{}, err
	}
	file := cutLines(observed)
	edited := Edited{Proposed: len(hunks), Anchors: make([]Anchor, 0, len(hunks))}
	spans := make([]span, 0, len(hunks))
	for i, h := range hunks {
		at, drift, ok := h.anchor(file, maxDrift)
		if !ok {
			return Edited{}, mismatch(h, i+1, len(hunks), maxDrift)
		}
		line := at + 1
		if h.old == 0 {
			line = at
		}
		edited.Anchors = append(edited.Anchors, Anchor{Stated: h.stated, Line: line, Offset: line - h.stated})
		edited.Fuzz = max(edited.Fuzz, drift)
		spans = append(spans, span{
			edit: i + 1, start: at, end: at + h.old, lines: h.ops(),
			oldMarker: h.oldMarker, newMarker: h.newMarker,
		})
	}
	if overlap := arrange(spans); overlap != nil {
		return Edited{}, overlapError(overlap, "hunk")
	}
	edited.Content = render(file, spans)
	return edited, nil
}

// anchor returns the observed line before which the hunk's lines are replaced, and how
// far that is from where its header puts it (§§ 8.5-8.7).
func (h hunk) anchor(file fileLines, maxDrift int) (at, drift int, ok bool) {
	if h.old == 0 {
		at = min(h.stated, file.len())
		if h.oldMarker || h.newMarker {
			at = file.len()
		}
		drift = distance(at, h.stated)
		return at, drift, drift <= maxDrift
	}
	wanted, old := h.stated-1, h.oldLines()
	if h.oldMarker || h.newMarker {
		at = file.len() - h.old
		drift = distance(at, wanted)
		return at, drift, drift <= maxDrift && fits(file, old, at)
	}
	if fits(file, old, wanted) {
		return wanted, 0, true
	}
	// matches come in ascending order, so on a tie the earlier one is kept.
	drift = maxDrift + 1
	for _, i := range matches(file, old, wanted-maxDrift, wanted+maxDrift) {
		if d := distance(i, wanted); d < drift {
			at, drift = i, d
		}
	}
	return at, drift, drift <= maxDrift
}

// fits reports whether the file has these lines at line at.
func fits(file fileLines, lines [][]byte, at int) bool {
	if at < 0 || at+len(lines) > file.len() {
		return false
	}
	for i, text := range lines {
		if !bytes.Equal(text, file.text(at+i)) {
			return false
		}
	}
	return true
}

func mismatch(h hunk, edit, hunks, maxDrift int) *Error {
	err := newError(CodeEditContextMismatch, "",
		"compare hunk %d with the content shown: its old lines were not found within %d lines of line %d",
		edit, maxDrift, h.stated)
	switch {
	case h.old == 0:
		err.Hint = "compare hunk " + strconv.Itoa(edit) + " with the content shown: it inserts after line " + strconv.Itoa(h.stated) +
			", more than " + strconv.Itoa(maxDrift) + " lines from where it would go"
	case h.oldMarker || h.newMarker:
		err.Hint += "; it says that the file has no newline at its end, so it must reach the end of the file"
	}
	err.Edit = &EditError{Edit: edit, Proposed: hunks, Applied: edit - 1}
	return err
}

func distance(a, b int) int { return max(a-b, b-a) }
