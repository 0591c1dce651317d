package strictfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// wantDenied fails the test unless err says that permission is denied, and nothing that
// callers decide by.
func wantDenied(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%s: error = %v, want permission denied", what, err)
	}
	for _, not := range []error{tree.ErrUnlookable, tree.ErrAbsent, tree.ErrLink, tree.ErrNotRegular} {
		if errors.Is(err, not) {
			t.Errorf("%s: error = %v, which is %v", what, err, not)
		}
	}
}

func TestPermissionsWithoutPrivileges(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), true)
		return
	}
	if os.Geteuid() == 0 {
		t.Fatal("the child has privileges")
	}
	for _, tc := range []struct {
		name string
		run  func(t *testing.T, s subject)
	}{
		{"a file that may not be read can be looked at", func(t *testing.T, s subject) {
			s.File("f", "x", 0)
			_, _, err := s.root.ReadFile("f", 10, nil)
			wantDenied(t, "read", err)
			if id, err := s.root.Stat("f"); err != nil || id.Mode != 0 {
				t.Errorf("stat = %+v, %v", id, err)
			}
			if err := revisitErr(s.root, "f"); err != nil {
				t.Errorf("revisit: %v", err)
			}
		}},
		{"a directory that may not be listed can be gone through", func(t *testing.T, s subject) {
			s.File("d/f", "x", 0o644)
			s.restrict("d", 0o311)
			wantDenied(t, "list", s.root.ReadDir("d", func([]byte, tree.Kind) bool { return true }))
			if _, err := s.root.StatDir("d"); err != nil {
				t.Errorf("stat directory: %v", err)
			}
			if data, _, err := s.root.ReadFile("d/f", 10, nil); err != nil || string(data) != "x" {
				t.Errorf("read = %q, %v", data, err)
			}
			if err := s.root.Sync([]string{"d/f"}, []string{"d"}); err != nil {
				t.Errorf("sync: %v", err)
			}
		}},
		{"a directory that may not be gone through hides what is in it", func(t *testing.T, s subject) {
			s.File("d/e/f", "x", 0o644)
			s.restrict("d", 0o644)
			for _, path := range []string{"d/e", "d/e/f", "d/no"} {
				_, errStat := s.root.Stat(path)
				_, _, errRead := s.root.ReadFile(path, 10, nil)
				for what, err := range map[string]error{
					"stat": errStat, "read": errRead, "revisit": revisitErr(s.root, path),
					"remove": s.root.Remove(path), "mkdir": s.root.Mkdir(path), "rename": s.root.Rename(path, "z"),
					"exchange": s.root.Exchange("d", path),
				} {
					if !errors.Is(err, tree.ErrUnlookable) || !strings.Contains(err.Error(), "permission denied") {
						t.Errorf("%s %q: error = %v, want %v, and why", what, path, err, tree.ErrUnlookable)
					}
				}
			}
		}},
		{"a directory that may not be written to stays as it is", func(t *testing.T, s subject) {
			s.File("d/f", "x", 0o644)
			s.Dir("d/e")
			s.File("g", "y", 0o644)
			s.restrict("d", 0o555)
			before := contents(t, s.dir)
			_, _, err := s.root.WriteNew("d/n", nil, tree.Attr{})
			wantDenied(t, "write", err)
			wantDenied(t, "remove", s.root.Remove("d/f"))
			wantDenied(t, "remove directory", s.root.RemoveDir("d/e"))
			wantDenied(t, "mkdir", s.root.Mkdir("d/n"))
			wantDenied(t, "rename in", s.root.Rename("g", "d/n"))
			wantDenied(t, "rename out", s.root.Rename("d/f", "n"))
			wantDenied(t, "exchange", s.root.Exchange("d/f", "g"))
			wantSame(t, contents(t, s.dir), before)
		}},
		{"a file that may not be written can be replaced and made durable", func(t *testing.T, s subject) {
			s.File("f", "old", 0o400)
			_, _, err := s.root.WriteNew("tmp", []byte("new"), tree.Attr{Mode: 0o400})
			err = errors.Join(err, s.root.Exchange("tmp", "f"), s.root.Remove("tmp"), s.root.Sync([]string{"f"}, []string{"."}))
			if err != nil {
				t.Error(err)
			}
			if _, data, _ := s.Find("f"); data != "new" {
				t.Errorf("at f: %q, want %q", data, "new")
			}
		}},
		{"a file that may not be read is made durable with its file system", func(t *testing.T, s subject) {
			s.File("f", "x", 0o200)
			if err := s.root.Sync([]string{"f"}, nil); err != nil {
				t.Errorf("sync: %v", err)
			}
		}},
		{"a group that one is in is kept where the user can't be", func(t *testing.T, s subject) {
			groups, err := os.Getgroups()
			s.must(err)
			for _, group := range groups {
				attr := tree.Attr{Mode: 0o600, UID: 4321, GID: uint32(group), KeepOwner: true}
				id, kept, err := s.root.WriteNew("f", nil, attr)
				if err != nil || kept || id.GID != attr.GID || id.UID != uint32(os.Geteuid()) {
					t.Errorf("write: owner %d:%d, kept %v, %v; want group %d", id.UID, id.GID, kept, err, group)
				}
				s.must(s.root.Remove("f"))
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, newSubject(t)) })
	}
}

// restrict gives a directory a mode until the test ends.
func (s subject) restrict(dir string, mode fs.FileMode) {
	s.t.Helper()
	s.must(os.Chmod(s.at(dir), mode))
	s.t.Cleanup(func() { s.must(os.Chmod(s.at(dir), 0o755)) })
}

func wantSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path := range want {
		if got[path] != want[path] {
			t.Errorf("at %q: %q, want %q", path, got[path], want[path])
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("at %q: %q, want nothing", path, got[path])
		}
	}
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), false)
		return
	}
	for _, umask := range []int{0, 0o022, 0o077, 0o777} {
		s := newSubject(t)
		unix.Umask(umask)
		for _, mode := range []uint32{0o666, 0o755, 0o600} {
			id, _, err := s.root.WriteNew("f", nil, tree.Attr{Mode: mode})
			if err != nil || id.Mode != mode {
				t.Errorf("umask %o: mode = %o, %v; want %o", umask, id.Mode, err, mode)
			}
			s.must(s.root.Remove("f"))
		}
		unix.Umask(0o022)
	}
}

func TestNewFilesDropSetuidBits(t *testing.T) {
	s := newSubject(t)
	id, _, err := s.root.WriteNew("f", []byte("x"), tree.Attr{Mode: 0o4755})
	if err != nil || id.Mode != 0o755 {
		t.Fatalf("write: mode %o, %v", id.Mode, err)
	}
	info, err := os.Lstat(s.at("f"))
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("mode = %v, %v; want 0755", info.Mode(), err)
	}
}
