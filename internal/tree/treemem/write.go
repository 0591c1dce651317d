package treemem

import (
	"fmt"
	"syscall"

	"github.com/fettle-dev/fettle/internal/tree"
)

// WriteNew implements tree.Writer. Files are made as DefaultOwner.
func (t *Tree) WriteNew(path string, data []byte, attr tree.Attr) (tree.Identity, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.vacant(path)
	if err == nil {
		err = t.begin(Op{Name: OpWrite, Path: path})
	}
	if err != nil {
		return tree.Identity{}, false, fmt.Errorf("write %q: %w", path, err)
	}
	n := t.newNode(Entry{Kind: tree.Regular, Data: string(data), Mode: attr.Mode}, 1000, 1000)
	kept := t.own(n, attr)
	t.attach(p.dir, p.name, n)
	return n.identity(), kept, nil
}

// Exchange implements tree.Writer.
func (t *Tree) Exchange(a, b string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	pa, err := t.existing(a)
	if err != nil {
		return fmt.Errorf("exchange %q and %q: %w", a, b, err)
	}
	pb, err := t.existing(b)
	if err == nil && pa.node != pb.node && (within(pa.node, pb.node) || within(pb.node, pa.node)) {
		err = syscall.EINVAL
	}
	if err == nil {
		err = t.begin(Op{Name: OpExchange, Path: a, To: b})
	}
	if err != nil {
		return fmt.Errorf("exchange %q and %q: %w", a, b, err)
	}
	t.attach(pa.dir, pa.name, pb.node)
	t.attach(pb.dir, pb.name, pa.node)
	return nil
}

// Rename implements tree.Writer.
func (t *Tree) Rename(from, to string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	pf, err := t.existing(from)
	if err != nil {
		return fmt.Errorf("rename %q to %q: %w", from, to, err)
	}
	pt, err := t.vacant(to)
	if err == nil && within(pf.node, pt.dir) {
		err = syscall.EINVAL
	}
	if err == nil {
		err = t.begin(Op{Name: OpRename, Path: from, To: to})
	}
	if err != nil {
		return fmt.Errorf("rename %q to %q: %w", from, to, err)
	}
	t.detach(pf.dir, pf.name)
	t.attach(pt.dir, pt.name, pf.node)
	return nil
}

// Remove implements tree.Writer.
func (t *Tree) Remove(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err == nil && p.node.kind == tree.Directory {
		err = tree.ErrNotRegular
	}
	if err == nil {
		err = t.begin(Op{Name: OpRemove, Path: path})
	}
	if err != nil {
		return fmt.Errorf("remove %q: %w", path, err)
	}
	t.detach(p.dir, p.name)
	return nil
}

// RemoveDir implements tree.Writer.
func (t *Tree) RemoveDir(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err == nil && p.node.kind != tree.Directory {
		err = tree.ErrNotDirectory
	}
	if err == nil && len(p.node.children) > 0 {
		err = syscall.ENOTEMPTY
	}
	if err == nil {
		err = t.begin(Op{Name: OpRemoveDir, Path: path})
	}
	if err != nil {
		return fmt.Errorf("remove directory %q: %w", path, err)
	}
	t.detach(p.dir, p.name)
	return nil
}

// Mkdir implements tree.Writer.
func (t *Tree) Mkdir(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.vacant(path)
	if err == nil {
		err = t.begin(Op{Name: OpMkdir, Path: path})
	}
	if err != nil {
		return fmt.Errorf("make directory %q: %w", path, err)
	}
	t.attach(p.dir, p.name, t.newNode(Entry{Kind: tree.Directory, Mode: 0o755}, 1000, 1000))
	return nil
}

// SetAttr implements tree.Writer.
func (t *Tree) SetAttr(path string, attr tree.Attr) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err == nil {
		err = asRegular(p)
	}
	if err == nil {
		err = t.begin(Op{Name: OpSetAttr, Path: path})
	}
	if err != nil {
		return false, fmt.Errorf("set attributes of %q: %w", path, err)
	}
	p.node.mode = attr.Mode & 0o777
	kept := t.own(p.node, attr)
	p.node.ctime = t.tick()
	return kept, nil
}

// Sync implements tree.Writer. It has nothing to do but to ask the hook and judge the
// paths as a disk would.
func (t *Tree) Sync(files, dirs []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, path := range files {
		if err := t.syncable(path, asRegular); err != nil {
			return fmt.Errorf("sync %q: %w", path, err)
		}
	}
	for _, dir := range dirs {
		if err := t.syncable(dir, asDirectory); err != nil {
			return fmt.Errorf("sync directory %q: %w", dir, err)
		}
	}
	if err := t.begin(Op{Name: OpSync}); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// own gives n the owner that attr asks for, if that is permitted.
func (t *Tree) own(n *node, attr tree.Attr) (kept bool) {
	if !attr.KeepOwner {
		return true
	}
	if t.hooks.ownerFixed {
		return n.uid == attr.UID && n.gid == attr.GID
	}
	n.uid, n.gid = attr.UID, attr.GID
	return true
}

// within reports whether n is dir or below it.
func within(dir, n *node) bool {
	if dir == n {
		return true
	}
	for _, child := range dir.children {
		if within(child, n) {
			return true
		}
	}
	return false
}
