package treetest

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func moveChecks() []check {
	return []check{
		{"Exchange swaps two files", func(t *testing.T, s Subject) {
			s.File("d/a", "A", 0o600)
			s.File("e/b", "B", 0o755)
			a, b := stat(t, s, "d/a"), stat(t, s, "e/b")
			if err := s.Tree().Exchange("d/a", "e/b"); err != nil {
				t.Fatal(err)
			}
			wantFile(t, s, "d/a", "B")
			wantFile(t, s, "e/b", "A")
			if got := stat(t, s, "d/a"); got.Ino != b.Ino || got.Mode != b.Mode {
				t.Errorf("identity = %+v, want inode and mode of %+v", got, b)
			}
			if got := stat(t, s, "e/b"); got.Ino != a.Ino || got.Mode != a.Mode {
				t.Errorf("identity = %+v, want inode and mode of %+v", got, a)
			}
		}},
		{"Exchange acts on links, not through them", func(t *testing.T, s Subject) {
			s.File("f", "F", 0o644)
			s.File("g", "G", 0o644)
			s.Link("l", "g")
			if err := s.Tree().Exchange("f", "l"); err != nil {
				t.Fatal(err)
			}
			wantLink(t, s, "f", "g")
			wantFile(t, s, "l", "F")
			wantFile(t, s, "g", "G")
		}},
		{"Exchange with what is absent is ErrAbsent and leaves the other", func(t *testing.T, s Subject) {
			s.File("f", "F", 0o644)
			wantError(t, "second", s.Tree().Exchange("f", "absent"), tree.ErrAbsent)
			wantError(t, "first", s.Tree().Exchange("absent", "f"), tree.ErrAbsent)
			wantFile(t, s, "f", "F")
			wantAbsent(t, s, "absent")
		}},
		{"Rename moves a file with its identity", func(t *testing.T, s Subject) {
			s.File("d/a", "A", 0o600)
			s.Dir("e")
			before := stat(t, s, "d/a")
			if err := s.Tree().Rename("d/a", "e/b"); err != nil {
				t.Fatal(err)
			}
			wantAbsent(t, s, "d/a")
			wantFile(t, s, "e/b", "A")
			if got := stat(t, s, "e/b"); got.Ino != before.Ino || got.Mode != before.Mode || got.Mtime != before.Mtime {
				t.Errorf("identity = %+v, want inode, mode and mtime of %+v", got, before)
			}
		}},
		{"Rename moves a directory with all below", func(t *testing.T, s Subject) {
			s.File("a/b/f", "F", 0o644)
			if err := s.Tree().Rename("a", "z"); err != nil {
				t.Fatal(err)
			}
			wantFile(t, s, "z/b/f", "F")
			wantAbsent(t, s, "a")
		}},
		{"Rename onto anything that is there is ErrExists and leaves both", func(t *testing.T, s Subject) {
			s.File("from", "A", 0o644)
			s.File("f", "old", 0o644)
			s.Dir("d")
			s.FIFO("p")
			s.Link("l", "f")
			s.Link("dangling", "nowhere")
			for _, to := range []string{"f", "d", "p", "l", "dangling", "from"} {
				wantError(t, to, s.Tree().Rename("from", to), tree.ErrExists)
			}
			wantFile(t, s, "from", "A")
			wantFile(t, s, "f", "old")
			wantLink(t, s, "dangling", "nowhere")
		}},
		{"Rename of what is absent is ErrAbsent", func(t *testing.T, s Subject) {
			wantError(t, "absent", s.Tree().Rename("absent", "to"), tree.ErrAbsent)
			wantAbsent(t, s, "to")
		}},
		{"Rename moves a link, not what it points to", func(t *testing.T, s Subject) {
			s.File("f", "F", 0o644)
			s.Link("l", "f")
			if err := s.Tree().Rename("l", "m"); err != nil {
				t.Fatal(err)
			}
			wantLink(t, s, "m", "f")
			wantFile(t, s, "f", "F")
		}},
		{"a directory can't be moved below itself", func(t *testing.T, s Subject) {
			s.File("a/f", "F", 0o644)
			s.File("a/b/g", "G", 0o644)
			wantPlainError(t, "rename", s.Tree().Rename("a", "a/c"))
			wantPlainError(t, "exchange", s.Tree().Exchange("a", "a/b"))
			wantFile(t, s, "a/f", "F")
			wantFile(t, s, "a/b/g", "G")
		}},
	}
}
