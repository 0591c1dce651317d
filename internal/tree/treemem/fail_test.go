package treemem

import (
	"errors"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

var errDisk = errors.New("input/output error")

func TestAFailingReadFailsNoLookAndHeals(t *testing.T) {
	m := mustNew(t, Files(map[string]string{"f": "x", "g": "x"}))
	m.FailRead("f", errDisk)
	if _, _, err := m.ReadFile("f", 9, nil); !errors.Is(err, errDisk) {
		t.Errorf("read = %v, want %v", err, errDisk)
	}
	if _, err := m.Stat("f"); err != nil {
		t.Errorf("stat = %v, want none", err)
	}
	if _, _, err := m.ReadFile("g", 9, nil); err != nil {
		t.Errorf("read of another = %v, want none", err)
	}
	m.FailRead("f", nil)
	if _, _, err := m.ReadFile("f", 9, nil); err != nil {
		t.Errorf("read after healing = %v, want none", err)
	}
}

func TestAFailingListingFailsWhereItIsTold(t *testing.T) {
	m := mustNew(t, Files(map[string]string{"d/f": "x"}))
	list := func(dir string) error { return m.ReadDir(dir, func([]byte, tree.Kind) bool { return true }) }
	m.FailList("d", errDisk)
	if err := list("d"); !errors.Is(err, errDisk) {
		t.Errorf("list d = %v, want %v", err, errDisk)
	}
	if err := list("."); err != nil {
		t.Errorf("list . = %v, want none", err)
	}
	if _, err := m.StatDir("d"); err != nil {
		t.Errorf("stat d = %v, want none", err)
	}
	m.FailList("d", nil)
	m.FailLists(errDisk)
	if err := list("."); !errors.Is(err, errDisk) {
		t.Errorf("list . = %v, want %v", err, errDisk)
	}
	m.FailLists(nil)
	if err := list("d"); err != nil {
		t.Errorf("list d after healing = %v, want none", err)
	}
}

func TestAFailingOperationDoesNothing(t *testing.T) {
	for name, do := range map[string]func(m *Tree) error{
		OpWrite:     func(m *Tree) error { _, _, err := m.WriteNew("n", nil, tree.Attr{}); return err },
		OpExchange:  func(m *Tree) error { return m.Exchange("f", "g") },
		OpRename:    func(m *Tree) error { return m.Rename("f", "n") },
		OpRemove:    func(m *Tree) error { return m.Remove("f") },
		OpRemoveDir: func(m *Tree) error { return m.RemoveDir("d") },
		OpMkdir:     func(m *Tree) error { return m.Mkdir("n") },
		OpSetAttr:   func(m *Tree) error { _, err := m.SetAttr("f", tree.Attr{}); return err },
		OpSync:      func(m *Tree) error { return m.Sync(nil, nil) },
	} {
		m := mustNew(t, map[string]Entry{"f": {Data: "x"}, "g": {Data: "y"}, "d": {Kind: tree.Directory}})
		before := mustStat(t, m, ".")
		m.OnOp(func(op Op) error {
			if op.Name != name {
				t.Errorf("%s asks for %q", name, op.Name)
			}
			return errDisk
		})
		if err := do(m); !errors.Is(err, errDisk) {
			t.Errorf("%s = %v, want %v", name, err, errDisk)
		}
		if after := mustStat(t, m, "."); after != before {
			t.Errorf("%s: root is %+v, want %+v", name, after, before)
		}
		m.OnOp(nil)
		if err := do(m); err != nil {
			t.Errorf("%s after healing = %v, want none", name, err)
		}
	}
}

func TestOperationsAreBookedInOrder(t *testing.T) {
	m := mustNew(t, Files(map[string]string{"f": "x"}))
	if err := errors.Join(m.Write("g", "y"), m.Exchange("f", "g"), m.Remove("g")); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove("absent"); err == nil {
		t.Fatal("remove of what is absent gives no error")
	}
	want := []Op{{Name: OpExchange, Path: "f", To: "g"}, {Name: OpRemove, Path: "g"}}
	if got := m.Ops(); !slices.Equal(got, want) {
		t.Errorf("ops = %v, want %v", got, want)
	}
	m.ResetOps()
	if got := m.Ops(); len(got) != 0 {
		t.Errorf("ops after reset = %v, want none", got)
	}
}

func TestOwnersCanBeFixed(t *testing.T) {
	m := mustNew(t, nil)
	m.ForbidOwners(true)
	_, kept, err := m.WriteNew("f", nil, tree.Attr{Mode: 0o600, UID: 7, GID: 8, KeepOwner: true})
	if err != nil || kept {
		t.Errorf("write = kept %v, %v, want not kept and no error", kept, err)
	}
	if id := mustStat(t, m, "f"); id.UID != 1000 || id.GID != 1000 {
		t.Errorf("owner = %d:%d, want 1000:1000", id.UID, id.GID)
	}
}
