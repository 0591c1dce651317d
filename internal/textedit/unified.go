package textedit

import "strings"

// unified is a text beside its form in which every terminator is LF, so that a find
// matches whatever the file's style is.
type unified struct {
	text string
	lf   string
}

func unify(s string) unified {
	return unified{text: s, lf: strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")}
}

// original returns the offset in the text that stands for one in lf.
func (u unified) original(offset int) int {
	if len(u.lf) == len(u.text) {
		return offset
	}
	at := 0
	for range offset {
		if strings.HasPrefix(u.text[at:], "\r\n") {
			at++
		}
		at++
	}
	return at
}

// runs returns where in lf the lines of find are a run of whole lines: the first two
// places. With an LF before its first line, and every line ended, a run is a substring.
func (u unified) runs(find string) []int {
	if u.lf == "" {
		return nil // no lines, not an empty one
	}
	return occurrences("\n"+ended(u.lf), "\n"+ended(find))
}

// occurrences returns the first two places of sub in s; they may overlap.
func occurrences(s, sub string) []int {
	first := strings.Index(s, sub)
	if first < 0 {
		return nil
	}
	second := strings.Index(s[first+1:], sub)
	if second < 0 {
		return []int{first}
	}
	return []int{first, first + 1 + second}
}

// ended returns s with a terminator behind its last line.
func ended(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// lineOf returns the line, from 1, that an offset in the unified form of s lies in.
func lineOf(s string, offset int) int {
	return strings.Count(unify(s).lf[:offset], "\n") + 1
}
