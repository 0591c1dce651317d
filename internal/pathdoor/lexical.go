package pathdoor

import (
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Classify returns the class that refuses s before anything is stripped from it (spec
// §4.1), or "". A backslash counts as a slash.
func Classify(s string) fault.Reason {
	s = slashed(s)
	if strings.IndexByte(s, 0) >= 0 {
		return fault.ClassNUL
	}
	if strings.HasPrefix(s, "~") {
		return fault.ClassHome
	}
	if len(s) >= 2 && isLetter(s[0]) && s[1] == ':' {
		return fault.ClassAbsoluteHost
	}
	rest := strings.TrimLeft(s, "/")
	if len(s)-len(rest) < 2 || rest == "" {
		return ""
	}
	if strings.HasPrefix(rest, "?/") || strings.HasPrefix(rest, "./") {
		return fault.ClassDevice
	}
	return fault.ClassUNC
}

// Normalise turns backslashes into slashes, drops empty and "." segments and resolves
// ".." against the segment before it (spec §4.2). The result is relative, and empty if
// no segment is left. It refuses with the class escape where ".." has nothing to
// remove, and with bad-segment what isn't valid UTF-8, which is no workspace path (spec
// §1.2).
func Normalise(s string) (string, fault.Reason) {
	if !utf8.ValidString(s) {
		return "", fault.ClassBadSegment
	}
	var kept []string
	for segment := range strings.SplitSeq(slashed(s), "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(kept) == 0 {
				return "", fault.ClassEscape
			}
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, "/"), ""
}

func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
