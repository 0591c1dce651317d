// Package textedit is the pure half of the steps readLines and edit (runtime spec §8.2,
// §8.3): it reads lines of a decoded text and replaces whole lines or a substring that
// occurs once.
//
// It refuses what is ambiguous or not there, never touches a line that an edit doesn't
// name, and knows neither files nor encodings.
package textedit

import (
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
)

// Edit replaces Find, which isn't empty and must be unique, by Replace. In both every
// terminator counts as LF.
type Edit struct {
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// Apply returns s after all edits, each applied to the result of those before. Errors are
// *fault.Error of kind StepFailed, not-found or ambiguous, that say which edit; path is
// for their message. Nothing is applied then.
func Apply(path, s string, edits []Edit) (string, error) {
	for i, e := range edits {
		after, places := e.apply(s)
		if len(places) != 1 {
			return "", refuse(path, i, s, places)
		}
		s = after
	}
	return s, nil
}

// apply returns s with e applied, if find is at exactly one of the places returned.
func (e Edit) apply(s string) (after string, places []int) {
	u := unify(s)
	find, replace := unify(e.Find).lf, unify(e.Replace).lf
	if find == "" {
		return "", nil
	}
	if places = u.runs(find); len(places) == 1 {
		end := min(places[0]+len(ended(find)), len(u.lf))
		return splice(s, u.original(places[0]), u.original(end), wholeReplacement(find, replace)), places
	}
	if len(places) > 1 {
		return "", places
	}
	if places = occurrences(u.lf, find); len(places) == 1 {
		return splice(s, u.original(places[0]), u.original(places[0]+len(find)), replace), places
	}
	return "", places
}

// refuse says that edit i has no place in s, or several: offsets in its unified form.
func refuse(path string, i int, s string, places []int) *fault.Error {
	if len(places) == 0 {
		return fault.New(fault.StepFailed, fault.ReasonNotFound, path, "edit %d: find is neither a run of whole lines nor a part of the text", i+1).
			WithHint("compare find with the file as earlier steps left it; white space counts, line ends don't")
	}
	first, second := lineOf(s, places[0]), lineOf(s, places[1])
	return fault.New(fault.StepFailed, fault.ReasonAmbiguous, path, "edit %d: find is there more than once, at first in lines %d and %d", i+1, first, second).
		WithHint("add neighbouring lines to find until it names one place")
}

// wholeReplacement returns the lines of replace, each ended by LF. An empty replace is no
// line where find ends with a terminator, which then named whole lines, and else one
// empty line.
func wholeReplacement(find, replace string) string {
	if replace == "" && strings.HasSuffix(find, "\n") && find != "\n" {
		return ""
	}
	return ended(replace)
}

// splice puts replacement, whose terminators are LF, in place of s[from:to]. Its n-th
// terminator becomes the n-th of what it replaces, else the dominant one of s, and
// whether s ends with a terminator stays as it was.
func splice(s string, from, to int, replacement string) string {
	var b strings.Builder
	b.WriteString(s[:from])
	old, dominant := text.Split(s[from:to]), text.Dominant(s)
	for line := range text.Lines(replacement) {
		b.WriteString(text.Content(line))
		if text.Terminator(line) == "" {
			continue
		}
		terminator := dominant
		if len(old) > 0 {
			if own := text.Terminator(old[0]); own != "" {
				terminator = own
			}
			old = old[1:]
		}
		b.WriteString(terminator)
	}
	b.WriteString(s[to:])
	return KeepFinalNewline(s, b.String())
}

// KeepFinalNewline returns after so that it ends with a terminator iff before does,
// unless one of them is empty (spec §8.3, §8.4).
func KeepFinalNewline(before, after string) string {
	if before == "" || after == "" {
		return after
	}
	final := text.Terminator(before)
	if final != "" && text.Terminator(after) == "" {
		return after + final
	}
	for final == "" && text.Terminator(after) != "" {
		after = text.Content(after)
	}
	return after
}

// ReadLines returns the lines start to end of s, counted from 1, without terminators and
// joined with LF; an end of 0 or beyond the last line is the last one. Errors are
// *fault.Error of kind BadArgument with the reason range.
func ReadLines(path, s string, start, end int) (string, error) {
	lines := text.Split(s)
	if start < 1 || start > len(lines) {
		return "", fault.New(fault.BadArgument, fault.ReasonRange, path, "start %d isn't among its %d lines", start, len(lines)).
			WithHint("lines count from 1")
	}
	if end != 0 && end < start {
		return "", fault.New(fault.BadArgument, fault.ReasonRange, path, "end %d lies before start %d", end, start).
			WithHint("name a later line, or leave end out to read to the last one")
	}
	if end == 0 || end > len(lines) {
		end = len(lines)
	}
	contents := make([]string, 0, end-start+1)
	for _, line := range lines[start-1 : end] {
		contents = append(contents, text.Content(line))
	}
	return strings.Join(contents, "\n"), nil
}
