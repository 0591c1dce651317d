package text

import (
	"iter"
	"strings"
)

// Lines yields the lines of s, each with its terminator "\r\n", "\n" or lone "\r"; what
// follows the last terminator is a line without one, and an empty text has no lines
// (spec §3.3). Joined they are s.
func Lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			n := lineLen(s)
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}

// Split returns the lines of s as Lines yields them.
func Split(s string) []string {
	var lines []string
	for line := range Lines(s) {
		lines = append(lines, line)
	}
	return lines
}

// lineLen is the length of the first line of a text that isn't empty.
func lineLen(s string) int {
	i := strings.IndexAny(s, "\r\n")
	switch {
	case i < 0:
		return len(s)
	case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n':
		return i + 2
	}
	return i + 1
}

// Terminator returns the terminator that s ends with, or "".
func Terminator(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(s, "\n"):
		return "\n"
	case strings.HasSuffix(s, "\r"):
		return "\r"
	}
	return ""
}

// Content returns a line without its terminator.
func Content(line string) string { return line[:len(line)-len(Terminator(line))] }
