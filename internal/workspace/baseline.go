package workspace

import (
	"iter"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Baselines are the two baselines of an execution (spec §2.5). They aren't part of the
// workspace: no step and no interceptor sees or replaces them. Entries put in the order
// of their paths cost least.
type Baselines struct {
	acquired   table[content.Ref]
	persisted  table[stamp]
	places     []place
	placeIndex map[place]uint32
	odd        map[string]tree.Identity // by disk path
}

// Persisted is one entry of the persisted baseline: what the disk was last known to
// hold at a disk path. Its mode and owner are those of ID, and the form of its text is
// FormOf(Content): derived where spec §13.8 asks for it, and so kept for no file.
type Persisted struct {
	Content content.Ref
	ID      tree.Identity // taken from the descriptor the bytes were read from or written to
}

// NewBaselines returns empty baselines with room for n files.
func NewBaselines(n int) *Baselines {
	return &Baselines{
		acquired:   newTable[content.Ref](n),
		persisted:  newTable[stamp](n),
		placeIndex: map[place]uint32{},
		odd:        map[string]tree.Identity{},
	}
}

// Clone returns baselines that share nothing with b but contents; like Workspace.Clone
// it costs what b has changed.
func (b *Baselines) Clone() *Baselines {
	return &Baselines{
		acquired:   b.acquired.clone(),
		persisted:  b.persisted.clone(),
		places:     slices.Clone(b.places),
		placeIndex: maps.Clone(b.placeIndex),
		odd:        maps.Clone(b.odd),
	}
}

// Acquired returns what was acquired at a path. It never changes, once acquired.
func (b *Baselines) Acquired(path string) (content.Ref, bool) { return b.acquired.get(path) }

// PutAcquired records what was acquired at a path: acquisition's alone.
func (b *Baselines) PutAcquired(path string, r content.Ref) { b.acquired.set(path, r) }

// AllAcquired walks the acquisition baseline in the order of its paths.
func (b *Baselines) AllAcquired() iter.Seq2[string, content.Ref] { return b.acquired.all() }

// Persisted returns what a disk path was last known to hold. A path taken over from
// unreadable has no entry (spec §16.3).
func (b *Baselines) Persisted(disk string) (Persisted, bool) {
	s, ok := b.persisted.get(disk)
	if !ok {
		return Persisted{}, false
	}
	return b.unstamp(disk, s), true
}

// PutPersisted records what a disk path holds: acquisition, every disk operation of a
// write step and every re-read do so.
func (b *Baselines) PutPersisted(disk string, p Persisted) {
	b.persisted.set(disk, b.stamp(disk, p))
}

// DropPersisted forgets a disk path.
func (b *Baselines) DropPersisted(disk string) {
	b.persisted.delete(disk)
	delete(b.odd, disk)
}

// AllPersisted walks the persisted baseline in the order of its disk paths. It mustn't
// change meanwhile.
func (b *Baselines) AllPersisted() iter.Seq2[string, Persisted] {
	return func(yield func(string, Persisted) bool) {
		for disk, s := range b.persisted.all() {
			if !yield(disk, b.unstamp(disk, s)) {
				return
			}
		}
	}
}
