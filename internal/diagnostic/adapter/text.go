package adapter

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// cleanText returns text as valid UTF-8 without escape sequences and control characters,
// but for line feeds and tabs, and without surrounding space.
func cleanText(text string) string {
	s := strings.ToValidUTF8(string(stripEscapes([]byte(text))), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r < 0x20 || 0x7f <= r && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// cut shortens s to at most limit bytes, an ellipsis included.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// stripEscapes removes the escape sequences of terminals (ECMA-48): CSI with its
// parameters, the strings OSC, DCS, PM, APC and SOS up to their end, and the short ones.
// An escape that isn't complete goes with what it has begun on its line.
func stripEscapes(b []byte) []byte {
	if bytes.IndexByte(b, esc) < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] != esc {
			out = append(out, b[i])
			i++
			continue
		}
		i += escapeLength(b[i:])
	}
	return out
}

const (
	esc = 0x1b
	bel = 0x07
)

// escapeLength returns the length of the escape sequence that b starts with, at least 1.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	switch b[1] {
	case '[':
		i := 2
		for i < len(b) && 0x20 <= b[i] && b[i] < 0x40 {
			i++
		}
		if i < len(b) && 0x40 <= b[i] && b[i] < 0x7f {
			i++
		}
		return i
	case ']', 'P', '^', '_', 'X':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == '\n':
				return i
			case b[i] == bel:
				return i + 1
			case b[i] == esc && i+1 < len(b) && b[i+1] == '\\':
				return i + 2
			}
		}
		return len(b)
	}
	i := 1
	for i < len(b) && 0x20 <= b[i] && b[i] < 0x30 {
		i++
	}
	if i < len(b) && 0x30 <= b[i] && b[i] < 0x7f {
		i++
	}
	return i
}
