package treetest

import (
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func syncChecks() []check {
	return []check{
		{"Sync of many files and directories keeps everything as it is", func(t *testing.T, s Subject) {
			var files []string
			for i := range 300 {
				files = append(files, fmt.Sprintf("d%d/f%d", i%7, i))
				s.File(files[i], "x", 0o644)
			}
			dirs := []string{".", "d0", "d1", "d2", "d3", "d4", "d5", "d6"}
			before := stat(t, s, files[13])
			if err := s.Tree().Sync(files, dirs); err != nil {
				t.Errorf("sync: %v", err)
			}
			if after := stat(t, s, files[13]); after != before {
				t.Errorf("identity = %+v, want %+v", after, before)
			}
		}},
		{"Sync skips what is gone", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			if err := s.Tree().Sync([]string{"gone", "f", "gone/g"}, []string{"away", "d", "away/e"}); err != nil {
				t.Errorf("sync: %v", err)
			}
		}},
		{"Sync of nothing is nothing", func(t *testing.T, s Subject) {
			if err := s.Tree().Sync(nil, nil); err != nil {
				t.Errorf("sync: %v", err)
			}
		}},
		{"Sync follows no link and takes no FIFO for a file", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			s.FIFO("p")
			s.Link("lf", "f")
			s.Link("ld", "d")
			wantError(t, "link to a file", s.Tree().Sync([]string{"lf"}, nil), tree.ErrLink)
			wantError(t, "link to a directory", s.Tree().Sync(nil, []string{"ld"}), tree.ErrLink)
			wantError(t, "FIFO", s.Tree().Sync([]string{"p"}, nil), tree.ErrNotRegular)
			wantError(t, "directory", s.Tree().Sync([]string{"d"}, nil), tree.ErrNotRegular)
		}},
	}
}
