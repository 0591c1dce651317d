// Package treemem is a tree.Tree in memory, for tests: of vectors, of properties, of
// what happens when a disk fails.
//
// It passes the suite of the contract (treetest). Beyond the contract it can be changed
// by a stranger's hands (Put, Chmod, …), fail at will (FailRead, OnOp, …) and be
// compared as a whole (Snapshot). It refuses what the contract refuses, and touches no
// disk. Every change moves a clock that stands in each identity, so telling files by
// identity works on it as on a disk.
package treemem

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/internal/tree"
)

// DefaultOwner is whose a file is when nothing else is said.
const DefaultOwner = "1000:1000"

// Entry is one thing of a tree, in a form to write down and compare. Zero fields have
// defaults, which Snapshot spells out.
type Entry struct {
	Kind   tree.Kind // default: Link if Target is set, else Regular
	Data   string    // bytes of a regular file
	Target string    // of a link
	Mode   uint32    // permission bits; default 0644, 0755 of a directory; 0777 of a link always
	Owner  string    // user and group, "0:0"; default DefaultOwner
}

// Tree is a tree in memory; New makes one. It is safe for concurrent use.
type Tree struct {
	mu    sync.Mutex
	root  *node
	inode uint64 // last one given
	clock int64  // time of the last change, in nanoseconds since the epoch

	hooks hooks
	ops   []Op
}

var _ tree.Tree = (*Tree)(nil)

// node is a thing that has an inode number.
type node struct {
	kind     tree.Kind
	data     []byte // replaced as a whole, never changed
	target   string
	mode     uint32
	uid, gid uint32
	ino      uint64
	mtime    int64
	ctime    int64
	children map[string]*node // of a directory
}

// New returns a tree of these entries by path; parents are implied. The error names
// the first path, in no order, that isn't valid, runs through a file, or has an owner
// that isn't two numbers.
func New(entries map[string]Entry) (*Tree, error) {
	t := &Tree{clock: 1_700_000_000_123_456_789}
	t.root = t.newNode(Entry{Kind: tree.Directory, Mode: 0o755}, 1000, 1000)
	for path, e := range entries {
		if err := t.Put(path, e); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Files returns entries that are regular files with this content, for New.
func Files(content map[string]string) map[string]Entry {
	entries := make(map[string]Entry, len(content))
	for path, data := range content {
		entries[path] = Entry{Data: data}
	}
	return entries
}

// tick is the time of a change that happens now: later than all before, by more than
// any margin that a reader allows for coarse clocks, and never a whole second.
func (t *Tree) tick() int64 {
	t.clock += 3_000_000_001
	return t.clock
}

func (t *Tree) newNode(e Entry, uid, gid uint32) *node {
	t.inode++
	now := t.tick()
	n := &node{
		kind: e.Kind, data: []byte(e.Data), target: e.Target, mode: e.Mode & 0o777,
		uid: uid, gid: gid, ino: t.inode, mtime: now, ctime: now,
	}
	if n.kind == tree.Directory {
		n.children = make(map[string]*node)
	}
	return n
}

func (n *node) identity() tree.Identity {
	size := int64(len(n.data))
	if n.kind == tree.Link {
		size = int64(len(n.target))
	}
	return tree.Identity{
		Dev: 1, Ino: n.ino, Size: size, Mtime: n.mtime, Ctime: n.ctime,
		Mode: n.mode, UID: n.uid, GID: n.gid, Nlink: 1, Kind: n.kind,
	}
}

// attach puts n into dir under name; detach takes it out. Both change the directory,
// and, as on most disks, the ctime of n.
func (t *Tree) attach(dir *node, name string, n *node) {
	dir.children[name] = n
	now := t.tick()
	dir.mtime, dir.ctime, n.ctime = now, now, now
}

func (t *Tree) detach(dir *node, name string) {
	n := dir.children[name]
	delete(dir.children, name)
	now := t.tick()
	dir.mtime, dir.ctime, n.ctime = now, now, now
}

// withDefaults fills in what e leaves out and splits the owner.
func (e Entry) withDefaults() (_ Entry, uid, gid uint32, err error) {
	if e.Kind == 0 {
		e.Kind = tree.Regular
		if e.Target != "" {
			e.Kind = tree.Link
		}
	}
	switch {
	case e.Kind == tree.Link:
		e.Mode = 0o777
	case e.Mode == 0 && e.Kind == tree.Directory:
		e.Mode = 0o755
	case e.Mode == 0:
		e.Mode = 0o644
	}
	if e.Owner == "" {
		e.Owner = DefaultOwner
	}
	uid, gid, err = parseOwner(e.Owner)
	return e, uid, gid, err
}

func parseOwner(owner string) (uid, gid uint32, err error) {
	u, g, ok := strings.Cut(owner, ":")
	user, errU := strconv.ParseUint(u, 10, 32)
	group, errG := strconv.ParseUint(g, 10, 32)
	if !ok || errU != nil || errG != nil {
		return 0, 0, fmt.Errorf("owner %q: want user and group as two numbers, like %q", owner, DefaultOwner)
	}
	return uint32(user), uint32(group), nil
}
