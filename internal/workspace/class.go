package workspace

import "strings"

// classify compares two texts that differ (spec §17.3).
func classify(before, after string) Class {
	switch {
	case same(before, after, skipCR):
		return EOLOnly
	case same(before, after, skipSpace):
		return WhitespaceOnly
	}
	return ""
}

// same reports whether two texts are equal as far as step sees them, which takes one
// character off a text and skips what doesn't count.
func same(a, b string, step func(string) (c byte, rest string)) bool {
	for a != "" || b != "" {
		var x, y byte
		x, a = step(a)
		y, b = step(b)
		if x != y {
			return false
		}
	}
	return true
}

// skipCR reads every terminator as LF. The end of a text reads as NUL, which no text
// holds.
func skipCR(s string) (byte, string) {
	switch {
	case s == "":
		return 0, s
	case strings.HasPrefix(s, "\r\n"):
		return '\n', s[2:]
	case s[0] == '\r':
		return '\n', s[1:]
	}
	return s[0], s[1:]
}

// skipSpace leaves out space, tab, CR, LF, VT and FF.
func skipSpace(s string) (byte, string) {
	s = strings.TrimLeft(s, " \t\r\n\v\f")
	if s == "" {
		return 0, s
	}
	return s[0], s[1:]
}
