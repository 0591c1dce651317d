package treetest

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func statChecks() []check {
	return []check{
		{"Stat tells each kind, a link in last position too", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			s.Link("l", "f")
			s.Link("dangling", "nowhere")
			s.Link("d/up", "..")
			s.FIFO("p")
			for path, want := range map[string]tree.Kind{
				"f": tree.Regular, "d": tree.Directory, "l": tree.Link, "dangling": tree.Link,
				"d/up": tree.Link, "p": tree.Other, ".": tree.Directory,
			} {
				if got := stat(t, s, path).Kind; got != want {
					t.Errorf("kind of %q = %d, want %d", path, got, want)
				}
			}
		}},
		{"Stat of what is absent is ErrAbsent", func(t *testing.T, s Subject) {
			s.Dir("d")
			for _, path := range []string{"f", "d/f"} {
				_, err := s.Tree().Stat(path)
				wantError(t, path, err, tree.ErrAbsent)
			}
		}},
		{"Stat tells size and permission bits", func(t *testing.T, s Subject) {
			for path, mode := range map[string]uint32{"a": 0o644, "b": 0o755, "c": 0o600, "d": 0o666} {
				s.File(path, "12345", mode)
				id := stat(t, s, path)
				if id.Size != 5 || id.Mode != mode || id.Nlink != 1 {
					t.Errorf("identity of %q = %+v, want size 5, mode %o, one name", path, id, mode)
				}
			}
		}},
		{"Stat, ReadFile and Revisit tell one identity of a file", func(t *testing.T, s Subject) {
			s.File("d/f", "x", 0o640)
			want := stat(t, s, "d/f")
			if want.Dev == 0 || want.Ino == 0 || want.Mtime == 0 || want.Ctime == 0 {
				t.Errorf("identity = %+v, want every part set", want)
			}
			_, read, err := s.Tree().ReadFile("d/f", 10, nil)
			if err != nil || read != want {
				t.Errorf("identity read = %+v, %v, want %+v", read, err, want)
			}
			if got := revisit(t, s, "d/f")[0]; got.id != want || got.err != nil {
				t.Errorf("identity revisited = %+v, want %+v", got, want)
			}
		}},
		{"Stat, StatDir and Revisit tell one identity of a directory", func(t *testing.T, s Subject) {
			s.File("d/e/f", "x", 0o644)
			for _, dir := range []string{".", "d", "d/e"} {
				want := stat(t, s, dir)
				got, err := s.Tree().StatDir(dir)
				if err != nil || got != want || want.Kind != tree.Directory {
					t.Errorf("identity of directory %q = %+v, %v, want %+v", dir, got, err, want)
				}
				if got := revisit(t, s, dir)[0]; got.id != want || got.err != nil {
					t.Errorf("identity of %q revisited = %+v, want %+v", dir, got, want)
				}
			}
		}},
		{"StatDir of a link is ErrLink, of anything else no directory", func(t *testing.T, s Subject) {
			plantNoDirectories(s)
			wantNoDirectories(t, func(path string) error {
				_, err := s.Tree().StatDir(path)
				return err
			})
		}},
		{"every change gives a new identity", func(t *testing.T, s Subject) {
			s.File("f", "one", 0o644)
			s.File("g", "two", 0o644)
			s.Dir("d")
			seen := map[tree.Identity]string{stat(t, s, "f"): "nothing"}
			change := func(what, path string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				id := stat(t, s, path)
				if before, old := seen[id]; old {
					t.Errorf("identity after %s = %+v, which it had after %s", what, id, before)
				}
				seen[id] = what
			}
			s.File("f", "uno", 0o644)
			change("a rewrite of the same size", "f", nil)
			_, err := s.Tree().SetAttr("f", tree.Attr{Mode: 0o600})
			change("another mode", "f", err)
			_, err = s.Tree().SetAttr("f", tree.Attr{Mode: 0o644})
			change("the old mode", "f", err)
			change("a move away", "d/f", s.Tree().Rename("f", "d/f"))
			change("a move back", "f", s.Tree().Rename("d/f", "f"))
			change("an exchange", "f", s.Tree().Exchange("f", "g"))
			change("an exchange back", "f", s.Tree().Exchange("f", "g"))
		}},
		{"a change of entries gives a directory a new identity", func(t *testing.T, s Subject) {
			s.File("d/f", "x", 0o644)
			seen := map[tree.Identity]string{stat(t, s, "d"): "nothing"}
			change := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				id := stat(t, s, "d")
				if before, old := seen[id]; old {
					t.Errorf("identity after %s = %+v, which it had after %s", what, id, before)
				}
				seen[id] = what
			}
			_, _, err := s.Tree().WriteNew("d/g", nil, tree.Attr{Mode: 0o644})
			change("a new file", err)
			change("a rename", s.Tree().Rename("d/g", "d/h"))
			change("an exchange", s.Tree().Exchange("d/h", "d/f"))
			change("a removal", s.Tree().Remove("d/h"))
			change("a new directory", s.Tree().Mkdir("d/e"))
			change("a removed directory", s.Tree().RemoveDir("d/e"))
		}},
	}
}

func plantNoDirectories(s Subject) {
	s.File("f", "x", 0o644)
	s.FIFO("p")
	s.Dir("d")
	s.Link("l", "d")
	s.Link("dangling", "nowhere")
}

func wantNoDirectories(t *testing.T, call func(path string) error) {
	t.Helper()
	wantError(t, "link", call("l"), tree.ErrLink)
	wantError(t, "dangling link", call("dangling"), tree.ErrLink)
	wantError(t, "absent", call("absent"), tree.ErrAbsent)
	for _, path := range []string{"f", "p"} {
		wantError(t, path, call(path), tree.ErrNotDirectory)
		wantError(t, path, call(path), tree.ErrAbsent)
	}
}
