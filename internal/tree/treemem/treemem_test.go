package treemem

import (
	"errors"
	"maps"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func mustNew(t *testing.T, entries map[string]Entry) *Tree {
	t.Helper()
	m, err := New(entries)
	if err != nil {
		t.Fatalf("new: %v", err)
	}
	return m
}

func mustStat(t *testing.T, m *Tree, path string) tree.Identity {
	t.Helper()
	id, err := m.Stat(path)
	if err != nil {
		t.Fatalf("stat: %v", err)
	}
	return id
}

func TestEntriesHaveDefaults(t *testing.T) {
	m := mustNew(t, map[string]Entry{
		"d/f": {Data: "x"}, "l": {Target: "d/f"}, "e": {Kind: tree.Directory}, "o": {Data: "y", Mode: 0o755, Owner: "0:7"},
		"p": {Kind: tree.Other},
	})
	want := map[string]Entry{
		"d":   {Kind: tree.Directory, Mode: 0o755, Owner: "1000:1000"},
		"d/f": {Kind: tree.Regular, Data: "x", Mode: 0o644, Owner: "1000:1000"},
		"l":   {Kind: tree.Link, Target: "d/f", Mode: 0o777, Owner: "1000:1000"},
		"e":   {Kind: tree.Directory, Mode: 0o755, Owner: "1000:1000"},
		"o":   {Kind: tree.Regular, Data: "y", Mode: 0o755, Owner: "0:7"},
		"p":   {Kind: tree.Other, Mode: 0o644, Owner: "1000:1000"},
	}
	if got := m.Snapshot(); !maps.Equal(got, want) {
		t.Errorf("snapshot = %v, want %v", got, want)
	}
	again := mustNew(t, m.Snapshot())
	if got := again.Snapshot(); !maps.Equal(got, want) {
		t.Errorf("snapshot of a tree made from a snapshot = %v, want %v", got, want)
	}
	delete(want, "d")
	delete(want, "e")
	if got := m.Files(); !maps.Equal(got, want) {
		t.Errorf("files = %v, want %v", got, want)
	}
}

func TestEntriesThatMakeNoTreeAreRefused(t *testing.T) {
	for path, e := range map[string]Entry{"a/../b": {}, "": {}, "a": {Owner: "root"}, ".": {Data: "x"}} {
		if _, err := New(map[string]Entry{path: e}); err == nil {
			t.Errorf("new with %q: %+v gives no error", path, e)
		}
	}
	if _, err := New(map[string]Entry{"a": {}, "a/b": {}}); err == nil {
		t.Error("new with a file below a file gives no error")
	}
}

func TestEveryChangeGivesANewIdentity(t *testing.T) {
	for name, change := range map[string]func(m *Tree) error{
		"same bytes":   func(m *Tree) error { return m.Write("f", "x") },
		"same size":    func(m *Tree) error { return m.Write("f", "y") },
		"same mode":    func(m *Tree) error { return m.Chmod("f", 0o644) },
		"same owner":   func(m *Tree) error { return m.Chown("f", "1000:1000") },
		"there, back":  func(m *Tree) error { return errors.Join(m.Move("f", "g"), m.Move("g", "f")) },
		"set attr":     func(m *Tree) error { _, err := m.SetAttr("f", tree.Attr{Mode: 0o644}); return err },
		"exchange":     func(m *Tree) error { return errors.Join(m.Write("g", "x"), m.Exchange("f", "g")) },
		"made again":   func(m *Tree) error { return errors.Join(m.Delete("f"), m.Write("f", "x")) },
		"rename, back": func(m *Tree) error { return errors.Join(m.Rename("f", "g"), m.Rename("g", "f")) },
	} {
		m := mustNew(t, Files(map[string]string{"f": "x"}))
		before := mustStat(t, m, "f")
		if err := change(m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after := mustStat(t, m, "f"); after.Ctime <= before.Ctime {
			t.Errorf("%s: identity %+v, want one after %+v", name, after, before)
		}
	}
}

func TestEveryChangeOfADirectoryGivesItANewIdentity(t *testing.T) {
	for name, change := range map[string]func(m *Tree) error{
		"put":    func(m *Tree) error { return m.Write("d/g", "x") },
		"delete": func(m *Tree) error { return m.Delete("d/f") },
		"move":   func(m *Tree) error { return m.Move("d/f", "d/g") },
		"link":   func(m *Tree) error { return m.Put("d/f", Entry{Target: "x"}) },
	} {
		m := mustNew(t, Files(map[string]string{"d/f": "x"}))
		before := mustStat(t, m, "d")
		if err := change(m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after := mustStat(t, m, "d"); after.Mtime <= before.Mtime || after.Ctime <= before.Ctime {
			t.Errorf("%s: identity %+v, want one after %+v", name, after, before)
		}
	}
}

func TestPutInPlaceKeepsInodeModeAndOwner(t *testing.T) {
	m := mustNew(t, map[string]Entry{"f": {Data: "x", Mode: 0o755, Owner: "1:2"}})
	before := mustStat(t, m, "f")
	if err := m.Write("f", "yy"); err != nil {
		t.Fatalf("write: %v", err)
	}
	after := mustStat(t, m, "f")
	if after.Ino != before.Ino || after.Mode != 0o755 || after.UID != 1 || after.GID != 2 || after.Size != 2 {
		t.Errorf("identity = %+v, want inode, mode and owner of %+v and size 2", after, before)
	}
}
