package glob

import (
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// Place is where an entry stands. It decides whether a literal may be ambiguous and of
// which kind a refusal is (spec §4.3, §5.1, §5.3).
type Place uint8

// The places of spec §5.3. RunScope is the scope of a run step, Scope that of an
// engine's capability.
const (
	Acquire Place = iota + 1
	Paths
	Scope
	RunScope
	Exclude
	Policy
)

// ParsePattern parses a pattern (spec §5.1), with or without a star, as an argument of a
// step: errors are *fault.Error of kind PathRefused or BadArgument with the class.
func ParsePattern(raw string) (Entry, error) {
	return parsePattern(raw, Paths)
}

// ParseEntry parses an entry at its place: a pattern if it holds a star, else a literal
// of at most maxDepth segments (spec §5.1, §5.3). Errors are *fault.Error whose reason
// is the class and whose path is raw as written.
func ParseEntry(raw string, place Place, maxDepth int) (Entry, error) {
	if strings.Contains(raw, "*") {
		return parsePattern(raw, place)
	}
	path, err := pathdoor.Literal(raw, maxDepth)
	if err != nil {
		return Entry{}, place.literalRefusal(err)
	}
	if place.forbidsAmbiguity() && strings.ContainsAny(path, ambiguous) {
		return Entry{}, refuseAmbiguous(raw, path, place)
	}
	return newEntry(strings.Split(path, "/")), nil
}

// ParseEntries parses a list, stopping at the first refusal. The result is sorted and
// without duplicates; it isn't nil unless raws is.
func ParseEntries(raws []string, place Place, maxDepth int) (Entries, error) {
	if raws == nil {
		return nil, nil
	}
	list := make([]Entry, 0, len(raws))
	for _, raw := range raws {
		e, err := ParseEntry(raw, place, maxDepth)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return NewEntries(list...), nil
}

func parsePattern(raw string, place Place) (Entry, error) {
	s := strings.TrimSpace(raw)
	if class := pathdoor.Classify(s); class != "" {
		return Entry{}, place.lexicalRefusal(raw, class)
	}
	if strings.Contains(s, `\`) {
		return Entry{}, place.patternRefusal(raw, fault.ClassEscapeSequence)
	}
	path, class := pathdoor.Normalise(s)
	if class != "" {
		return Entry{}, place.lexicalRefusal(raw, class)
	}
	if path == "" {
		return Entry{}, place.patternRefusal(raw, fault.ClassEmpty)
	}
	segments := strings.Split(path, "/")
	for _, segment := range segments {
		if class := segmentFault(segment); class != "" {
			return Entry{}, place.patternRefusal(raw, class)
		}
	}
	return newEntry(collapsed(segments)), nil
}

// ambiguous are the characters that mean something in other dialects.
const ambiguous = "?[]{}!^"

// segmentFault returns the class that refuses a segment of a pattern, or "".
func segmentFault(segment string) fault.Reason {
	if segment != "**" && strings.Contains(segment, "**") {
		return fault.ClassDoubleStar
	}
	i := strings.IndexAny(segment, ambiguous)
	if i < 0 {
		return ""
	}
	switch segment[i] {
	case '?':
		return fault.ClassQuestionMark
	case '[', ']':
		return fault.ClassCharacterClass
	case '{', '}':
		return fault.ClassBrace
	case '!':
		return fault.ClassNegation
	}
	return fault.ClassCaret
}

// collapsed drops every ** that follows another.
func collapsed(segments []string) []string {
	var kept []string
	for _, s := range segments {
		if s == "**" && len(kept) > 0 && kept[len(kept)-1] == "**" {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func newEntry(segments []string) Entry {
	e := Entry{text: strings.Join(segments, "/"), segs: make([]segment, 0, len(segments))}
	e.literal = !strings.Contains(e.text, "*")
	for _, s := range segments {
		e.segs = append(e.segs, compile(s))
	}
	return e
}
