package treemem

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Stat implements tree.Reader.
func (t *Tree) Stat(path string) (tree.Identity, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.walk(path)
	if err == nil && p.node == nil {
		err = tree.ErrAbsent
	}
	if err != nil {
		return tree.Identity{}, fmt.Errorf("stat %q: %w", path, err)
	}
	return p.node.identity(), nil
}

// ReadFile implements tree.Reader.
func (t *Tree) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err == nil {
		err = asRegular(p)
	}
	if err == nil {
		err = t.hooks.read[path]
	}
	if err == nil && int64(len(p.node.data)) > limit {
		err = tree.ErrTooLarge
	}
	if err != nil {
		return nil, tree.Identity{}, fmt.Errorf("read %q: %w", path, err)
	}
	if cap(buf) <= len(p.node.data) {
		buf = make([]byte, 0, len(p.node.data)+1)
	}
	return append(buf[:0], p.node.data...), p.node.identity(), nil
}

// ReadDir implements tree.Reader. The order is descending, so that nobody comes to
// rely on an ascending one; the name is overwritten after each call, so that nobody
// keeps it.
func (t *Tree) ReadDir(dir string, visit func(name []byte, kind tree.Kind) bool) error {
	type entry struct {
		name string
		kind tree.Kind
	}
	var entries []entry
	n, err := t.directory(dir, true)
	if err != nil {
		return fmt.Errorf("list %q: %w", dir, err)
	}
	t.mu.Lock()
	for name, child := range n.children {
		entries = append(entries, entry{name, child.kind})
	}
	t.mu.Unlock()
	slices.SortFunc(entries, func(a, b entry) int {
		if a.name > b.name {
			return -1
		}
		return 1
	})
	var name []byte
	for _, e := range entries {
		name = append(name[:0], e.name...)
		more := visit(name, e.kind)
		for i := range name {
			name[i] = 0xFF
		}
		if !more {
			break
		}
	}
	return nil
}

// StatDir implements tree.Reader.
func (t *Tree) StatDir(dir string) (tree.Identity, error) {
	n, err := t.directory(dir, false)
	if err != nil {
		return tree.Identity{}, fmt.Errorf("stat directory %q: %w", dir, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return n.identity(), nil
}

// directory returns the directory at dir, asking the hooks if it is to be listed.
func (t *Tree) directory(dir string, list bool) (*node, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.walk(dir)
	if err == nil {
		err = asDirectory(p)
	}
	if err == nil && list {
		err = t.hooks.listing(dir)
	}
	return p.node, err
}

// Revisit implements tree.Reader.
func (t *Tree) Revisit(ctx context.Context, paths []string, visit func(i int, id tree.Identity, err error) bool) error {
	if !slices.IsSorted(paths) {
		return fmt.Errorf("revisit: paths aren't sorted: %w", tree.ErrInvalid)
	}
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, err := t.Stat(path)
		if !visit(i, id, err) {
			return nil
		}
	}
	return nil
}
