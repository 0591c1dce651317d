package glob

import (
	"slices"
	"strings"
)

// Entries is a list of entries, sorted by normalised form and without duplicates. Where
// a list is optional, nil is its absence.
type Entries []Entry

// NewEntries sorts a list and removes duplicates. It returns an empty list, not nil, for
// no entry.
func NewEntries(list ...Entry) Entries {
	sorted := append(make(Entries, 0, len(list)), list...)
	slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(sorted, func(a, b Entry) bool { return a.text == b.text })
}

// Everything is the scope of a capability that declares none: the entry ** (spec §8.11).
func Everything() Entries { return NewEntries(newEntry([]string{"**"})) }

// Match says whether some entry matches path. It doesn't allocate.
func (l Entries) Match(path string) bool {
	for i := range l {
		if l[i].Match(path) {
			return true
		}
	}
	return false
}

// Below says whether a path strictly below dir can match some entry (spec §5.5). It
// doesn't allocate.
func (l Entries) Below(dir string) bool {
	for i := range l {
		if l[i].Below(dir) {
			return true
		}
	}
	return false
}

// Overlaps says whether some entry overlaps e (spec §5.4).
func (l Entries) Overlaps(e Entry) bool {
	return slices.ContainsFunc(l, func(own Entry) bool { return Overlap(own, e) })
}

// Strings returns the normalised forms, in order.
func (l Entries) Strings() []string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.text
	}
	return texts
}
