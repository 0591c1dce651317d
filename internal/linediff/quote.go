package linediff

import (
	"fmt"
	"strings"
)

// name is a path in the --- and +++ lines.
func name(prefix, path string) string {
	if path == "" {
		return "/dev/null"
	}
	return quote(prefix + path)
}

// tab ends a name that holds white space, as git does, so that patch(1) doesn't take
// the rest for a time.
func tab(path string) string {
	if strings.ContainsRune(path, ' ') && quote(path) == path {
		return "\t"
	}
	return ""
}

// quote writes a name as git does where control characters, quotes or backslashes need
// it: in double quotes, with C escapes. Other characters stand for themselves.
func quote(path string) string {
	if !strings.ContainsFunc(path, odd) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		short := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)
		switch {
		case short >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[short])
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func odd(r rune) bool { return r < 0x20 || r == 0x7f || r == '"' || r == '\\' }
