package applypatch

import (
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/textedit"
)

// ApplyHunks returns s with all hunks applied, in order: each must match exactly one place
// at or after the end of the one before; one without context and removed lines appends.
// Errors are *fault.Error of kind StepFailed, not-found or ambiguous; path is for their
// message.
func ApplyHunks(path, s string, hunks []Hunk) (string, error) {
	rest, dominant := text.Split(s), text.Dominant(s)
	var done []string // lines before the cursor, as they become
	for i, h := range hunks {
		old := h.old()
		if len(old) == 0 {
			done, rest = append(done, rest...), nil
			done = h.replace(done, nil, dominant)
			continue
		}
		places := occurrences(rest, old)
		if len(places) != 1 {
			return "", refuse(path, i, h, len(text.Split(s))-len(rest), places)
		}
		from, to := places[0], places[0]+len(old)
		done = append(done, rest[:from]...)
		done = h.replace(done, rest[from:to], dominant)
		rest = rest[to:]
	}
	return textedit.KeepFinalNewline(s, join(append(done, rest...), dominant)), nil
}

// old returns the contents of the lines that a hunk must match.
func (h Hunk) old() []string {
	var old []string
	for _, line := range h.Lines {
		if line.Mark != Added {
			old = append(old, line.Text)
		}
	}
	return old
}

// replace appends to done what h makes of the lines that it matched. Context keeps its
// bytes; the n-th added line of a group takes the terminator of the n-th removed one.
func (h Hunk) replace(done, matched []string, dominant string) []string {
	var removed, added []string // of the group
	flush := func() {
		for n, line := range added {
			terminator := dominant
			if n < len(removed) && text.Terminator(removed[n]) != "" {
				terminator = text.Terminator(removed[n])
			}
			done = append(done, line+terminator)
		}
		removed, added = nil, nil
	}
	for _, line := range h.Lines {
		switch line.Mark {
		case Added:
			added = append(added, line.Text)
		case Removed:
			removed, matched = append(removed, matched[0]), matched[1:]
		default:
			flush()
			done, matched = append(done, matched[0]), matched[1:]
		}
	}
	flush()
	return done
}

// join joins lines; one that isn't the last any more gets a terminator.
func join(lines []string, dominant string) string {
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line)
		if i < len(lines)-1 && text.Terminator(line) == "" {
			b.WriteString(dominant)
		}
	}
	return b.String()
}

// occurrences returns the first two places where lines have the contents want, which
// isn't empty, in time linear in both: borders[n] is the length of the longest proper
// beginning of want[:n] that also ends it.
func occurrences(lines, want []string) []int {
	borders := make([]int, len(want)+1)
	for n, k := 1, 0; n < len(want); n++ {
		for k > 0 && want[n] != want[k] {
			k = borders[k]
		}
		if want[n] == want[k] {
			k++
		}
		borders[n+1] = k
	}
	var places []int
	k := 0
	for i, line := range lines {
		content := text.Content(line)
		for k > 0 && (k == len(want) || content != want[k]) {
			k = borders[k]
		}
		if content == want[k] {
			k++
		}
		if k < len(want) {
			continue
		}
		if places = append(places, i+1-len(want)); len(places) == 2 {
			break
		}
	}
	return places
}

// refuse says that hunk i matches no place behind the first lines of the text, or more
// than one.
func refuse(path string, i int, h Hunk, behind int, places []int) *fault.Error {
	if len(places) == 0 {
		return fault.New(fault.StepFailed, fault.ReasonNotFound, path, "hunk %d, line %d of the patch: its context and removed lines aren't there from line %d on", i+1, h.At, behind+1).
			WithHint("compare them with the file as earlier steps left it; hunks apply from top to bottom")
	}
	return fault.New(fault.StepFailed, fault.ReasonAmbiguous, path, "hunk %d, line %d of the patch: its context and removed lines are there more than once, at first in lines %d and %d", i+1, h.At, behind+places[0]+1, behind+places[1]+1).
		WithHint("add context lines until it matches one place")
}
