package treemem

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/internal/tree"
)

// place is where a path leads: the directory that holds its last name, and what is
// there, if anything. Of the root, dir is nil.
type place struct {
	dir  *node
	name string
	node *node // nil where the name is absent
}

// walk resolves path without following links (spec §4.4). The errors are those for
// parents; whether anything is at path itself is for the caller to judge.
func (t *Tree) walk(path string) (place, error) {
	if path == tree.Root {
		return place{name: tree.Root, node: t.root}, nil
	}
	if !tree.Valid(path) {
		return place{}, tree.ErrInvalid
	}
	p := place{node: t.root}
	for end := 0; end <= len(path); {
		start := end
		if i := strings.IndexByte(path[start:], '/'); i >= 0 {
			end = start + i + 1
		} else {
			end = len(path) + 1
		}
		if err := asParent(p.node); err != nil {
			return place{}, err
		}
		p.dir, p.name = p.node, path[start:end-1]
		p.node = p.dir.children[p.name]
		if p.node != nil && t.hooks.unlookable[path[:end-1]] {
			return place{}, tree.ErrUnlookable
		}
	}
	return p, nil
}

// asParent says why nothing can be below n, or nil.
func asParent(n *node) error {
	switch {
	case n == nil:
		return tree.ErrAbsent
	case n.kind == tree.Link:
		return tree.ErrLink
	case n.kind != tree.Directory:
		return tree.ErrAbsent
	}
	return nil
}

// asDirectory says why what is at p can't be listed, or nil.
func asDirectory(p place) error {
	if n := p.node; n != nil && n.kind != tree.Directory && n.kind != tree.Link {
		return fmt.Errorf("%w: %w", tree.ErrNotDirectory, tree.ErrAbsent)
	}
	return asParent(p.node)
}

// asRegular says why what is at p can't be used as a file, or nil.
func asRegular(p place) error {
	switch {
	case p.dir == nil:
		return tree.ErrInvalid
	case p.node == nil:
		return tree.ErrAbsent
	case p.node.kind == tree.Link:
		return tree.ErrLink
	case p.node.kind != tree.Regular:
		return tree.ErrNotRegular
	}
	return nil
}

// existing is walk for a name that must be there and isn't the root.
func (t *Tree) existing(path string) (place, error) {
	p, err := t.walk(path)
	switch {
	case err != nil:
		return place{}, err
	case p.dir == nil:
		return place{}, tree.ErrInvalid
	case p.node == nil:
		return place{}, tree.ErrAbsent
	}
	return p, nil
}

// vacant is walk for a name that must be absent.
func (t *Tree) vacant(path string) (place, error) {
	p, err := t.walk(path)
	switch {
	case err != nil:
		return place{}, err
	case p.dir == nil:
		return place{}, tree.ErrInvalid
	case p.node != nil:
		return place{}, tree.ErrExists
	}
	return p, nil
}
