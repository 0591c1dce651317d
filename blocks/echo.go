package blocks

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// StandIn says why a file is named in a feedback text but not shown (§ 18.7). Empty: it
// is shown.
type StandIn string

// The reasons for a line in place of an echo.
const (
	StandInAbsent   StandIn = "absent"
	StandInNonFile  StandIn = "non-file"
	StandInNotUTF8  StandIn = "not-utf8"
	StandInTooLarge StandIn = "too-large"
)

// Echo renders the content of a file as a fence that reads as nothing when it is sent
// back (§§ 18.5-18.7). version is the file's; a deployment with edit format git_diff
// numbers the lines.
func Echo(path string, content []byte, version string, cfg Config) (text string, why StandIn) {
	switch {
	case content == nil && version == VersionNonFile:
		return "", StandInNonFile
	case content == nil:
		return "", StandInAbsent
	case !utf8.Valid(content):
		return "", StandInNotUTF8
	case int64(len(content)) > cfg.echoBytes():
		return "", StandInTooLarge
	}
	numbered := cfg.EditFormat == FormatGitDiff
	label := pathLabel(path)
	if numbered {
		label += " numbered"
	}
	switch lineEnds(content) {
	case EOLCRLF:
		label += " eol=crlf"
	case EOLMixed:
		label += " eol=mixed"
	}
	if lacksFinalLF(content) {
		label += " no-final-newline"
	}
	body := content
	if numbered {
		body = numberLines(content)
	}
	var b strings.Builder
	writeFence(&b, label, path, body)
	return b.String(), ""
}

// writeFence writes a fence that no line of its body closes (§ 18.5).
func writeFence(b *strings.Builder, label, path string, body []byte) {
	char := byte('`')
	if strings.Contains(path, "`") {
		char = '~'
	}
	fence := strings.Repeat(string(char), max(3, longestRun(body, char)+1))
	b.WriteString(fence + " " + label + "\n")
	b.Write(body)
	if lacksFinalLF(body) {
		b.WriteByte('\n')
	}
	b.WriteString(fence + "\n")
}

func longestRun(body []byte, char byte) int {
	longest, run := 0, 0
	for i := bytes.IndexByte(body, char); i >= 0 && i < len(body); i++ {
		if body[i] != char {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// numberLines renders each file line as its number, colon, space and text (§ 18.6).
func numberLines(content []byte) []byte {
	lines := cutLines(content)
	out := make([]byte, 0, len(content)+lines.len()*8)
	for i := range lines.len() {
		out = strconv.AppendInt(out, int64(i+1), 10)
		out = append(out, ": "...)
		out = append(append(out, lines.text(i)...), '\n')
	}
	return out
}

// pathLabel returns path= and the path, quoted where § 2.8 needs it.
func pathLabel(path string) string { return "path=" + quotePath(path) }

// quotePath makes a path one token of § 2.8 that stands on one line. Paths of messages
// hold no control characters; those of other origin lose them here.
func quotePath(path string) string {
	path = oneLine(path)
	if path != "" && strings.IndexFunc(path, needsQuotes) < 0 {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

func needsQuotes(r rune) bool { return r == '"' || r == '\\' || r == '=' || isSpace(r) }

// oneLine replaces what could begin a line, and bytes that aren't UTF-8, by U+FFFD.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}
