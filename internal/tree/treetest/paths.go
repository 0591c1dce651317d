package treetest

import (
	"context"
	"errors"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

// method is a method of the contract with the path in one position.
type method struct {
	name string
	call func(t tree.Tree, path string) error
	root bool // accepts "." for the root
}

// lookers are the methods that look at a path.
func lookers() []method {
	return []method{
		{"Stat", func(t tree.Tree, p string) error { _, err := t.Stat(p); return err }, true},
		{"ReadFile", func(t tree.Tree, p string) error { _, _, err := t.ReadFile(p, 100, nil); return err }, false},
		{"ReadDir", list, true},
		{"StatDir", func(t tree.Tree, p string) error { _, err := t.StatDir(p); return err }, true},
		{"Revisit", revisitOne, true},
	}
}

// changers are the methods that change a path, or one of two; the other is "other",
// which exists, or "n", which doesn't.
func changers() []method {
	return []method{
		{"WriteNew", func(t tree.Tree, p string) error {
			_, _, err := t.WriteNew(p, []byte("x"), tree.Attr{Mode: 0o644})
			return err
		}, false},
		{"Exchange first", func(t tree.Tree, p string) error { return t.Exchange(p, "other") }, false},
		{"Exchange second", func(t tree.Tree, p string) error { return t.Exchange("other", p) }, false},
		{"Rename from", func(t tree.Tree, p string) error { return t.Rename(p, "n") }, false},
		{"Rename to", func(t tree.Tree, p string) error { return t.Rename("other", p) }, false},
		{"Remove", func(t tree.Tree, p string) error { return t.Remove(p) }, false},
		{"RemoveDir", func(t tree.Tree, p string) error { return t.RemoveDir(p) }, false},
		{"Mkdir", func(t tree.Tree, p string) error { return t.Mkdir(p) }, false},
		{"SetAttr", func(t tree.Tree, p string) error { _, err := t.SetAttr(p, tree.Attr{Mode: 0o600}); return err }, false},
	}
}

// syncers are the positions of Sync, where absence is no error.
func syncers() []method {
	return []method{
		{"Sync files", func(t tree.Tree, p string) error { return t.Sync([]string{p}, nil) }, false},
		{"Sync dirs", func(t tree.Tree, p string) error { return t.Sync(nil, []string{p}) }, true},
	}
}

func list(t tree.Tree, dir string) error {
	return t.ReadDir(dir, func([]byte, tree.Kind) bool { return true })
}

// revisitOne is Revisit of one path, with its error.
func revisitOne(t tree.Tree, path string) error {
	var result error
	err := t.Revisit(context.Background(), []string{path}, func(_ int, _ tree.Identity, err error) bool {
		result = err
		return true
	})
	if err != nil {
		return err
	}
	return result
}

func pathChecks() []check {
	return []check{
		{"a path that is none is ErrInvalid", func(t *testing.T, s Subject) {
			s.File("a/b", "x", 0o644)
			s.File("other", "y", 0o644)
			all := append(append(lookers(), changers()...), syncers()...)
			for _, m := range all {
				for _, path := range []string{"", "/", "/a", "a/", "a//b", "./a", "a/./b", "a/../a/b", "..", "../a", "a\x00", "a/b\x00"} {
					wantError(t, m.name+" "+path, m.call(s.Tree(), path), tree.ErrInvalid)
				}
			}
			wantFile(t, s, "a/b", "x")
			wantFile(t, s, "other", "y")
		}},
		{"the root is named only where a directory is meant", func(t *testing.T, s Subject) {
			s.File("other", "y", 0o644)
			for _, m := range append(append(lookers(), changers()...), syncers()...) {
				var want error
				if !m.root {
					want = tree.ErrInvalid
				}
				wantError(t, m.name, m.call(s.Tree(), tree.Root), want)
			}
		}},
		{"a link in a parent is ErrLink, wherever it points", func(t *testing.T, s Subject) {
			s.File("real/sub/f", "x", 0o644)
			s.File("other", "y", 0o644)
			for name, target := range map[string]string{"in": "real", "dot": ".", "up": "..", "dangling": "nowhere", "self": "self", "abs": "/"} {
				s.Link(name, target)
				s.Link("real/"+name, target)
			}
			for _, m := range append(append(lookers(), changers()...), syncers()...) {
				for _, path := range []string{
					"in/f", "in/sub/f", "dot/other", "up/x", "dangling/f", "self/f", "abs/etc",
					"real/in/f", "real/dot/sub", "real/dangling/f/g",
				} {
					wantError(t, m.name+" "+path, m.call(s.Tree(), path), tree.ErrLink)
				}
			}
			wantFile(t, s, "real/sub/f", "x")
			wantFile(t, s, "other", "y")
			wantAbsent(t, s, "n")
		}},
		{"a parent that is absent or no directory makes a path absent", func(t *testing.T, s Subject) {
			s.File("file", "x", 0o644)
			s.File("other", "y", 0o644)
			s.FIFO("fifo")
			s.Dir("dir")
			for _, m := range append(lookers(), changers()...) {
				for _, path := range []string{"no/f", "no/such/f", "file/f", "file/f/g", "fifo/f", "dir/no/f"} {
					err := m.call(s.Tree(), path)
					wantError(t, m.name+" "+path, err, tree.ErrAbsent)
					if errors.Is(err, tree.ErrNotDirectory) {
						t.Errorf("%s %s: error = %v, which speaks of the last component", m.name, path, err)
					}
				}
			}
			wantFile(t, s, "other", "y")
		}},
		{"what can't be looked at is ErrUnlookable, itself and below", func(t *testing.T, s Subject) {
			s.File("other", "y", 0o644)
			s.File("d/hidden/sub/f", "x", 0o644)
			if !s.Hide("d/hidden") {
				t.Log("this subject can't hide anything from itself")
				return
			}
			for _, m := range append(append(lookers(), changers()...), syncers()...) {
				for _, path := range []string{"d/hidden/f", "d/hidden/sub/f"} {
					wantError(t, m.name+" "+path, m.call(s.Tree(), path), tree.ErrUnlookable)
				}
			}
			for _, m := range lookers() {
				wantError(t, m.name+" d/hidden", m.call(s.Tree(), "d/hidden"), tree.ErrUnlookable)
			}
			wantFile(t, s, "other", "y")
			names := names(t, s, "d")
			if names["hidden"] != tree.Directory {
				t.Errorf("list of the parent = %v, want the hidden directory in it", names)
			}
		}},
		{"names of any bytes but slash and NUL work", func(t *testing.T, s Subject) {
			for _, name := range []string{"a\nb", "\xff\xfe", "\xc3", "a b", `a\b`, "-rf", "ä", "~", "*", "...", ".hidden"} {
				s.File(name+"/"+name, name, 0o644)
				path := name + "/" + name
				data, id, err := s.Tree().ReadFile(path, 100, nil)
				if err != nil || string(data) != name || id.Kind != tree.Regular {
					t.Errorf("read %q = %q, %+v, %v", path, data, id, err)
				}
				if got := names(t, s, name); got[name] != tree.Regular || len(got) != 1 {
					t.Errorf("list %q = %q, want only %q", name, got, name)
				}
				if err := s.Tree().Rename(path, name+"/moved"); err != nil {
					t.Errorf("rename %q: %v", path, err)
				}
				if _, _, err := s.Tree().WriteNew(path, []byte("new"), tree.Attr{Mode: 0o644}); err != nil {
					t.Errorf("write %q: %v", path, err)
				}
				wantFile(t, s, path, "new")
				wantFile(t, s, name+"/moved", name)
			}
		}},
	}
}
