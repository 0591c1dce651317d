package treetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func generalChecks() []check {
	return []check{
		{"errors name the path", func(t *testing.T, s Subject) {
			s.File("other", "x", 0o644)
			for _, m := range append(lookers(), changers()...) {
				err := m.call(s.Tree(), "no/such/name")
				if err == nil || !strings.Contains(err.Error(), "no/such/name") {
					t.Errorf("%s: error = %v, want the path in it", m.name, err)
				}
			}
		}},
		{"all methods are safe for concurrent use", func(t *testing.T, s Subject) {
			s.File("shared/f", "x", 0o644)
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					for j := range 25 {
						if err := useAll(s.Tree(), fmt.Sprintf("d%d-%d", i, j)); err != nil {
							t.Errorf("goroutine %d, round %d: %v", i, j, err)
						}
					}
				})
			}
			wg.Wait()
			if got := names(t, s, "."); len(got) != 1 {
				t.Errorf("left in the tree: %v, want only shared", got)
			}
		}},
		{"an overwrite by temporary, exchange and removal leaves no trace", func(t *testing.T, s Subject) {
			s.File("d/f", "old", 0o644)
			_, _, err := s.Tree().WriteNew("d/.tmp", []byte("new"), tree.Attr{Mode: 0o644})
			err = errors.Join(err, s.Tree().Exchange("d/.tmp", "d/f"), s.Tree().Remove("d/.tmp"))
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, s, "d/f", "new")
			wantAbsent(t, s, "d/.tmp")
		}},
	}
}

// useAll makes the directory dir, uses each method in it and removes it.
func useAll(tr tree.Tree, dir string) error {
	a, b, c := dir+"/a", dir+"/b", dir+"/c"
	attr := tree.Attr{Mode: 0o644}
	errs := []error{tr.Mkdir(dir)}
	for _, path := range []string{a, b} {
		_, _, err := tr.WriteNew(path, []byte(path), attr)
		errs = append(errs, err)
	}
	errs = append(errs, tr.Exchange(a, b), tr.Rename(b, c), tr.Sync([]string{a, c}, []string{dir}))
	data, _, err := tr.ReadFile(c, 100, nil)
	if err == nil && string(data) != a {
		err = fmt.Errorf("read %q, want %q", data, a)
	}
	_, errAttr := tr.SetAttr(a, attr)
	_, errStat := tr.StatDir(dir)
	errs = append(errs, err, errAttr, errStat, list(tr, "shared"), list(tr, dir), revisitOne(tr, c))
	errs = append(errs, tr.Remove(a), tr.Remove(c), tr.RemoveDir(dir))
	return errors.Join(errs...)
}
