package driver

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// versionBytes is how long a version may be (runtime spec §18).
const versionBytes = 200

// VersionIn returns the version in what a version command has printed: the first line,
// trimmed, as valid UTF-8 of bounded length (runtime spec §18).
func VersionIn(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	s := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
	if len(s) <= versionBytes {
		return s
	}
	end := versionBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end])
}
