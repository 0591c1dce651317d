package blocks

import "strings"

// isSpace reports whether r is white space by § 2.8. U+0085 and U+200B are not.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680,
		r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029,
		r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

func isNotSpace(r rune) bool { return !isSpace(r) }

func trimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

// isBlank reports whether s is made only of white space (§ 1.7).
func isBlank(s string) bool { return strings.IndexFunc(s, isNotSpace) < 0 }
