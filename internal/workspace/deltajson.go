package workspace

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Delta is what a Delta capability says it wants done (spec §8.11), as it was sent:
// paths not judged yet, what came twice twice, and half a surrogate pair as the three
// bytes that UTF-8 would have for it, so that it is refused later and never replaced.
type Delta struct {
	Changed     []TextAt
	Added       []TextAt
	Deleted     []string
	Renamed     []Rename
	Diagnostics json.RawMessage // not looked at; nil if absent
}

// TextAt is a text for a path.
type TextAt struct{ Path, Text string }

// Rename is a source and its destination.
type Rename struct{ From, To string }

// Empty reports whether the delta claims no mutation.
func (d Delta) Empty() bool {
	return len(d.Changed)+len(d.Added)+len(d.Deleted)+len(d.Renamed) == 0
}

// ParseDelta reads a delta from JSON. What isn't JSON, has another shape or members that
// no delta has is StepFailed engine-error.
func ParseDelta(raw []byte) (Delta, error) {
	if !json.Valid(raw) {
		return Delta{}, malformedDelta("", "isn't JSON")
	}
	s := scanner{raw: raw}
	if s.peek() != '{' {
		return Delta{}, malformedDelta("", "isn't an object")
	}
	var d Delta
	var seen []string
	for s.enter('{'); s.more('}'); {
		name := s.text()
		if slices.Contains(seen, name) {
			return Delta{}, malformedDelta(name, "is there twice")
		}
		seen = append(seen, name)
		if err := d.member(name, scanner{raw: s.value()}); err != nil {
			return Delta{}, err
		}
	}
	return d, nil
}

func (d *Delta) member(name string, s scanner) error {
	if s.peek() == 'n' { // null is absent
		return nil
	}
	var ok bool
	switch name {
	case "changed":
		d.Changed, ok = s.texts()
	case "added":
		d.Added, ok = s.texts()
	case "renamed":
		var pairs []TextAt
		pairs, ok = s.texts()
		for _, p := range pairs {
			d.Renamed = append(d.Renamed, Rename{From: p.Path, To: p.Text})
		}
	case "deleted":
		d.Deleted, ok = s.list()
	case "diagnostics":
		d.Diagnostics, ok = s.raw, true
	default:
		return malformedDelta(name, "is no member of a delta")
	}
	if !ok {
		return malformedDelta(name, "has another shape than that of a delta's member")
	}
	return nil
}

func malformedDelta(member, rule string) *fault.Error {
	what := "the delta"
	if member != "" {
		what = "its member " + strconv.Quote(member)
	}
	return fault.New(fault.StepFailed, fault.ReasonEngineError, "", "%s %s", what, rule).
		WithHint("a delta is {changed: {path: text}, added: {path: text}, deleted: [path], renamed: {source: destination}}")
}

// scanner reads JSON that is known to be valid. encoding/json can't: it replaces what is
// no character and forgets which keys came twice.
type scanner struct {
	raw []byte
	at  int
}

// peek returns the first byte of the next token.
func (s *scanner) peek() byte {
	for {
		switch c := s.raw[s.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return c
		}
	}
}

func (s *scanner) enter(open byte) {
	if s.peek() == open {
		s.at++
	}
}

// more reports whether another element comes before the closing bracket.
func (s *scanner) more(closing byte) bool { return s.peek() != closing }

// texts reads an object of strings.
func (s *scanner) texts() (list []TextAt, ok bool) {
	if s.peek() != '{' {
		return nil, false
	}
	for s.enter('{'); s.more('}'); {
		key := s.text()
		if s.peek() != '"' {
			return nil, false
		}
		list = append(list, TextAt{Path: key, Text: s.text()})
	}
	return list, true
}

// list reads an array of strings.
func (s *scanner) list() (list []string, ok bool) {
	if s.peek() != '[' {
		return nil, false
	}
	for s.enter('['); s.more(']'); {
		if s.peek() != '"' {
			return nil, false
		}
		list = append(list, s.text())
	}
	return list, true
}

// value skips the next value and returns its bytes.
func (s *scanner) value() []byte {
	s.peek()
	start, depth := s.at, 0
	for {
		switch s.peek() {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default:
			s.skipScalar()
		}
		if depth == 0 {
			return s.raw[start:s.at]
		}
	}
}

func (s *scanner) skipScalar() {
	for s.at < len(s.raw) && !slices.Contains([]byte(" \t\r\n,:{}[]\""), s.raw[s.at]) {
		s.at++
	}
}

func (s *scanner) skipString() {
	for s.at++; s.raw[s.at] != '"'; s.at++ {
		if s.raw[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}

// text reads a string.
func (s *scanner) text() string {
	s.peek()
	start := s.at
	s.skipString()
	return unquoted(s.raw[start+1 : s.at-1])
}

// unquoted undoes the escapes of a JSON string and nothing else.
func unquoted(body []byte) string {
	if !slices.Contains(body, '\\') {
		return string(body)
	}
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		if body[0] != '\\' {
			out, body = append(out, body[0]), body[1:]
			continue
		}
		if body[1] != 'u' {
			out, body = append(out, unescaped(body[1])), body[2:]
			continue
		}
		unit := codeUnit(body)
		body = body[6:]
		if utf16.IsSurrogate(unit) && len(body) >= 6 && body[0] == '\\' && body[1] == 'u' {
			if pair := utf16.DecodeRune(unit, codeUnit(body)); pair != utf8.RuneError {
				unit, body = pair, body[6:]
			}
		}
		out = appendUnit(out, unit)
	}
	return string(out)
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func codeUnit(escape []byte) rune {
	unit, _ := strconv.ParseUint(string(escape[2:6]), 16, 16)
	return rune(unit)
}

// appendUnit appends a character, or half a surrogate pair in the way of the others.
func appendUnit(out []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r)
	}
	return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
}
