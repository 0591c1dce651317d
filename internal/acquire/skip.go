package acquire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// The reasons that keep a match out (spec §9.3), and the one of spec §5.7.
const (
	Unaddressable        = "unaddressable"
	ReadDenied           = "read-denied"
	NonText              = "non-text"
	GitignoreUnavailable = "gitignore-unavailable"
)

// skips counts, by reason, the matches that aren't admitted.
type skips map[string]*skipped

// skipped keeps the first paths in order of those that it counts.
type skipped struct {
	count int
	first []string
}

// add counts path; paths come in any order.
func (s skips) add(reason, path string) {
	k := s[reason]
	if k == nil {
		k = &skipped{}
		s[reason] = k
	}
	k.count++
	i, _ := slices.BinarySearch(k.first, path)
	k.first = slices.Insert(k.first, i, path)
	k.first = k.first[:min(len(k.first), diagnostic.MaxListed)]
}

func (s skips) clone() skips {
	c := make(skips, len(s))
	for reason, k := range s {
		c[reason] = &skipped{count: k.count, first: slices.Clone(k.first)}
	}
	return c
}

// warnings returns one warning for each reason, sorted by reason.
func (s skips) warnings() []diagnostic.Diagnostic {
	var out []diagnostic.Diagnostic
	for _, reason := range []string{NonText, ReadDenied, Unaddressable} {
		k := s[reason]
		if k == nil {
			continue
		}
		out = append(out, diagnostic.Diagnostic{
			Severity: diagnostic.Warning,
			Reason:   reason,
			Count:    k.count,
			Paths:    valid(k.first),
			Message:  fmt.Sprintf("%s: %s", matches(k.count), explain(reason)),
		})
	}
	return out
}

func matches(n int) string {
	if n == 1 {
		return "1 matching file was left out"
	}
	return fmt.Sprintf("%d matching files were left out", n)
}

func explain(reason string) string {
	switch reason {
	case NonText:
		return "not text, by name or by bytes; name its type in mimeTypes if it is, or narrow the patterns"
	case ReadDenied:
		return "the policy doesn't let them be read"
	}
	return "their names can't be written as a path; rename them, or exclude where they lie"
}

// valid replaces bytes that no text can hold, for people to read.
func valid(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = strings.ToValidUTF8(p, "\uFFFD")
	}
	return out
}
