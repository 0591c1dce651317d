package git

import (
	"slices"
	"strings"
)

// Difference is a path that two trees have differently. An entry that a tree doesn't
// have is the zero Entry; entries are never trees.
type Difference struct {
	Path     string
	Old, New Entry
}

// Diff returns the paths at which two trees differ, sorted by bytes. Either may be "",
// an empty tree.
func (t *TreeReader) Diff(before, after ID) ([]Difference, error) {
	var out []Difference
	if err := t.diff(before, after, "", &out); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (t *TreeReader) diff(before, after ID, prefix string, out *[]Difference) error {
	if before == after {
		return nil
	}
	a, err := t.read(before)
	if err != nil {
		return err
	}
	b, err := t.read(after)
	if err != nil {
		return err
	}
	other := make(map[string]Entry, len(b))
	for _, e := range b {
		other[e.name] = e.Entry
	}
	for _, e := range a {
		if err := t.diffEntry(prefix+e.name, e.Entry, other[e.name], out); err != nil {
			return err
		}
		delete(other, e.name)
	}
	for name, e := range other {
		if err := t.diffEntry(prefix+name, Entry{}, e, out); err != nil {
			return err
		}
	}
	return nil
}

// diffEntry compares what two trees have at a path, each a tree, something else or
// nothing.
func (t *TreeReader) diffEntry(path string, a, b Entry, out *[]Difference) error {
	if a == b {
		return nil
	}
	treeA, leafA := split(a)
	treeB, leafB := split(b)
	if leafA != leafB {
		*out = append(*out, Difference{path, leafA, leafB})
	}
	return t.diff(treeA, treeB, path+"/", out)
}

func split(e Entry) (tree ID, leaf Entry) {
	if e.Mode == ModeTree {
		return e.ID, Entry{}
	}
	return "", e
}
