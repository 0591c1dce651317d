package git

import (
	"fmt"
	"slices"
	"strings"
)

// Change sets the entry at a path, or removes it with the zero Entry.
type Change struct {
	Path  string
	Entry Entry
}

// Edit returns the tree root with changes made, and the tree objects that are new. Trees
// that become empty vanish; the root stays, as an empty tree. A path may be removed and
// another be set below it. A path that stays while another is set below it is an error,
// and so is one set where the tree has a directory that isn't emptied (§ 4.4).
func (t *TreeReader) Edit(root ID, changes []Change) (ID, []Object, error) {
	sorted := slices.Clone(changes)
	slices.SortFunc(sorted, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	e := editor{trees: t}
	tree, err := e.edit(root, "", sorted)
	if err != nil {
		return "", nil, err
	}
	if tree == "" {
		tree = e.add(nil)
	}
	return tree, e.objects, nil
}

type editor struct {
	trees   *TreeReader
	objects []Object
}

func (e *editor) add(entries []named) ID {
	o := Object{Tree, formatTree(entries)}
	e.objects = append(e.objects, o)
	return o.ID()
}

// edit returns the tree with changes made whose paths all begin with prefix, "" if
// nothing is left of it.
func (e *editor) edit(tree ID, prefix string, changes []Change) (ID, error) {
	if len(changes) == 0 {
		return tree, nil
	}
	entries, err := e.trees.read(tree)
	if err != nil {
		return "", err
	}
	byName := groupByName(prefix, changes)
	out := make([]named, 0, len(entries)+len(byName))
	for _, entry := range entries {
		g, changed := byName[entry.name]
		if !changed {
			out = append(out, entry)
			continue
		}
		delete(byName, entry.name)
		if out, err = e.entry(out, entry, prefix, g); err != nil {
			return "", err
		}
	}
	for name, g := range byName {
		if out, err = e.entry(out, named{name: name}, prefix, g); err != nil {
			return "", err
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return e.add(out), nil
}

// group are the changes of one name: of itself, and of what is below it.
type group struct {
	self  *Change
	below []Change
}

func groupByName(prefix string, changes []Change) map[string]group {
	groups := map[string]group{}
	for i, c := range changes {
		name, _, below := strings.Cut(c.Path[len(prefix):], "/")
		g := groups[name]
		if below {
			g.below = append(g.below, c)
		} else {
			g.self = &changes[i]
		}
		groups[name] = g
	}
	return groups
}

// entry appends what a name holds after its changes.
func (e *editor) entry(out []named, before named, prefix string, g group) ([]named, error) {
	tree, leaf := split(before.Entry)
	if g.self != nil {
		leaf = g.self.Entry
	}
	tree, err := e.edit(tree, prefix+before.name+"/", g.below)
	if err != nil {
		return nil, err
	}
	switch {
	case tree != "" && leaf.Exists():
		return nil, fmt.Errorf("%q would be a file and a directory", prefix+before.name)
	case tree != "":
		return append(out, named{before.name, Entry{ModeTree, tree}}), nil
	case leaf.Exists():
		return append(out, named{before.name, leaf}), nil
	}
	return out, nil
}
