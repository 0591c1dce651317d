package workspace

import "github.com/fettle-dev/fettle/internal/content"

// record is a File as the workspace keeps it, in half the memory: the path of most files
// is their origin and their disk path too, and those of the others stand in names.
type record struct {
	content content.Ref
	mime    string
	mode    uint32
	flags   uint8
}

const (
	flagDeclared = 1 << iota
	flagNamed    // names has origin and disk path; without it both are the path
)

type names struct{ origin, disk string }

func (w *Workspace) pack(path string, f File) record {
	r := record{content: f.Content, mime: f.MIME, mode: f.Mode}
	if f.DeclaredText {
		r.flags |= flagDeclared
	}
	if f.Origin == path && f.Disk == path {
		delete(w.names, path)
		return r
	}
	r.flags |= flagNamed
	w.names[path] = names{origin: f.Origin, disk: f.Disk}
	return r
}

func (w *Workspace) unpack(path string, r record) File {
	f := File{
		Content: r.content, MIME: r.mime, Mode: r.mode,
		Origin: path, Disk: path, DeclaredText: r.flags&flagDeclared != 0,
	}
	if r.flags&flagNamed != 0 {
		n := w.names[path]
		f.Origin, f.Disk = n.origin, n.disk
	}
	return f
}
