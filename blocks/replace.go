package blocks

import (
	"bytes"
	"iter"
)

// Edited is the outcome of an edit body that resolved (§§ 7, 8).
type Edited struct {
	Content  []byte   // never nil
	Proposed int      // pairs or hunks
	Fuzz     int      // the largest distance of a hunk from its stated line
	Anchors  []Anchor // of a diff, in written order
}

// Anchor says where a hunk was found (§ 8.9).
type Anchor struct {
	Stated int `json:"stated"`
	Line   int `json:"line"`   // the first matched line, or the line it inserts after
	Offset int `json:"offset"` // Line - Stated
}

// ResolveReplace applies the SEARCH/REPLACE pairs of body to the observed content, nil
// for an absent file (§ 7). Every error is an *Error.
func ResolveReplace(observed []byte, body string) (Edited, error) {
	e, err := resolveReplace(observed, body)
	if err != nil {
		return Edited{}, err
	}
	return e, nil
}

func resolveReplace(observed []byte, body string) (Edited, *Error) {
	lines := cutLines([]byte(body))
	pairs, err := parsePairs(lines)
	if observed == nil && (err != nil || len(pairs) != 1 || !pairs[0].emptySearch()) {
		return Edited{}, newError(CodeFileNotFound, "", "%s; a single edit with an empty SEARCH creates it, too", CodeFileNotFound.Hint())
	}
	if err != nil {
		return Edited{}, err
	}
	file := cutLines(observed)
	spans, err := locatePairs(file, lines, pairs)
	if err != nil {
		return Edited{}, err
	}
	if overlap := arrange(spans); overlap != nil {
		return Edited{}, overlapError(overlap, "pair")
	}
	return Edited{Content: render(file, spans), Proposed: len(pairs)}, nil
}

// locatePairs finds each pair's lines in the observed content, the first failing pair
// in written order decides (§ 7.4).
func locatePairs(file, body fileLines, pairs []pair) ([]span, *Error) {
	finder := newFinder(file, len(pairs))
	spans := make([]span, 0, len(pairs))
	for i, p := range pairs {
		search := texts(body, p.search.lo, p.search.hi)
		var found []int
		switch {
		case !p.emptySearch():
			found = finder.find(search)
		case len(pairs) == 1 && len(file.data) == 0:
			found = []int{0}
		}
		if len(found) != 1 {
			return nil, searchError(i+1, len(pairs), found, p)
		}
		spans = append(spans, span{
			edit:  i + 1,
			start: found[0],
			end:   found[0] + len(search),
			lines: p.lines(search, texts(body, p.replace.lo, p.replace.hi)),
		})
	}
	return spans, nil
}

func searchError(edit, pairs int, found []int, p pair) *Error {
	e := &EditError{Edit: edit, Proposed: pairs, Applied: edit - 1}
	switch {
	case len(found) > 1:
		for i := range found {
			found[i]++
		}
		e.Matches, e.Lines = len(found), found
		err := newError(CodeEditSearchAmbiguous, "", "add neighbouring lines to pair %d: its SEARCH occurs %d times, on %s", edit, len(found), lineList(found))
		err.Edit = e
		return err
	case p.emptySearch():
		err := newError(CodeEditSearchNotFound, "", "give pair %d the lines to replace: an empty SEARCH alone stands for the whole of an empty or new file", edit)
		err.Edit = e
		return err
	}
	err := newError(CodeEditSearchNotFound, "", "copy whole lines from the content shown: the SEARCH of pair %d occurs nowhere", edit)
	err.Edit = e
	return err
}

// pair is one SEARCH/REPLACE pair as ranges of body lines.
type pair struct {
	search, replace lineRange
}

type lineRange struct{ lo, hi int }

func (p pair) emptySearch() bool { return p.search.lo == p.search.hi }

// lines yields the lines of a span: what both sections have in common at their
// beginning and end is kept (§ 9.1).
func (p pair) lines(search, replace [][]byte) iter.Seq2[op, []byte] {
	first, last := commonLines(search, replace)
	return func(yield func(op, []byte) bool) {
		each := func(o op, lines [][]byte) bool {
			for _, text := range lines {
				if !yield(o, text) {
					return false
				}
			}
			return true
		}
		_ = each(keepLine, search[:first]) &&
			each(removeLine, search[first:len(search)-last]) &&
			each(addLine, replace[first:len(replace)-last]) &&
			each(keepLine, search[len(search)-last:])
	}
}

// parsePairs cuts a body into pairs (§§ 7.1, 7.2).
func parsePairs(body fileLines) ([]pair, *Error) {
	var pairs []pair
	var p pair
	state := outside
	for i := range body.len() {
		text := body.text(i)
		marker := markerOf(text)
		switch {
		case marker == noMarker && (state != outside || bytes.IndexFunc(text, isNotSpace) < 0):
		case state == outside && marker == searchMarker:
			p.search.lo, state = i+1, inSearch
		case state == inSearch && marker == divider:
			p.search.hi, p.replace.lo, state = i, i+1, inReplace
		case state == inReplace && marker == replaceMarker:
			p.replace.hi, state = i, outside
			pairs = append(pairs, p)
		default:
			return nil, malformed(len(pairs), i+1, state.expects())
		}
	}
	switch {
	case state != outside:
		return nil, malformed(len(pairs), 0, "the last pair is not complete: it needs <<<<<<< SEARCH, =======, >>>>>>> REPLACE")
	case len(pairs) == 0:
		return nil, malformed(0, 0, "there is no pair of <<<<<<< SEARCH, =======, >>>>>>> REPLACE")
	}
	return pairs, nil
}

// pairState is where in a pair a body line stands.
type pairState int

const (
	outside pairState = iota
	inSearch
	inReplace
)

func (s pairState) expects() string {
	switch s {
	case inSearch:
		return "a SEARCH section ends with ======= and holds no other marker"
	case inReplace:
		return "a REPLACE section ends with >>>>>>> REPLACE and holds no other marker"
	}
	return "outside a pair only blank lines and <<<<<<< SEARCH may stand"
}

// markerKind is which marker a line is.
type markerKind int

const (
	noMarker markerKind = iota
	searchMarker
	divider
	replaceMarker
)

// markerOf recognises the markers of § 7.1: whole lines, five to nine signs.
func markerOf(text []byte) markerKind {
	if len(text) == 0 {
		return noMarker
	}
	rest := bytes.TrimLeft(text, string(text[:1]))
	if run := len(text) - len(rest); run < 5 || run > 9 {
		return noMarker
	}
	rest = bytes.TrimRight(rest, " \t")
	switch sign := text[0]; {
	case sign == '<' && string(rest) == " SEARCH":
		return searchMarker
	case sign == '=' && len(rest) == 0:
		return divider
	case sign == '>' && string(rest) == " REPLACE":
		return replaceMarker
	}
	return noMarker
}
