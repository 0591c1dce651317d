package treetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

// visited is what Revisit said of one path.
type visited struct {
	id  tree.Identity
	err error
}

// revisit is Revisit of all paths, which must be visited in order.
func revisit(t *testing.T, s Subject, paths ...string) []visited {
	t.Helper()
	var got []visited
	err := s.Tree().Revisit(context.Background(), paths, func(i int, id tree.Identity, err error) bool {
		if i != len(got) {
			t.Errorf("visited path %d, want %d", i, len(got))
		}
		got = append(got, visited{id, err})
		return true
	})
	if err != nil || len(got) != len(paths) {
		t.Fatalf("revisited %d of %d paths, %v", len(got), len(paths), err)
	}
	return got
}

func revisitChecks() []check {
	return []check{
		{"Revisit answers what Stat would", func(t *testing.T, s Subject) {
			s.File("a/b/c/f", "x", 0o644)
			s.File("a/b.c", "x", 0o644)
			s.File("a/b-d/f", "x", 0o644)
			s.File("a-b", "x", 0o644)
			s.File("z", "x", 0o644)
			s.FIFO("a/p")
			s.Link("a/b/l", "c")
			s.Link("l", "a")
			s.Dir("empty")
			paths := []string{
				".", "a", "a/b", "a/b/c", "a/b/c/f", "a/b/c/no", "a/b/c/f/x", "a/b/c/f/x/y", "a/b/l", "a/b/l/f",
				"a/b/l/f/g", "a/b/no", "a/b/no/f", "a/b/no/f/g", "a/b.c", "a/b-d", "a/b-d/f", "a/b-e/f", "a-b", "a-b/x",
				"a/p", "a/p/x", "empty", "empty/f", "l", "l/b", "l/b/c/f", "no", "no/f", "z", "z/f/g/h", "a/b/c/f2",
			}
			slices.Sort(paths)
			for i, got := range revisit(t, s, paths...) {
				want, wantErr := s.Tree().Stat(paths[i])
				if got.id != want {
					t.Errorf("revisited %q = %+v, want %+v", paths[i], got.id, want)
				}
				for _, decision := range []error{nil, tree.ErrAbsent, tree.ErrLink, tree.ErrUnlookable} {
					if errors.Is(got.err, decision) != errors.Is(wantErr, decision) {
						t.Errorf("revisited %q: error = %v, want %v", paths[i], got.err, wantErr)
					}
				}
			}
		}},
		{"Revisit of one path and of no path works", func(t *testing.T, s Subject) {
			s.File("a/b/f", "x", 0o644)
			if got := revisit(t, s, "a/b/f")[0]; got.err != nil || got.id.Kind != tree.Regular {
				t.Errorf("revisited = %+v", got)
			}
			revisit(t, s)
		}},
		{"Revisit finds a parent that became a link", func(t *testing.T, s Subject) {
			s.File("real/d/f", "x", 0o644)
			s.Dir("a")
			s.Link("a/d", "../real/d")
			if got := revisit(t, s, "a/d/f", "a/d/g"); !errors.Is(got[0].err, tree.ErrLink) || !errors.Is(got[1].err, tree.ErrLink) {
				t.Errorf("revisited = %+v, want ErrLink twice", got)
			}
		}},
		{"Revisit stops when visit says so", func(t *testing.T, s Subject) {
			calls := 0
			err := s.Tree().Revisit(context.Background(), []string{"a", "b", "c"}, func(int, tree.Identity, error) bool {
				calls++
				return calls < 2
			})
			if err != nil || calls != 2 {
				t.Errorf("visited %d paths, %v; want 2 and no error", calls, err)
			}
		}},
		{"Revisit ends with its context", func(t *testing.T, s Subject) {
			var paths []string
			for i := range 5000 {
				paths = append(paths, fmt.Sprintf("%04d", i))
			}
			ctx, cancel := context.WithCancel(context.Background())
			calls := 0
			err := s.Tree().Revisit(ctx, paths, func(i int, _ tree.Identity, _ error) bool {
				calls++
				if i == 10 {
					cancel()
				}
				return true
			})
			cancel()
			if !errors.Is(err, context.Canceled) || calls == len(paths) {
				t.Errorf("visited %d of %d paths, %v; want fewer and %v", calls, len(paths), err, context.Canceled)
			}
		}},
		{"Revisit of paths that aren't sorted is ErrInvalid at once", func(t *testing.T, s Subject) {
			err := s.Tree().Revisit(context.Background(), []string{"b", "a"}, func(int, tree.Identity, error) bool {
				t.Error("visited a path")
				return true
			})
			wantError(t, "revisit", err, tree.ErrInvalid)
		}},
	}
}
