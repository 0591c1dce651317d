package glob

import "strings"

// segment is one compiled segment of an entry. text is head, the middle pieces and tail
// with stars between them; without a star it is all head.
type segment struct {
	text   string
	double bool // **
	dot    bool // starts with a literal dot
	star   bool
	head   string
	middle []string // none of them empty
	tail   string
}

func compile(text string) segment {
	s := segment{text: text, double: text == "**", dot: text[0] == '.'}
	pieces := strings.Split(text, "*")
	s.head = pieces[0]
	if len(pieces) == 1 || s.double {
		return s
	}
	s.star = true
	s.tail = pieces[len(pieces)-1]
	for _, piece := range pieces[1 : len(pieces)-1] {
		if piece != "" {
			s.middle = append(s.middle, piece)
		}
	}
	return s
}

// match compares bytes, in time linear in name: each piece is looked for once, at its
// leftmost place behind the piece before. The dot rule is judged by the caller.
func (s *segment) match(name string) bool {
	if !s.star {
		return name == s.head
	}
	if len(name) < len(s.head)+len(s.tail) || !strings.HasPrefix(name, s.head) || !strings.HasSuffix(name, s.tail) {
		return false
	}
	name = name[len(s.head) : len(name)-len(s.tail)]
	for _, piece := range s.middle {
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
	return true
}
