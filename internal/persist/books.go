package persist

import (
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// book records an operation that was done (spec §16.5); id is of the file that is now
// at its path.
func (b *Books) book(op Op, id tree.Identity) {
	switch op.Kind {
	case Rename:
		f, _ := b.Workspace.File(op.Key)
		f.Disk = op.Path
		b.Workspace.Put(op.Key, f)
		b.Workspace.DropPending(op.Path)
		was, known := b.Baselines.Persisted(op.From)
		b.Baselines.DropPersisted(op.From)
		b.Baselines.DropPersisted(op.Path)
		if known {
			b.Baselines.PutPersisted(op.Path, workspace.Persisted{Content: was.Content, ID: id})
		}
	case Delete:
		b.Workspace.DropPending(op.Path)
		b.Baselines.DropPersisted(op.Path)
	case Write:
		f, _ := b.Workspace.File(op.Path)
		f.Disk = op.Path
		b.Workspace.Put(op.Path, f)
		b.Workspace.DropPending(op.Path)
		b.Baselines.PutPersisted(op.Path, workspace.Persisted{Content: op.After.Content, ID: id})
	}
}

// bookLeft records that what a rename superseded is still where the rename came from:
// to be deleted there.
func (b *Books) bookLeft(op Op, id tree.Identity) {
	b.Workspace.PutPending(op.From, workspace.PendingDeletion{LastPath: op.Path, Mode: id.Mode})
	if op.Over.Want != Anything {
		b.Baselines.PutPersisted(op.From, workspace.Persisted{Content: op.Over.Content, ID: id})
	}
}

// bookMoved records the identity of a file that was moved away and back.
func (b *Books) bookMoved(path string, id tree.Identity) {
	if was, ok := b.Baselines.Persisted(path); ok {
		b.Baselines.PutPersisted(path, workspace.Persisted{Content: was.Content, ID: id})
	}
}

// bookVanished records that the source of a rename that could be anything is nothing:
// its file is on disk nowhere.
func (b *Books) bookVanished(op Op) {
	f, _ := b.Workspace.File(op.Key)
	f.Disk = ""
	b.Workspace.Put(op.Key, f)
}

// wrote adds a path to what the run has written, once.
func (b *Books) wrote(path string) {
	if b.isWritten == nil {
		b.isWritten = make(map[string]bool, len(b.Written))
		for _, p := range b.Written {
			b.isWritten[p] = true
		}
	}
	if !b.isWritten[path] {
		b.isWritten[path] = true
		b.Written = append(b.Written, path)
	}
}
