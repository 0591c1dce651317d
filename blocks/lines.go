package blocks

import "bytes"

// fileLines cuts content into lines (§ 1.8) without copying it.
type fileLines struct {
	data   []byte
	starts []int // offset of each line, and the length of data at the end
}

func cutLines(data []byte) fileLines {
	l := fileLines{data: data, starts: make([]int, 1, bytes.Count(data, []byte{'\n'})+2)}
	for pos := 0; pos < len(data); {
		i := bytes.IndexByte(data[pos:], '\n')
		if i < 0 {
			pos = len(data)
		} else {
			pos += i + 1
		}
		l.starts = append(l.starts, pos)
	}
	return l
}

// len returns the number of lines.
func (l fileLines) len() int { return len(l.starts) - 1 }

// raw returns line i with its terminator.
func (l fileLines) raw(i int) []byte { return l.data[l.starts[i]:l.starts[i+1]] }

// text returns line i without its terminator.
func (l fileLines) text(i int) []byte {
	line := l.raw(i)
	return line[:len(line)-len(terminator(line))]
}

// terminator returns the LF or CRLF that a line ends in, or "".
func terminator(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}

// dominant returns the line end that most lines of content have (§ 1.9).
func dominant(content []byte) string {
	if crlf, lf := countEnds(content); 2*crlf > lf {
		return "\r\n"
	}
	return "\n"
}

// countEnds counts the LFs of content, and those of them that end in CRLF.
func countEnds(content []byte) (crlf, lf int) {
	return bytes.Count(content, []byte("\r\n")), bytes.Count(content, []byte{'\n'})
}

// countLines returns the number of LFs, plus one for an unterminated last line (§ 6.4).
func countLines(content []byte) int {
	n := bytes.Count(content, []byte{'\n'})
	if len(content) > 0 && !endsInLF(content) {
		n++
	}
	return n
}

func endsInLF(content []byte) bool { return bytes.HasSuffix(content, []byte{'\n'}) }
