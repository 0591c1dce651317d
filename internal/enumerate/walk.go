package enumerate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/tree"
)

// errStopped ends an enumeration whose consumer has had enough.
var errStopped = errors.New("the consumer stopped")

// chunk is how many entries of a directory get their paths at a time, so that a huge
// directory costs no more paths than its consumer takes.
const chunk = 512

type walker struct {
	ctx     context.Context
	tree    tree.Reader
	query   Query
	visitor Visitor
	summary Summary
	counted map[string]bool // directories that startDir has counted

	levels  []*level                               // by depth below the start; memory is reused
	listing *level                                 // the one that collect fills
	collect func(name []byte, kind tree.Kind) bool // collectEntry
}

// level is a directory on the way down.
type level struct {
	region  glob.Cursor
	exclude glob.ExclusionCursor
	names   []byte // of all entries, one behind the other; a slash ends that of a directory
	entries []entry
}

// entry is a place in level.names. With its slash a directory's name sorts as the paths
// below it do.
type entry struct {
	from, to int
}

func (l *level) name(e entry) []byte { return l.names[e.from:e.to] }

func (w *walker) level(i int) *level {
	for len(w.levels) <= i {
		w.levels = append(w.levels, &level{})
	}
	return w.levels[i]
}

// walk lists the directory at dir, whose cursors are in level i, and what is below.
func (w *walker) walk(dir string, depth, i int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.visitor.Dir != nil {
		w.visitor.Dir(dir)
	}
	l := w.level(i)
	if err := w.list(dir, l); err != nil {
		return err
	}
	for rest := l.entries; len(rest) > 0; {
		some := rest[:min(chunk, len(rest))]
		rest = rest[len(some):]
		paths := join(dir, l, some)
		for _, e := range some {
			length := e.to - e.from
			path := paths[:prefix(dir)+length]
			paths = paths[len(path):]
			name := l.name(e)
			var err error
			if name[length-1] == '/' {
				err = w.enter(path[:len(path)-1], name[:length-1], depth+1, i)
			} else {
				err = w.file(File{Path: path, cursor: l.region, name: name}, false)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// list fills l with the directories in dir and the files in it that are wanted, sorted
// as the paths that they yield. A directory that has gone or become a link since it was
// met yields nothing.
func (w *walker) list(dir string, l *level) error {
	l.names, l.entries = l.names[:0], l.entries[:0]
	w.listing = l
	err := w.tree.ReadDir(dir, w.collect)
	if err != nil && !errors.Is(err, tree.ErrAbsent) && !errors.Is(err, tree.ErrLink) {
		return &ListError{Path: dir, Err: err}
	}
	slices.SortFunc(l.entries, func(a, b entry) int { return bytes.Compare(l.name(a), l.name(b)) })
	return nil
}

func (w *walker) collectEntry(name []byte, kind tree.Kind) bool {
	l := w.listing
	switch kind {
	case tree.Directory:
		from := len(l.names)
		l.names = append(append(l.names, name...), '/')
		l.entries = append(l.entries, entry{from: from, to: len(l.names)})
	case tree.Regular:
		if !l.region.Match(name) {
			return true
		}
		if l.exclude.CoversFile(name) {
			w.summary.Excluded.Files++
			return true
		}
		from := len(l.names)
		l.names = append(l.names, name...)
		l.entries = append(l.entries, entry{from: from, to: len(l.names)})
	}
	return true
}

// join returns the paths of entries of dir in one string, one behind the other.
func join(dir string, l *level, entries []entry) string {
	var b strings.Builder
	size := 0
	for _, e := range entries {
		size += prefix(dir) + e.to - e.from
	}
	b.Grow(size)
	for _, e := range entries {
		if dir != tree.Root {
			b.WriteString(dir)
			b.WriteByte('/')
		}
		b.Write(l.name(e))
	}
	return b.String()
}

// prefix is how much longer a path in dir is than its last segment.
func prefix(dir string) int {
	if dir == tree.Root {
		return 0
	}
	return len(dir) + 1
}

// enter walks the directory at path, which was met in the directory of level i, if
// something below it can be wanted.
func (w *walker) enter(path string, name []byte, depth, i int) error {
	l, inner := w.level(i), w.level(i+1)
	inner.region = l.region.Enter(name, inner.region)
	if !inner.region.Below() {
		return nil
	}
	inner.exclude = l.exclude.Enter(name, inner.exclude)
	if inner.exclude.CoversWhole() {
		w.summary.Excluded.Directories++
		return nil
	}
	if w.query.Ignored != nil && w.query.Ignored.Ignored(path, true) {
		w.summary.Ignored.Directories++
		return nil
	}
	if depth >= w.query.MaxDepth {
		w.tooDeep(path)
		return nil
	}
	if !w.mayEnter(path) {
		return nil
	}
	return w.walk(path, depth, i+1)
}

func (w *walker) mayEnter(dir string) bool { return w.visitor.Enter == nil || w.visitor.Enter(dir) }

// file hands a file to the consumer unless Git ignores it, itself or (below) one of its
// parents.
func (w *walker) file(f File, below bool) error {
	if below || w.query.Ignored != nil && w.query.Ignored.Ignored(f.Path, false) {
		w.summary.Ignored.Files++
		return nil
	}
	if !w.visitor.File(f) {
		return errStopped
	}
	return nil
}

func (w *walker) tooDeep(dir string) {
	if w.visitor.TooDeep != nil {
		w.visitor.TooDeep(dir)
	}
}
