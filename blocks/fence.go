package blocks

import "strings"

// fence is a fenced code block of a text, or a line that would open one but for a
// backtick in its info string (§ 2.3).
type fence struct {
	char    byte   // '`' or '~'
	info    string // after the run, up to the end of the line; not trimmed
	line    int    // of the opener, from 1
	prose   bool   // the info string disqualifies the line: it opens nothing
	closed  bool   // false: the text ends inside it
	content string // every byte between the opener's LF and the closing line
}

// fenceScanner walks a text from fence to fence. Containers are not tracked: only the
// first bytes of a line count (§ 2.3).
type fenceScanner struct {
	text   string
	pos    int // of the next line
	line   int // number of lines before pos
	ticks  runFinder
	tildes runFinder
}

func newFenceScanner(text string) *fenceScanner {
	return &fenceScanner{text: text, ticks: runFinder{run: "```"}, tildes: runFinder{run: "~~~"}}
}

// next returns the next fence, or false at the end of the text.
func (s *fenceScanner) next() (fence, bool) {
	start := min(s.ticks.next(s.text, s.pos), s.tildes.next(s.text, s.pos))
	if start == len(s.text) {
		return fence{}, false
	}
	s.skipTo(start)
	char, run, rest := fenceRun(s.readLine())
	f := fence{char: char, info: rest, line: s.line}
	if char == '`' && strings.IndexByte(rest, '`') >= 0 {
		f.prose = true
		return f, true
	}
	f.content, f.closed = s.content(char, run)
	return f, true
}

// content reads up to and with the closing fence (§ 2.4), or to the end of the text.
func (s *fenceScanner) content(char byte, opener int) (content string, closed bool) {
	finder := &s.ticks
	if char == '~' {
		finder = &s.tildes
	}
	start := s.pos
	for {
		end := finder.next(s.text, s.pos)
		s.skipTo(end)
		if end == len(s.text) {
			return s.text[start:], false
		}
		_, run, rest := fenceRun(s.readLine())
		if run >= opener && strings.Trim(rest, " \t") == "" {
			return s.text[start:end], true
		}
	}
}

// skipTo moves to the line that begins at pos.
func (s *fenceScanner) skipTo(pos int) {
	s.line += strings.Count(s.text[s.pos:pos], "\n")
	s.pos = pos
}

// readLine returns the next line without its LF and without one CR before it, or at
// the end of the text (§ 2.2).
func (s *fenceScanner) readLine() string {
	rest := s.text[s.pos:]
	s.line++
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
		s.pos++
	}
	s.pos += len(rest)
	return strings.TrimSuffix(rest, "\r")
}

// runFinder finds the lines that begin, after up to three spaces, with a run of one
// character. Most of a text is passed over without being cut into lines.
type runFinder struct {
	run   string // three of the character
	found int    // the line found last, if it was looked for
	known bool
}

// next returns the offset of the first such line at or behind pos, which begins a line,
// or the length of the text.
func (f *runFinder) next(text string, pos int) int {
	if f.known && f.found >= pos {
		return f.found
	}
	f.known, f.found = true, len(text)
	for {
		i := strings.Index(text[pos:], f.run)
		if i < 0 {
			return f.found
		}
		i += pos
		start := i
		for start > pos && i-start < 3 && text[start-1] == ' ' {
			start--
		}
		if start == pos || text[start-1] == '\n' {
			f.found = start
			return start
		}
		end := strings.IndexByte(text[i:], '\n')
		if end < 0 {
			return f.found
		}
		pos = i + end + 1
	}
}

// fenceRun splits a line at the run of at least three backticks or tildes that it
// begins with after up to three spaces. Without such a run it returns 0, 0, "".
func fenceRun(line string) (char byte, run int, rest string) {
	start := 0
	for start < len(line) && start < 3 && line[start] == ' ' {
		start++
	}
	if start == len(line) {
		return 0, 0, ""
	}
	char = line[start]
	if char != '`' && char != '~' {
		return 0, 0, ""
	}
	end := start + 1
	for end < len(line) && line[end] == char {
		end++
	}
	if end-start < 3 {
		return 0, 0, ""
	}
	return char, end - start, line[end:]
}
