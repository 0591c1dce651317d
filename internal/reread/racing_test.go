package reread_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// slowClock is a tree whose clock has not moved since a time: every stamp is that.
type slowClock struct {
	tree.Tree
	at int64
}

func (s slowClock) stopped(id tree.Identity) tree.Identity {
	id.Mtime, id.Ctime = s.at, s.at
	return id
}

func (s slowClock) Stat(path string) (tree.Identity, error) {
	id, err := s.Tree.Stat(path)
	return s.stopped(id), err
}

func (s slowClock) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	data, id, err := s.Tree.ReadFile(path, limit, buf)
	return data, s.stopped(id), err
}

func (s slowClock) Revisit(ctx context.Context, paths []string, visit func(int, tree.Identity, error) bool) error {
	return s.Tree.Revisit(ctx, paths, func(i int, id tree.Identity, err error) bool { return visit(i, s.stopped(id), err) })
}

// Where changes come within one tick of the clock, neither file nor directory is told by
// its stamp.
func TestWhatChangesWithinATickIsFound(t *testing.T) {
	const at = 1_700_000_000_123_456_789
	disk, err := treemem.New(treemem.Files(map[string]string{"d/a.ts": "a\n", "d/b.ts": "b\n"}))
	if err != nil {
		t.Fatal(err)
	}
	x := governedBy(t, slowClock{disk, at}, "")
	x.env.Now = func() (int64, error) { return at + 1_000_000, nil }
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("d/a.ts", "A\n"), disk.Write("d/n.ts", "n\n"))
		return reread.End{}
	})
	if want := []string{"d/a.ts", "d/n.ts"}; !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want %q", res.Changed, want)
	}
}

// racing is a tree in which a stranger acts just before a file is read.
type racing struct {
	tree.Tree
	before map[string]func()
}

func (r racing) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	if act := r.before[path]; act != nil {
		act()
	}
	return r.Tree.ReadFile(path, limit, buf)
}

// Nobody should be there any more when the re-read runs; if somebody is, what was read
// last counts, and nothing breaks.
func TestFilesThatChangeWhileTheyAreReread(t *testing.T) {
	x, disk := memory(t, map[string]string{"gone.ts": "1\n", "link.ts": "2\n", "dir.ts": "3\n", "a.ts": "a\n"})
	r := racing{Tree: disk, before: map[string]func(){
		"gone.ts":     func() { do(t, disk.Delete("gone.ts")) },
		"new-gone.ts": func() { do(t, disk.Delete("new-gone.ts")) },
		"link.ts":     func() { do(t, disk.Put("link.ts", treemem.Entry{Target: "a.ts"})) },
		"new-link.ts": func() { do(t, disk.Put("new-link.ts", treemem.Entry{Target: "a.ts"})) },
		"dir.ts":      func() { do(t, disk.Put("dir.ts", treemem.Entry{Kind: tree.Directory})) },
		"new-dir.ts":  func() { do(t, disk.Put("new-dir.ts", treemem.Entry{Kind: tree.Directory})) },
	}}
	x.env.Tree = r
	_, _, res := x.invoke(everything, func() reread.End {
		for path := range r.before {
			do(t, disk.Write(path, "changed\n"))
		}
		return reread.End{}
	})
	for path, want := range map[string]reread.OutcomeKind{
		"gone.ts": reread.DroppedAbsent, "link.ts": reread.Unreadable, "dir.ts": reread.Unreadable,
		"new-gone.ts": "", "new-link.ts": "", "new-dir.ts": "", "a.ts": reread.Unchanged,
	} {
		wantOutcome(t, res, path, want)
	}
	if len(res.Errors) != 2 {
		t.Errorf("errors %+v, want those of the known link and directory", res.Errors)
	}
}
