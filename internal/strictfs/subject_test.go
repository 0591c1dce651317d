package strictfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// subject is a tree in a temporary directory, with other hands on it by os.
type subject struct {
	t    *testing.T
	dir  string
	root *Root
}

func newSubject(t *testing.T) subject {
	t.Helper()
	dir := t.TempDir()
	root, err := Open(dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	return subject{t, dir, root}
}

func (s subject) Tree() tree.Tree { return s.root }

func (s subject) at(path string) string { return s.dir + "/" + path }

func (s subject) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s subject) File(path, data string, mode uint32) {
	s.t.Helper()
	s.parents(path)
	s.must(os.WriteFile(s.at(path), []byte(data), 0o600))
	s.must(os.Chmod(s.at(path), fs.FileMode(mode)))
}

func (s subject) Dir(path string) {
	s.t.Helper()
	s.must(os.MkdirAll(s.at(path), 0o755))
}

func (s subject) Link(path, target string) {
	s.t.Helper()
	s.parents(path)
	s.must(os.Symlink(target, s.at(path)))
}

func (s subject) FIFO(path string) {
	s.t.Helper()
	s.parents(path)
	s.must(unix.Mkfifo(s.at(path), 0o644))
}

func (s subject) parents(path string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.at(path)), 0o755))
}

// Hide mounts something there or, where that isn't permitted, takes the permission to
// look at what is in the parent, which hides nothing from root.
func (s subject) Hide(path string) bool {
	s.t.Helper()
	if err := unix.Mount("none", s.at(path), "tmpfs", 0, "size=64k"); err == nil {
		s.t.Cleanup(func() { s.must(unix.Unmount(s.at(path), unix.MNT_DETACH)) })
		return true
	}
	s.restrict(filepath.Dir(path), 0o444)
	return os.Geteuid() != 0
}

func (s subject) Find(path string) (tree.Kind, string, bool) {
	s.t.Helper()
	info, err := os.Lstat(s.at(path))
	if err != nil {
		return 0, "", false
	}
	switch {
	case info.Mode().IsRegular():
		data, err := os.ReadFile(s.at(path))
		s.must(err)
		return tree.Regular, string(data), true
	case info.IsDir():
		return tree.Directory, "", true
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := os.Readlink(s.at(path))
		s.must(err)
		return tree.Link, target, true
	}
	return tree.Other, "", true
}
