package persist

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// violated is a disk on which a tool did what the policy denies, and what undoes it.
func violated(t *testing.T) (*world, []reread.Undo) {
	t.Helper()
	w := newWorld(t, map[string]string{"a": "1", "dir/b": "2", "c": "3", "d": "4"})
	back := func(path string) reread.Undo {
		p, _ := w.books.Baselines.Persisted(path)
		return reread.Undo{Path: path, Content: p.Content, Attr: tree.Attr{Mode: 0o640, UID: 7, GID: 8, KeepOwner: true}}
	}
	undo := []reread.Undo{{Path: "new", Remove: true}, back("a"), back("c"), back("dir/b")}
	w.disk.Write("new", foreign)
	w.disk.Write("a", "changed")
	w.disk.Delete("dir")
	w.disk.Chmod("c", 0o777)
	return w, undo
}

func (w *world) restorer(disk tree.Tree) Restorer {
	return Restorer{Tree: disk, Store: w.store, Seed: "seed"}
}

func TestRestorePutsBackBytesModeAndOwner(t *testing.T) {
	w, undo := violated(t)
	for i, err := range w.restorer(w.disk).Restore(context.Background(), undo) {
		if err != nil {
			t.Errorf("%s: %v", undo[i].Path, err)
		}
	}
	w.wantFiles(map[string]string{"a": "1", "dir/b": "2", "c": "3", "d": "4"})
	for _, path := range []string{"a", "dir/b", "c"} {
		if e := w.disk.Files()[path]; e.Mode != 0o640 || e.Owner != "7:8" {
			t.Errorf("%s is %+v, want mode and owner as before", path, e)
		}
	}
}

func TestRestoreLeavesAloneWhatIsNoRegularFile(t *testing.T) {
	w, undo := violated(t)
	w.disk.Delete("new")
	w.disk.Put("new", treemem.Entry{Target: "d"})
	w.disk.Put("a", treemem.Entry{Target: "d"})
	w.disk.Delete("c")
	w.disk.Put("c/x", treemem.Entry{Data: "x"})
	w.disk.Put("dir", treemem.Entry{Target: "c"})
	before := w.disk.Snapshot()
	for i, err := range w.restorer(w.disk).Restore(context.Background(), undo) {
		if !errors.Is(err, tree.ErrNotRegular) && !errors.Is(err, tree.ErrLink) {
			t.Errorf("%s: got %v, want a refusal", undo[i].Path, err)
		}
	}
	if got := w.disk.Snapshot(); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("the disk became %v, want %v", got, before)
	}
}

// A restoration that is killed is done anew, after its temporaries are swept away.
func TestAKilledRestorationCanBeDoneAnew(t *testing.T) {
	for n := 0; ; n++ {
		w, undo := violated(t)
		disk := &mortal{Tree: w.disk, left: n, partial: true}
		if !killed(func() { w.restorer(disk).Restore(context.Background(), undo) }) {
			if n < 6 {
				t.Fatalf("only %d changes were there to be killed at", n)
			}
			return
		}
		paths := []string{}
		for _, u := range undo {
			paths = append(paths, u.Path)
		}
		r := w.restorer(w.disk)
		if err := r.Sweep(paths); err != nil {
			t.Fatalf("kill %d: %v", n, err)
		}
		w.noTemporaries(fmt.Sprint("kill ", n))
		for i, err := range r.Restore(context.Background(), undo) {
			gone := undo[i].Remove && errors.Is(err, tree.ErrAbsent)
			if err != nil && !gone {
				t.Errorf("kill %d: %s: %v", n, undo[i].Path, err)
			}
		}
		w.wantFiles(map[string]string{"a": "1", "dir/b": "2", "c": "3", "d": "4"})
	}
}
