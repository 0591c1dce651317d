package treetest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

// names lists a directory, which must succeed.
func names(t *testing.T, s Subject, dir string) map[string]tree.Kind {
	t.Helper()
	got := make(map[string]tree.Kind)
	err := s.Tree().ReadDir(dir, func(name []byte, kind tree.Kind) bool {
		if _, twice := got[string(name)]; twice {
			t.Errorf("list %q: %q twice", dir, name)
		}
		got[string(name)] = kind
		return true
	})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	return got
}

func listChecks() []check {
	return []check{
		{"ReadDir visits each entry with its kind, dot entries left out", func(t *testing.T, s Subject) {
			s.File("d/f", "x", 0o644)
			s.File("d/.hidden", "x", 0o644)
			s.File("d/sub/below", "x", 0o644)
			s.Link("d/l", "f")
			s.Link("d/ld", "sub")
			s.Link("d/dangling", "nowhere")
			s.FIFO("d/p")
			want := map[string]tree.Kind{
				"f": tree.Regular, ".hidden": tree.Regular, "sub": tree.Directory, "l": tree.Link,
				"ld": tree.Link, "dangling": tree.Link, "p": tree.Other,
			}
			if got := names(t, s, "d"); !maps.Equal(got, want) {
				t.Errorf("list = %v, want %v", got, want)
			}
			if got := names(t, s, "."); !maps.Equal(got, map[string]tree.Kind{"d": tree.Directory}) {
				t.Errorf("list of the root = %v, want only d", got)
			}
		}},
		{"ReadDir of an empty directory visits nothing", func(t *testing.T, s Subject) {
			s.Dir("d")
			if got := names(t, s, "d"); len(got) != 0 {
				t.Errorf("list = %v, want nothing", got)
			}
		}},
		{"ReadDir visits each of very many entries once, or stops among them", func(t *testing.T, s Subject) {
			want := make(map[string]tree.Kind)
			for i := range 700 {
				name := fmt.Sprintf("%04d-%s", i, strings.Repeat("n", 200))
				s.File("d/"+name, "", 0o644)
				want[name] = tree.Regular
			}
			if got := names(t, s, "d"); !maps.Equal(got, want) {
				t.Errorf("list has %d entries, want %d", len(got), len(want))
			}
			calls := 0
			err := s.Tree().ReadDir("d", func([]byte, tree.Kind) bool { calls++; return false })
			if err != nil || calls != 1 {
				t.Errorf("visited %d entries, %v; want one and no error", calls, err)
			}
		}},
		{"ReadDir stops when visit says so", func(t *testing.T, s Subject) {
			for _, name := range []string{"a", "b", "c"} {
				s.File(name, "", 0o644)
			}
			calls := 0
			err := s.Tree().ReadDir(".", func([]byte, tree.Kind) bool { calls++; return calls < 2 })
			if err != nil || calls != 2 {
				t.Errorf("visited %d entries, %v; want 2 and no error", calls, err)
			}
		}},
		{"visit may call other methods", func(t *testing.T, s Subject) {
			s.File("a/b/f", "x", 0o644)
			var found []string
			var walk func(dir, prefix string)
			walk = func(dir, prefix string) {
				err := s.Tree().ReadDir(dir, func(name []byte, kind tree.Kind) bool {
					path := prefix + string(name)
					found = append(found, path)
					if kind == tree.Directory {
						walk(path, path+"/")
						return true
					}
					if data, _, err := s.Tree().ReadFile(path, 10, nil); err != nil || string(data) != "x" {
						t.Errorf("read in visit = %q, %v", data, err)
					}
					return true
				})
				if err != nil {
					t.Errorf("list %q: %v", dir, err)
				}
			}
			walk(".", "")
			if got := strings.Join(found, " "); got != "a a/b a/b/f" {
				t.Errorf("walk found %q", got)
			}
		}},
		{"ReadDir of a link is ErrLink, of anything else no directory", func(t *testing.T, s Subject) {
			plantNoDirectories(s)
			wantNoDirectories(t, func(path string) error { return list(s.Tree(), path) })
		}},
	}
}
