package adapter

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// lineReader takes the lines of a stream, one after the other, without their ends.
type lineReader interface {
	line(text string)
	end() // of the stream
}

// maxLine bounds a line that is looked at; what is longer is no diagnostic.
const maxLine = 64 << 10

// byLine returns a reader of lines. It can't fail: lines that say nothing are passed over,
// and so is the last one of a stream that was cut, for it may be half of one.
func byLine(open func(*collector) lineReader) func(*collector, stream) error {
	return func(c *collector, s stream) error {
		r := open(c)
		for text := s.text; len(text) > 0; {
			line, rest, whole := bytes.Cut(text, []byte("\n"))
			text = rest
			if s.isCut && !whole {
				break
			}
			if len(line) > maxLine {
				continue
			}
			r.line(strings.TrimRight(string(stripEscapes(line)), "\r"))
		}
		r.end()
		return nil
	}
}

// severity returns what a tool's word for it means; false for a word that isn't one.
func severity(word string) (diagnostic.Severity, bool) {
	switch strings.ToLower(word) {
	case "error", "err", "e", "fatal", "fatal error", "f", "critical", "severe":
		return diagnostic.Error, true
	case "warning", "warn", "w":
		return diagnostic.Warning, true
	case "info", "information", "i", "note", "hint", "message", "suggestion", "style", "convention", "c", "refactor", "r":
		return diagnostic.Info, true
	default:
		return "", false
	}
}

// number reads a coordinate: 0 if there is none, negative if it is no positive integer
// of a size that a file can have.
func number(digits string) int {
	if digits == "" {
		return 0
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n < 1 {
		return -1
	}
	return int(n)
}
