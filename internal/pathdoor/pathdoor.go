// Package pathdoor judges paths by their text alone, once, where they enter the
// runtime (runtime spec §4.1–4.3). A door returns a workspace path or refuses it with
// its class.
//
// It never looks at a disk, never decodes or folds characters, and never makes an
// unsafe path safe by guessing: what it normalises is separators, "." and "..".
package pathdoor

import (
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Literal is the door of acquisition literals, selectors, scope entries and policy
// rules: it trims, and a leading slash means the root. It returns the workspace path
// of raw, of at most maxDepth segments, or a *fault.Error of kind PathRefused whose
// reason is the class and whose path is raw as written.
func Literal(raw string, maxDepth int) (string, error) {
	s := strings.TrimSpace(raw)
	if class := Classify(s); class != "" {
		return "", refuse(raw, class)
	}
	return normalised(raw, s, maxDepth)
}

// Facade is the door of every path that an engine passes to the façade: nothing is
// trimmed, and a leading slash or backslash is refused, for in an engine's call it is
// a host path that leaked. Results are as those of Literal.
func Facade(raw string, maxDepth int) (string, error) {
	if strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, `\`) {
		return "", refuse(raw, fault.ClassLeadingSlash)
	}
	if class := Classify(raw); class != "" {
		return "", refuse(raw, class)
	}
	return normalised(raw, raw, maxDepth)
}

// Strict is the door of paths in patches and in results of Filter and Delta
// capabilities: it trims and reads a backslash as a separator, but what would need
// normalising is refused. Results are as those of Literal.
func Strict(raw string, maxDepth int) (string, error) {
	s := strings.TrimSpace(raw)
	if class := Classify(s); class != "" {
		return "", refuse(raw, class)
	}
	s = slashed(s)
	if s == "" {
		return "", refuse(raw, fault.ClassEmpty)
	}
	if s[0] == '/' {
		return "", refuse(raw, fault.ClassNotRelative)
	}
	if !utf8.ValidString(s) {
		return "", refuse(raw, fault.ClassBadSegment)
	}
	for segment := range strings.SplitSeq(s, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return "", refuse(raw, fault.ClassBadSegment)
		}
	}
	if Depth(s) > maxDepth {
		return "", refuseDepth(raw, Depth(s), maxDepth)
	}
	return s, nil
}

// normalised ends the literal door and the façade's: s is classified already.
func normalised(raw, s string, maxDepth int) (string, error) {
	path, class := Normalise(s)
	if class == "" && path == "" {
		class = fault.ClassEmpty
	}
	if class != "" {
		return "", refuse(raw, class)
	}
	if Depth(path) > maxDepth {
		return "", refuseDepth(raw, Depth(path), maxDepth)
	}
	return path, nil
}

// Depth returns the number of segments of a workspace path.
func Depth(path string) int { return strings.Count(path, "/") + 1 }
