package treetest

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func removeChecks() []check {
	return []check{
		{"Remove removes a file, a link or a FIFO", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.File("kept", "x", 0o644)
			s.File("d/kept", "x", 0o644)
			s.Link("l", "kept")
			s.Link("ld", "d")
			s.FIFO("p")
			for _, path := range []string{"f", "l", "ld", "p"} {
				if err := s.Tree().Remove(path); err != nil {
					t.Errorf("remove: %v", err)
				}
				wantAbsent(t, s, path)
			}
			wantFile(t, s, "kept", "x")
			wantFile(t, s, "d/kept", "x")
		}},
		{"Remove of a directory is ErrNotRegular and leaves it", func(t *testing.T, s Subject) {
			s.Dir("d")
			wantError(t, "directory", s.Tree().Remove("d"), tree.ErrNotRegular)
			if kind, _, ok := s.Find("d"); !ok || kind != tree.Directory {
				t.Error("the directory is gone")
			}
		}},
		{"Remove and RemoveDir of what is absent are ErrAbsent", func(t *testing.T, s Subject) {
			wantError(t, "remove", s.Tree().Remove("absent"), tree.ErrAbsent)
			wantError(t, "remove directory", s.Tree().RemoveDir("absent"), tree.ErrAbsent)
		}},
		{"RemoveDir removes an empty directory", func(t *testing.T, s Subject) {
			s.Dir("d/e")
			if err := s.Tree().RemoveDir("d/e"); err != nil {
				t.Errorf("remove directory: %v", err)
			}
			wantAbsent(t, s, "d/e")
		}},
		{"RemoveDir of a directory with entries is ErrExists and leaves them", func(t *testing.T, s Subject) {
			s.File("d/f", "x", 0o644)
			wantError(t, "remove directory", s.Tree().RemoveDir("d"), tree.ErrExists)
			wantFile(t, s, "d/f", "x")
		}},
		{"RemoveDir of what is no directory is ErrNotDirectory and leaves it", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			s.Link("l", "d")
			for _, path := range []string{"f", "l"} {
				wantError(t, path, s.Tree().RemoveDir(path), tree.ErrNotDirectory)
			}
			wantFile(t, s, "f", "x")
			wantLink(t, s, "l", "d")
		}},
		{"Mkdir makes one directory", func(t *testing.T, s Subject) {
			for _, path := range []string{"d", "d/e"} {
				if err := s.Tree().Mkdir(path); err != nil {
					t.Errorf("make directory: %v", err)
				}
				if kind, _, ok := s.Find(path); !ok || kind != tree.Directory {
					t.Errorf("at %q: there %v, kind %d; want a directory", path, ok, kind)
				}
			}
		}},
		{"Mkdir makes no parents", func(t *testing.T, s Subject) {
			wantError(t, "make directory", s.Tree().Mkdir("a/b"), tree.ErrAbsent)
			wantAbsent(t, s, "a")
		}},
		{"Mkdir onto anything that is there is ErrExists", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			s.Link("l", "d")
			s.Link("dangling", "nowhere")
			for _, path := range []string{"f", "d", "l", "dangling"} {
				wantError(t, path, s.Tree().Mkdir(path), tree.ErrExists)
			}
			wantAbsent(t, s, "nowhere")
		}},
	}
}
