package treetest

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func readChecks() []check {
	return []check{
		{"ReadFile returns the bytes and the identity", func(t *testing.T, s Subject) {
			for path, data := range map[string]string{"empty": "", "small": "x\x00\xff\n", "large": strings.Repeat("0123456789", 100_000)} {
				s.File(path, data, 0o644)
				got, id, err := s.Tree().ReadFile(path, int64(len(data)), nil)
				if err != nil || string(got) != data || id.Size != int64(len(data)) || id.Kind != tree.Regular {
					t.Errorf("read %q: %d bytes, %+v, %v; want %d bytes as planted", path, len(got), id, err, len(data))
				}
			}
		}},
		{"ReadFile uses the buffer if its capacity is larger", func(t *testing.T, s Subject) {
			s.File("f", "12345", 0o644)
			for capacity, wantShared := range map[int]bool{0: false, 4: false, 5: false, 6: true, 100: true} {
				buf := make([]byte, 0, capacity)
				got, _, err := s.Tree().ReadFile("f", 100, buf)
				if err != nil || string(got) != "12345" {
					t.Fatalf("read = %q, %v", got, err)
				}
				if shared := capacity > 0 && &got[0] == &buf[:1][0]; shared != wantShared {
					t.Errorf("capacity %d: bytes in the buffer %v, want %v", capacity, shared, wantShared)
				}
			}
		}},
		{"ReadFile replaces what the buffer holds", func(t *testing.T, s Subject) {
			s.File("f", "new", 0o644)
			got, _, err := s.Tree().ReadFile("f", 100, []byte("something old and longer"))
			if err != nil || string(got) != "new" {
				t.Errorf("read = %q, %v, want %q", got, err, "new")
			}
		}},
		{"a file of the limit is read, one byte more is ErrTooLarge", func(t *testing.T, s Subject) {
			s.File("f", "12345", 0o644)
			s.File("empty", "", 0o644)
			for limit, want := range map[int64]error{5: nil, 6: nil, 4: tree.ErrTooLarge, 0: tree.ErrTooLarge} {
				_, _, err := s.Tree().ReadFile("f", limit, nil)
				wantError(t, "five bytes", err, want)
			}
			_, _, err := s.Tree().ReadFile("empty", 0, nil)
			wantError(t, "no bytes", err, nil)
		}},
		{"ReadFile of a link is ErrLink, wherever it points", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			for path, target := range map[string]string{"l": "f", "dir": "d", "dangling": "nowhere", "self": "self", "d/up": "../f"} {
				s.Link(path, target)
				_, _, err := s.Tree().ReadFile(path, 100, nil)
				wantError(t, path, err, tree.ErrLink)
			}
		}},
		{"ReadFile of a directory or FIFO is ErrNotRegular and never blocks", func(t *testing.T, s Subject) {
			s.Dir("d")
			s.FIFO("p")
			for _, path := range []string{"d", "p"} {
				_, _, err := s.Tree().ReadFile(path, 100, nil)
				wantError(t, path, err, tree.ErrNotRegular)
			}
		}},
		{"ReadFile of what is absent is ErrAbsent", func(t *testing.T, s Subject) {
			s.Dir("d")
			_, _, err := s.Tree().ReadFile("d/f", 100, nil)
			wantError(t, "absent", err, tree.ErrAbsent)
		}},
	}
}
