package runtime

import "slices"

// fileSet is a set of paths as its difference from the workspace of the moment, for it
// is stored with every checkpoint and mostly the same.
type fileSet struct {
	Gone []string `json:"gone,omitempty"` // in the set, not in the workspace
	New  []string `json:"new,omitempty"`  // in the workspace, not in the set
}

// difference returns set (sorted) as its difference from now (sorted).
func difference(set, now []string) fileSet {
	var d fileSet
	for len(set) > 0 && len(now) > 0 {
		switch {
		case set[0] == now[0]:
			set, now = set[1:], now[1:]
		case set[0] < now[0]:
			d.Gone, set = append(d.Gone, set[0]), set[1:]
		default:
			d.New, now = append(d.New, now[0]), now[1:]
		}
	}
	d.Gone, d.New = append(d.Gone, set...), append(d.New, now...)
	return d
}

// from returns the set, sorted, given what it differs from; it may keep now.
func (d fileSet) from(now []string) []string {
	if len(d.Gone)+len(d.New) == 0 {
		return now
	}
	set := slices.DeleteFunc(slices.Clone(now), func(p string) bool {
		_, isNew := slices.BinarySearch(d.New, p)
		return isNew
	})
	set = append(set, d.Gone...)
	slices.Sort(set)
	return set
}
