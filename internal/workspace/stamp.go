package workspace

import (
	"math"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// stamp is a Persisted as the baselines keep it, in half the memory: few devices and
// owners share a tree, and the size of a file is that of its content.
type stamp struct {
	content content.Ref
	ino     uint64
	mtime   int64
	ctime   int64
	place   uint32 // in Baselines.places
	nlink   uint16
	mode    uint16
}

// place is what many files of a tree have in common.
type place struct {
	dev  uint64
	uid  uint32
	gid  uint32
	kind tree.Kind
}

// oddPlace marks a stamp whose identity doesn't fit and stands in Baselines.odd.
const oddPlace = math.MaxUint32

func (b *Baselines) stamp(disk string, p Persisted) stamp {
	s := stamp{content: p.Content, place: oddPlace}
	id := p.ID
	if id.Size != p.Content.Len || id.Mode > math.MaxUint16 || id.Nlink > math.MaxUint16 {
		b.odd[disk] = id
		return s
	}
	delete(b.odd, disk)
	s.ino, s.mtime, s.ctime = id.Ino, id.Mtime, id.Ctime
	s.mode, s.nlink = uint16(id.Mode), uint16(id.Nlink)
	s.place = b.placeOf(place{dev: id.Dev, uid: id.UID, gid: id.GID, kind: id.Kind})
	return s
}

func (b *Baselines) placeOf(p place) uint32 {
	i, ok := b.placeIndex[p]
	if !ok {
		i = uint32(len(b.places))
		b.places = append(b.places, p)
		b.placeIndex[p] = i
	}
	return i
}

func (b *Baselines) unstamp(disk string, s stamp) Persisted {
	if s.place == oddPlace {
		return Persisted{Content: s.content, ID: b.odd[disk]}
	}
	p := b.places[s.place]
	return Persisted{Content: s.content, ID: tree.Identity{
		Dev: p.dev, Ino: s.ino, Size: s.content.Len, Mtime: s.mtime, Ctime: s.ctime,
		Mode: uint32(s.mode), UID: p.uid, GID: p.gid, Nlink: uint32(s.nlink), Kind: p.kind,
	}}
}
