package enumerate

import (
	"errors"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/tree"
)

// start is a place where the enumeration starts and what the disk has there.
type start struct {
	path string
	kind tree.Kind
}

// run walks from each start, in the order of what they yield.
func (w *walker) run() error {
	starts, err := w.starts()
	if err != nil {
		return err
	}
	for _, s := range starts {
		switch {
		case s.kind == tree.Regular:
			err = w.startFile(s.path)
		case w.mayEnter(s.path):
			err = w.startDir(s.path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// starts looks at each start once and keeps what is a directory to walk or a file.
// What is absent, or is or runs through a link, yields nothing (spec §5.6). A start below
// maxDepth is the directory above it that is too deep to enter.
func (w *walker) starts() ([]start, error) {
	var found []start
	for _, s := range w.query.Region.Starts() {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		path := clip(s.Path, w.query.MaxDepth)
		kind, err := w.kind(path)
		if err != nil {
			return nil, err
		}
		if kind == tree.Regular || kind == tree.Directory && s.Kind == glob.Walk {
			found = append(found, start{path: path, kind: kind})
		}
	}
	slices.SortFunc(found, func(a, b start) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	return slices.Compact(found), nil
}

// sortKey orders starts as the paths that they yield.
func (s start) sortKey() string {
	switch {
	case s.path == tree.Root:
		return ""
	case s.kind == tree.Directory:
		return s.path + "/"
	}
	return s.path
}

// clip cuts a path down to depth segments.
func clip(path string, depth int) string {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if depth--; depth == 0 {
			return path[:i]
		}
	}
	return path
}

// kind looks at one path; 0 is nothing that an enumeration sees.
func (w *walker) kind(path string) (tree.Kind, error) {
	if path == tree.Root {
		return tree.Directory, nil
	}
	id, err := w.tree.Stat(path)
	switch {
	case errors.Is(err, tree.ErrAbsent), errors.Is(err, tree.ErrLink):
		return 0, nil
	case err != nil:
		return 0, &ListError{Path: path, Err: err}
	}
	return id.Kind, nil
}

func (w *walker) startFile(path string) error {
	dir, name := tree.Split(path)
	cursor := w.query.Region.At(dir)
	if !cursor.Match([]byte(name)) {
		return nil
	}
	if w.query.Exclude.CoversFile(path) {
		w.summary.Excluded.Files++
		return nil
	}
	_, below := w.query.ignoredAbove(dir)
	return w.file(File{Path: path, cursor: cursor, name: []byte(name)}, below)
}

func (w *walker) startDir(path string) error {
	top := w.level(0)
	top.region, top.exclude = w.query.Region.At(path), w.query.Exclude.At(path)
	if !top.region.Below() {
		return nil
	}
	if outer, ok := w.query.Exclude.Outermost(path); ok {
		w.count(&w.summary.Excluded, outer)
		return nil
	}
	if outer, ok := w.query.ignoredAbove(path); ok {
		w.count(&w.summary.Ignored, outer)
		return nil
	}
	depth := 0
	if path != tree.Root {
		depth = strings.Count(path, "/") + 1
	}
	if depth >= w.query.MaxDepth {
		w.tooDeep(path)
		return nil
	}
	return w.walk(path, depth, 0)
}

// count counts a directory that several starts may lie in.
func (w *walker) count(c *Count, dir string) {
	if w.counted[dir] {
		return
	}
	if w.counted == nil {
		w.counted = map[string]bool{}
	}
	w.counted[dir] = true
	c.Directories++
}

// LeavesOut says whether the directory dir, or one above it, is excluded or ignored, so
// that no enumeration comes there.
func (q Query) LeavesOut(dir string) bool {
	if _, excluded := q.Exclude.Outermost(dir); excluded {
		return true
	}
	_, ignored := q.ignoredAbove(dir)
	return ignored
}

// ignoredAbove returns the outermost ignored directory among dir and those above it.
func (q Query) ignoredAbove(dir string) (string, bool) {
	if q.Ignored == nil || dir == tree.Root {
		return "", false
	}
	for i := range len(dir) {
		if dir[i] == '/' && q.Ignored.Ignored(dir[:i], true) {
			return dir[:i], true
		}
	}
	return dir, q.Ignored.Ignored(dir, true)
}
