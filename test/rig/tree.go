package rig

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Entry is what a directory tree holds at a path.
type Entry struct {
	Mode fs.FileMode // type and permissions
	UID  uint32
	GID  uint32
	Data string // content of a file, target of a link
}

func (e Entry) String() string {
	data := e.Data
	if len(data) > 60 {
		data = fmt.Sprintf("%.40s… (%d bytes)", data, len(data))
	}
	return fmt.Sprintf("%s %d:%d %q", e.Mode, e.UID, e.GID, data)
}

// Tree is everything below a directory, by path; the directory itself is ".".
type Tree map[string]Entry

// Look reads a tree. It follows no link and opens nothing but regular files.
func Look(tb testing.TB, dir string) Tree {
	tb.Helper()
	t, err := look(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func look(dir string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := Entry{Mode: info.Mode()}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			e.UID, e.GID = st.Uid, st.Gid
		}
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			e.Data = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if e.Data, err = os.Readlink(path); err != nil {
				return err
			}
		}
		t[rel] = e
		return nil
	})
	return t, err
}

// Files are the contents of the regular files.
func (t Tree) Files() map[string]string {
	files := map[string]string{}
	for path, e := range t {
		if e.Mode.IsRegular() {
			files[path] = e.Data
		}
	}
	return files
}

// Diff says in what two trees differ, "" in nothing.
func Diff(got, want Tree) string {
	var out strings.Builder
	paths := slices.Sorted(maps.Keys(got))
	for path := range want {
		if _, ok := got[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		g, there := got[path]
		w, wanted := want[path]
		switch {
		case !there:
			fmt.Fprintf(&out, "%q is missing, want %s\n", path, w)
		case !wanted:
			fmt.Fprintf(&out, "%q is there: %s\n", path, g)
		case g != w:
			fmt.Fprintf(&out, "%q is %s\n\twant %s\n", path, g, w)
		}
	}
	return out.String()
}

// Make makes a tree: directories, regular files and links, with their modes, and owners
// where they aren't root's. Parents that aren't listed are made, too.
func Make(tb testing.TB, dir string, t Tree) {
	tb.Helper()
	for _, path := range slices.Sorted(maps.Keys(t)) {
		if err := makeEntry(filepath.Join(dir, path), t[path]); err != nil {
			tb.Fatal(err)
		}
	}
	for path, e := range t { // when all are there: a directory may be read-only
		if e.Mode.IsDir() {
			if err := os.Chmod(filepath.Join(dir, path), e.Mode.Perm()); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

func makeEntry(path string, e Entry) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch {
	case e.Mode.IsDir():
		return os.MkdirAll(path, 0o755)
	case e.Mode&fs.ModeSymlink != 0:
		return os.Symlink(e.Data, path)
	}
	perm := e.Mode.Perm()
	if perm == 0 {
		perm = 0o644
	}
	if err := os.WriteFile(path, []byte(e.Data), 0o600); err != nil {
		return err
	}
	if e.UID != 0 || e.GID != 0 {
		if err := os.Chown(path, int(e.UID), int(e.GID)); err != nil {
			return err
		}
	}
	return os.Chmod(path, perm)
}

// File is a regular file with mode 0644.
func File(data string) Entry { return Entry{Mode: 0o644, Data: data} }

// Link is a symbolic link.
func Link(target string) Entry { return Entry{Mode: fs.ModeSymlink, Data: target} }

// Dir is a directory with mode 0755.
func Dir() Entry { return Entry{Mode: fs.ModeDir | 0o755} }

// Temporaries are the paths of what fettle must never leave in a tree.
func (t Tree) Temporaries() []string {
	var found []string
	for path := range t {
		if strings.HasPrefix(filepath.Base(path), ".fettle-") {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}
