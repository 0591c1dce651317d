package statedir

import (
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

const indexMagic = "fettle-index 1\n"

// encodeBooks returns an index file: workspace, baselines and what was written. A run
// that has acquired nothing yet has none of them.
func encodeBooks(b persist.Books) []byte {
	e := &encoder{out: make([]byte, 0, 1<<12)}
	if b.Workspace != nil {
		e.out = make([]byte, 0, 1<<12+b.Workspace.Len()*96)
	}
	e.out = append(e.out, indexMagic...)
	if b.Workspace == nil || b.Baselines == nil {
		e.byte(0)
		return seal(e.out)
	}
	e.byte(1)
	e.files(b.Workspace)
	e.unreadable(b.Workspace)
	e.pending(b.Workspace)
	e.baselines(b.Baselines)
	e.uint(uint64(len(b.Written)))
	for _, p := range b.Written {
		e.string(p)
	}
	return seal(e.out)
}

// decodeBooks reads an index file. Contents must lie within the pack.
func decodeBooks(name string, data []byte, pack Mark) (persist.Books, error) {
	body, err := unseal(name, indexMagic, data)
	if err != nil {
		return persist.Books{}, err
	}
	d := &booksDecoder{decoder: decoder{in: body}, pack: pack.Length}
	if d.byte() == 0 {
		return persist.Books{}, d.end(name)
	}
	b := persist.Books{Workspace: d.files()}
	d.unreadable(b.Workspace)
	d.pending(b.Workspace)
	b.Baselines = d.baselines()
	for range d.start() {
		b.Written = append(b.Written, d.string())
	}
	return b, d.end(name)
}

// booksDecoder checks places of contents, and lets equal paths of different lists be one
// string.
type booksDecoder struct {
	decoder
	pack  int64
	known []string // paths of the files, in order
}

func (d *booksDecoder) end(name string) error {
	if d.bad || len(d.in) > 0 {
		return unusable(name, "doesn't hold what such a file holds")
	}
	return nil
}

func (e *encoder) ref(r content.Ref) {
	e.uint(uint64(r.Off))
	e.uint(uint64(r.Len))
}

func (d *booksDecoder) ref() content.Ref {
	off, length := d.uint(), d.uint()
	if length > 0 && (off < uint64(packHeader) || off > uint64(d.pack) || length > uint64(d.pack)-off) || off > 1<<62 {
		d.fail()
		return content.Ref{}
	}
	return content.Ref{Off: int64(off), Len: int64(length)}
}

// Flags of a file.
const (
	declaredText = 1 << iota
	hasOrigin    // origin follows; without it origin is the path
	hasDisk      // disk path follows; without it disk path is the path
)

func (e *encoder) files(w *workspace.Workspace) {
	types := map[string]uint64{}
	e.start(w.Len())
	for path, f := range w.All() {
		e.path(path)
		e.ref(f.Content)
		e.uint(uint64(f.Mode))
		if n, ok := types[f.MIME]; ok {
			e.uint(n)
		} else {
			e.uint(0)
			e.string(f.MIME)
			types[f.MIME] = uint64(len(types) + 1)
		}
		var flags byte
		if f.DeclaredText {
			flags |= declaredText
		}
		if f.Origin != path {
			flags |= hasOrigin
		}
		if f.Disk != path {
			flags |= hasDisk
		}
		e.byte(flags)
		if f.Origin != path {
			e.string(f.Origin)
		}
		if f.Disk != path {
			e.string(f.Disk)
		}
	}
}

func (d *booksDecoder) files() *workspace.Workspace {
	n := d.start()
	w := workspace.New(n)
	d.known = make([]string, 0, n)
	var types []string
	for range n {
		path := d.path()
		f := workspace.File{Content: d.ref(), Mode: d.uint32(), Origin: path, Disk: path}
		switch t := d.uint(); {
		case t == 0:
			f.MIME = d.string()
			types = append(types, f.MIME)
		case t <= uint64(len(types)):
			f.MIME = types[t-1]
		default:
			d.fail()
		}
		flags := d.byte()
		f.DeclaredText = flags&declaredText != 0
		if flags&hasOrigin != 0 {
			f.Origin = d.string()
		}
		if flags&hasDisk != 0 {
			f.Disk = d.string()
		}
		if d.bad || path == "" {
			d.fail()
			return w
		}
		w.Put(path, f)
		d.known = append(d.known, path)
	}
	return w
}

func (e *encoder) unreadable(w *workspace.Workspace) {
	paths := w.UnreadablePaths()
	e.start(len(paths))
	for _, path := range paths {
		u, _ := w.Unreadable(path)
		e.path(path)
		e.string(u.Origin)
		e.string(u.Disk)
		e.uint(uint64(u.Mode))
		declared := byte(0)
		if u.DeclaredText {
			declared = declaredText
		}
		e.byte(declared)
	}
}

func (d *booksDecoder) unreadable(w *workspace.Workspace) {
	for range d.start() {
		path := d.path()
		u := workspace.Unreadable{Origin: d.string(), Disk: d.string(), Mode: d.uint32(), DeclaredText: d.byte() != 0}
		if _, file := w.File(path); d.bad || path == "" || file {
			d.fail()
			return
		}
		w.PutUnreadable(path, u)
	}
}

func (e *encoder) pending(w *workspace.Workspace) {
	disks := w.PendingDisks()
	e.start(len(disks))
	for _, disk := range disks {
		p, _ := w.Pending(disk)
		e.path(disk)
		e.string(p.LastPath)
		e.uint(uint64(p.Mode))
	}
}

func (d *booksDecoder) pending(w *workspace.Workspace) {
	for range d.start() {
		disk := d.path()
		w.PutPending(disk, workspace.PendingDeletion{LastPath: d.string(), Mode: d.uint32()})
	}
}

func (e *encoder) baselines(b *workspace.Baselines) {
	acquired, persisted := 0, 0
	for range b.AllAcquired() {
		acquired++
	}
	for range b.AllPersisted() {
		persisted++
	}
	e.start(acquired)
	for path, r := range b.AllAcquired() {
		e.path(path)
		e.ref(r)
	}
	e.start(persisted)
	for disk, p := range b.AllPersisted() {
		e.path(disk)
		e.ref(p.Content)
		e.identity(p.ID)
	}
}

func (d *booksDecoder) baselines() *workspace.Baselines {
	n := d.start()
	b := workspace.NewBaselines(n)
	at := 0
	for range n {
		path := d.same(d.path(), &at)
		r := d.ref()
		if d.bad {
			return b
		}
		b.PutAcquired(path, r)
	}
	at = 0
	for range d.start() {
		disk := d.same(d.path(), &at)
		p := workspace.Persisted{Content: d.ref(), ID: d.identity()}
		if d.bad {
			return b
		}
		b.PutPersisted(disk, p)
	}
	return b
}

// same returns the known string that equals a path, if there is one; paths come in order,
// and at is how far the known ones are looked through.
func (d *booksDecoder) same(path string, at *int) string {
	for *at < len(d.known) && d.known[*at] < path {
		*at++
	}
	if *at < len(d.known) && d.known[*at] == path {
		return d.known[*at]
	}
	return path
}

func (e *encoder) identity(id tree.Identity) {
	e.uint(id.Dev)
	e.uint(id.Ino)
	e.int(id.Size)
	e.int(id.Mtime)
	e.int(id.Ctime - id.Mtime)
	e.uint(uint64(id.Mode))
	e.uint(uint64(id.UID))
	e.uint(uint64(id.GID))
	e.uint(uint64(id.Nlink))
	e.byte(byte(id.Kind))
}

func (d *decoder) identity() tree.Identity {
	id := tree.Identity{Dev: d.uint(), Ino: d.uint(), Size: d.int(), Mtime: d.int()}
	id.Ctime = id.Mtime + d.int()
	id.Mode, id.UID, id.GID, id.Nlink = d.uint32(), d.uint32(), d.uint32(), d.uint32()
	id.Kind = tree.Kind(d.byte())
	return id
}
