package treemem

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/tree"
)

// The methods of this file are a stranger's hands: a fixer, a person. No hook is asked,
// nothing is booked in Ops.

// Put makes path an entry; parents are made. A regular file that is there gets the new
// bytes in place and keeps inode, owner, and mode where e leaves them out; anything
// else that is there is replaced.
func (t *Tree) Put(path string, e Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	given := e
	e, uid, gid, err := e.withDefaults()
	if err != nil {
		return fmt.Errorf("put %q: %w", path, err)
	}
	if err := t.makeParents(path); err != nil {
		return fmt.Errorf("put %q: %w", path, err)
	}
	p, err := t.walk(path)
	if err != nil {
		return fmt.Errorf("put %q: %w", path, err)
	}
	if p.dir == nil {
		if e.Kind != tree.Directory {
			return fmt.Errorf("put %q: %w", path, tree.ErrInvalid)
		}
		return nil
	}
	if p.node == nil || p.node.kind != tree.Regular || e.Kind != tree.Regular {
		if p.node != nil && p.node.kind == tree.Directory && e.Kind == tree.Directory {
			return nil
		}
		t.attach(p.dir, p.name, t.newNode(e, uid, gid))
		return nil
	}
	n := p.node
	n.data, n.mtime = []byte(e.Data), t.tick()
	n.ctime = n.mtime
	if given.Mode != 0 {
		n.mode = e.Mode & 0o777
	}
	if given.Owner != "" {
		n.uid, n.gid = uid, gid
	}
	return nil
}

// Write is Put of a regular file with this content.
func (t *Tree) Write(path, data string) error { return t.Put(path, Entry{Data: data}) }

// Delete removes what is at path, with everything below.
func (t *Tree) Delete(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err != nil {
		return fmt.Errorf("delete %q: %w", path, err)
	}
	t.detach(p.dir, p.name)
	return nil
}

// Move moves what is at from to to, replacing what is there; parents are made.
func (t *Tree) Move(from, to string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	pf, err := t.existing(from)
	if err != nil {
		return fmt.Errorf("move %q to %q: %w", from, to, err)
	}
	if err := t.makeParents(to); err != nil {
		return fmt.Errorf("move %q to %q: %w", from, to, err)
	}
	pt, err := t.walk(to)
	if err != nil {
		return fmt.Errorf("move %q to %q: %w", from, to, err)
	}
	if pt.dir == nil || within(pf.node, pt.dir) {
		return fmt.Errorf("move %q to %q: %w", from, to, tree.ErrInvalid)
	}
	t.detach(pf.dir, pf.name)
	t.attach(pt.dir, pt.name, pf.node)
	return nil
}

// Chmod sets the permission bits of what is at path.
func (t *Tree) Chmod(path string, mode uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err != nil {
		return fmt.Errorf("chmod %q: %w", path, err)
	}
	p.node.mode, p.node.ctime = mode&0o777, t.tick()
	return nil
}

// Chown gives what is at path to owner, in the form of Entry.
func (t *Tree) Chown(path, owner string) error {
	uid, gid, err := parseOwner(owner)
	if err != nil {
		return fmt.Errorf("chown %q: %w", path, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.existing(path)
	if err != nil {
		return fmt.Errorf("chown %q: %w", path, err)
	}
	p.node.uid, p.node.gid, p.node.ctime = uid, gid, t.tick()
	return nil
}

// makeParents makes the missing directories above path.
func (t *Tree) makeParents(path string) error {
	if path == tree.Root {
		return nil
	}
	if !tree.Valid(path) {
		return tree.ErrInvalid
	}
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		p, err := t.walk(path[:i])
		if err != nil {
			return err
		}
		if p.node == nil {
			t.attach(p.dir, p.name, t.newNode(Entry{Kind: tree.Directory, Mode: 0o755}, 1000, 1000))
		}
	}
	return nil
}
