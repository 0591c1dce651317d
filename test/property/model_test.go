package property

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/report"
)

// file is a file of the workspace.
type file struct {
	data   string
	mode   fs.FileMode
	origin string // the acquisition path that it descends from, or ""
	disk   string // where it is on disk, or ""
}

// stored is what the disk holds of the workspace's at a path.
type stored struct {
	data string
	mode fs.FileMode
}

// model is a workspace over a disk, as simple as can be (runtime spec §2): what the real
// one must come to.
type model struct {
	acquired map[string]string
	files    map[string]file
	disk     map[string]stored
	pending  map[string]string // disk paths to be deleted, with the last workspace path
}

func newModel(start map[string]stored) *model {
	m := &model{acquired: map[string]string{}, files: map[string]file{}, disk: maps.Clone(start), pending: map[string]string{}}
	for path, s := range start {
		m.acquired[path] = s.data
		m.files[path] = file{data: s.data, mode: s.mode, origin: path, disk: path}
	}
	return m
}

func (m *model) paths() []string { return slices.Sorted(maps.Keys(m.files)) }

// free says whether a file may come to a path: nothing of the workspace is there, and
// what of the run's own is on disk there is about to go.
func (m *model) free(path string) bool {
	_, taken := m.files[path]
	return !taken
}

// absent says that nothing of the run's is at a path, in memory and on disk.
func (m *model) absent(path string) bool {
	_, onDisk := m.disk[path]
	return m.free(path) && !onDisk
}

func (m *model) add(path, data string) {
	m.files[path] = m.settle(path, file{data: data, mode: 0o644})
}

// settle has a file that isn't on disk take over the slot of one that is to go there
// (spec §2.4).
func (m *model) settle(path string, f file) file {
	if _, going := m.pending[path]; going && f.disk == "" {
		f.disk, f.mode = path, m.disk[path].mode
		delete(m.pending, path)
	}
	return f
}

func (m *model) update(path, data string) {
	f := m.files[path]
	f.data = data
	m.files[path] = f
}

func (m *model) remove(path string) {
	if disk := m.files[path].disk; disk != "" {
		m.pending[disk] = path
	}
	delete(m.files, path)
}

func (m *model) move(from, to string) {
	f := m.files[from]
	delete(m.files, from)
	m.files[to] = m.settle(to, f)
}

// save is a full write.
func (m *model) save() {
	m.disk, m.pending = map[string]stored{}, map[string]string{}
	for path, f := range m.files {
		f.disk = path
		m.files[path] = f
		m.disk[path] = stored{f.data, f.mode}
	}
}

// simple says whether a write of a path alone is about its content alone.
func (m *model) simple(path string) bool {
	f := m.files[path]
	if f.disk == "" {
		_, occupied := m.disk[path]
		return !occupied
	}
	return f.disk == path
}

// saveOne is a write of a path that is simple, and of deletions that go by its name.
func (m *model) saveOne(path string) {
	f := m.files[path]
	f.disk = path
	m.files[path] = f
	m.disk[path] = stored{f.data, f.mode}
	for disk, last := range m.pending {
		if last == path || disk == path {
			delete(m.pending, disk)
			delete(m.disk, disk)
		}
	}
}

// clean are the files that are on disk as they are in memory: what a tool is given.
func (m *model) clean() []string {
	var list []string
	for _, path := range m.paths() {
		if f := m.files[path]; f.disk == path && m.disk[path].data == f.data {
			list = append(list, path)
		}
	}
	return list
}

// The deeds of tools: the workspace follows the disk.

func (m *model) rewritten(path, data string) {
	m.update(path, data)
	m.disk[path] = stored{data, m.disk[path].mode}
}

func (m *model) removed(path string) {
	delete(m.files, path)
	delete(m.disk, path)
}

func (m *model) created(path, data string, mode fs.FileMode) {
	m.files[path] = file{data: data, mode: mode, disk: path}
	m.disk[path] = stored{data, mode}
}

func (m *model) chmodded(path string, mode fs.FileMode) {
	f := m.files[path]
	f.mode = mode
	m.files[path] = f
	m.disk[path] = stored{f.data, mode}
}

// rows are the change rows (spec §17), without classes.
func (m *model) rows() []report.Change {
	rows, origins := []report.Change{}, map[string]bool{}
	row := func(path, kind, from, before, after string) {
		added, removed := lineCounts(before, after)
		rows = append(rows, report.Change{
			Path: path, Kind: kind, From: from, LinesAdded: added, LinesRemoved: removed,
			BytesBefore: int64(len(before)), BytesAfter: int64(len(after)),
		})
	}
	for path, f := range m.files {
		origins[f.origin] = true
		before := m.acquired[f.origin]
		switch {
		case f.origin == "":
			row(path, "added", "", "", f.data)
		case f.origin != path:
			row(path, "renamed", f.origin, before, f.data)
		case f.data != before:
			row(path, "modified", "", before, f.data)
		}
	}
	for path, data := range m.acquired {
		if _, there := m.files[path]; !there && !origins[path] {
			row(path, "deleted", "", data, "")
		}
	}
	slices.SortFunc(rows, func(a, b report.Change) int { return strings.Compare(a.Path, b.Path) })
	return rows
}

// lineCounts are the lines of a minimal line diff, counted the long way.
func lineCounts(before, after string) (added, removed int) {
	const bom = "\uFEFF" // belongs to no line
	a, b := lines(strings.TrimPrefix(before, bom)), lines(strings.TrimPrefix(after, bom))
	common := make([]int, len(b)+1) // of what precedes a line of a, and each beginning of b
	for _, line := range a {
		diagonal := 0
		for j := range b {
			above := common[j+1]
			if line == b[j] {
				common[j+1] = diagonal + 1
			} else {
				common[j+1] = max(above, common[j])
			}
			diagonal = above
		}
	}
	return len(b) - common[len(b)], len(a) - common[len(b)]
}

// lines are the lines of a text with their ends: LF, CRLF or a lone CR (spec §3.3).
func lines(text string) []string {
	var list []string
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			list = append(list, text[start:i+1])
			start = i + 1
		}
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}
