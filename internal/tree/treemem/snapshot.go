package treemem

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Snapshot returns everything of the tree but the root by path, directories included.
// New of it makes an equal tree.
func (t *Tree) Snapshot() map[string]Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	entries := make(map[string]Entry)
	t.root.collect("", entries)
	return entries
}

// Files returns Snapshot without the directories.
func (t *Tree) Files() map[string]Entry {
	entries := t.Snapshot()
	for path, e := range entries {
		if e.Kind == tree.Directory {
			delete(entries, path)
		}
	}
	return entries
}

func (n *node) collect(prefix string, into map[string]Entry) {
	for name, child := range n.children {
		into[prefix+name] = Entry{
			Kind: child.kind, Data: string(child.data), Target: child.target,
			Mode: child.mode, Owner: fmt.Sprintf("%d:%d", child.uid, child.gid),
		}
		child.collect(prefix+name+"/", into)
	}
}
