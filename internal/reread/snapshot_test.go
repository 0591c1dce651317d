package reread_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// memory is a run over a disk in memory that acquired all its files.
func memory(t *testing.T, files map[string]string) (*world, *treemem.Tree) {
	t.Helper()
	disk, err := treemem.New(treemem.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, disk, parsePolicy(t, nil), workspace.DefaultBounds(), glob.DefaultExclude(), "**"), disk
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func outcomes(res *reread.Result) map[string]reread.OutcomeKind {
	m := map[string]reread.OutcomeKind{}
	for _, o := range res.Outcomes {
		m[o.Path] = o.Kind
	}
	return m
}

func wantOutcome(t *testing.T, res *reread.Result, path string, want reread.OutcomeKind) {
	t.Helper()
	if got := outcomes(res)[path]; got != want {
		t.Errorf("outcome of %q: got %q, want %q", path, got, want)
	}
}

// longAfter is a time at which all stamps so far have settled.
func longAfter() (int64, error) { return 1 << 62, nil }

var everything = reread.Invocation{Engine: "tool"}

// counting counts what a tree is asked.
type counting struct {
	tree.Tree
	mu                  sync.Mutex
	stats, lists, reads int
}

func (c *counting) count(what *int, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what += n
}

func (c *counting) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats, c.lists, c.reads = 0, 0, 0
}

func (c *counting) Revisit(ctx context.Context, paths []string, visit func(int, tree.Identity, error) bool) error {
	c.count(&c.stats, len(paths))
	return c.Tree.Revisit(ctx, paths, visit)
}

func (c *counting) Stat(path string) (tree.Identity, error) {
	c.count(&c.stats, 1)
	return c.Tree.Stat(path)
}

func (c *counting) ReadDir(dir string, visit func([]byte, tree.Kind) bool) error {
	c.count(&c.lists, 1)
	return c.Tree.ReadDir(dir, visit)
}

func (c *counting) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	c.count(&c.reads, 1)
	return c.Tree.ReadFile(path, limit, buf)
}

// Performance notes, P12: one look per file and directory, where nothing has changed.
func TestANoOpRereadLooksAtEachPathOnceAndReadsNothing(t *testing.T) {
	root := t.TempDir()
	spec := corpus.Small()
	if _, err := corpus.Write(root, spec); err != nil {
		t.Fatal(err)
	}
	disk, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	c := &counting{Tree: disk}
	x := newWorld(t, c, parsePolicy(t, nil), workspace.DefaultBounds(), glob.DefaultExclude(), "**")
	x.env.Now = func() (int64, error) {
		now, err := disk.Now()
		return now + int64(settle), err // as if everything had been written a while ago
	}
	_, _, res := x.invoke(everything, func() reread.End {
		c.reset()
		return reread.End{}
	})
	if want := spec.Files + spec.Dirs + 1; c.stats != want || c.lists != 0 || c.reads != 0 {
		t.Errorf("got %d looks, %d listings and %d reads, want %d looks alone", c.stats, c.lists, c.reads, want)
	}
	if len(res.Changed) > 0 || len(res.Outcomes) != spec.Files {
		t.Errorf("got %d changed of %d, want none of %d", len(res.Changed), len(res.Outcomes), spec.Files)
	}
}

func TestOnlyDirectoriesThatChangedAreListedAgain(t *testing.T) {
	x, disk := memory(t, map[string]string{"a/1.ts": "1\n", "a/b/2.ts": "2\n", "c/3.ts": "3\n", "d/e/f/4.ts": "4\n"})
	c := &counting{Tree: disk}
	x.env.Tree, x.env.Now = c, longAfter
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("a/new.ts", "n\n"), disk.Write("d/e/g/h/new.ts", "n\n"), disk.Write("c/3.ts", "III\n"))
		c.reset()
		return reread.End{}
	})
	if want := []string{"a/new.ts", "c/3.ts", "d/e/g/h/new.ts"}; !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want %q", res.Changed, want)
	}
	if c.lists != 4 { // a, d/e, d/e/g, d/e/g/h
		t.Errorf("got %d listings, want those of a, d/e and what is new below it", c.lists)
	}
}

func TestADirectoryThatIsSwappedForAnotherIsSeen(t *testing.T) {
	x, disk := memory(t, map[string]string{"p/a/1.ts": "1\n", "p/b/2.ts": "2\n", "q.ts": "q\n"})
	do(t, disk.Write("p/b/binary", "\x00"))
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Move("p/a", "t"), disk.Move("p/b", "p/a"), disk.Move("t", "p/b"))
		return reread.End{}
	})
	for path, want := range map[string]reread.OutcomeKind{
		"p/a/1.ts": reread.DroppedAbsent, "p/b/2.ts": reread.DroppedAbsent,
		"p/a/2.ts": reread.Admitted, "p/b/1.ts": reread.Admitted, "q.ts": reread.Unchanged, "p/a/binary": reread.NotAdmitted,
	} {
		wantOutcome(t, res, path, want)
	}
}

func TestAStartThatWasntThereIsWalkedAfterwards(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	inv := reread.Invocation{Engine: "tool", Scope: globs(t, []string{"gen/out/**", "made.ts", "a.ts", "link/**"})}
	_, _, res := x.invoke(inv, func() reread.End {
		do(t, disk.Write("gen/out/x/n.ts", "n\n"), disk.Write("made.ts", "m\n"), disk.Put("link", treemem.Entry{Target: "gen"}), disk.Write("other.ts", "o\n"))
		return reread.End{}
	})
	if want := []string{"gen/out/x/n.ts", "made.ts"}; !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want %q", res.Changed, want)
	}
}

func TestASecondAttemptKeepsTheFirstSnapshot(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	first, _, err := x.env.Snapshot(context.Background(), x.prepare(everything))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := first.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	do(t, disk.Write("n.ts", "made by the first attempt\n"), disk.Write("a.ts", "A\n"))
	var kept reread.Snapshot
	if err := kept.UnmarshalBinary(journal); err != nil {
		t.Fatal(err)
	}
	do(t, disk.Write("m.ts", "made by the second\n"), disk.Delete("b.ts"))
	res, err := x.env.Reread(context.Background(), x.prepare(everything), &kept, reread.End{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.ts", "b.ts", "m.ts", "n.ts"}; !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want what both attempts did: %q", res.Changed, want)
	}
}

func TestAnUnknownTimeTrustsNoIdentity(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	for name, now := range map[string]func() (int64, error){
		"the file system's own": longAfter,
		"it can't be told":      func() (int64, error) { return 0, errDisk },
		"long ago":              func() (int64, error) { return 1, nil },
	} {
		c := &counting{Tree: disk}
		x.env.Tree, x.env.Now = c, now
		x.invoke(everything, func() reread.End { c.reset(); return reread.End{} })
		want := map[string]int{"the file system's own": 0, "it can't be told": 1, "long ago": 2}[name]
		if c.reads != want { // the newest stamp stands for a time that can't be told
			t.Errorf("%s: %d files were read, want %d", name, c.reads, want)
		}
	}
	c := &counting{Tree: disk}
	x.env.Tree, x.env.Now = c, longAfter
	x.invoke(everything, func() reread.End { c.reset(); return reread.End{Alive: true} })
	if c.reads != 2 || c.lists != 1 {
		t.Errorf("with something of the tool alive: %d reads, %d listings; want all", c.reads, c.lists)
	}
}

func TestASnapshotThatFailsStopsTheInvocation(t *testing.T) {
	x, disk := memory(t, map[string]string{"a/a.ts": "a\n"})
	disk.FailList("a", fs.ErrPermission)
	_, _, err := x.env.Snapshot(context.Background(), x.prepare(everything))
	if e := fault.As(err); e == nil || e.Kind != fault.StepFailed || e.Reason != fault.ReasonEnumeration || e.Path != "a" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want StepFailed enumeration of a with its cause", err)
	}
	disk.FailList("a", nil)
	x.env.Gitignore = func(context.Context) (enumerate.Ignored, error) { return nil, fs.ErrPermission }
	if _, _, err := x.env.Snapshot(context.Background(), x.prepare(everything)); !fault.Is(err, fault.StepFailed, fault.ReasonEnumeration) {
		t.Errorf("git fails: got %v, want StepFailed enumeration", err)
	}
	x.env.Gitignore = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := x.env.Snapshot(ctx, x.prepare(everything)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestDepthIsAWarningBeforeOrElseAfter(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	x.env.Bounds.MaxDepth = 2
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("d/e/f.ts", "f\n"), disk.Write("d/g.ts", "g\n"))
		return reread.End{}
	})
	if want := []string{"d/g.ts"}; !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want %q: what is deeper doesn't exist", res.Changed, want)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Reason != "maxDepth" || res.Warnings[0].Severity != diagnostic.Warning || res.Warnings[0].Path != "" {
		t.Errorf("got %+v, want the depth warning", res.Warnings)
	}
	_, warnings, err := x.env.Snapshot(context.Background(), x.prepare(everything))
	if err != nil || len(warnings) != 1 {
		t.Errorf("snapshot: got %+v, %v; want the depth warning", warnings, err)
	}
	_, _, res = x.invoke(everything, func() reread.End { return reread.End{} })
	if len(res.Warnings) != 0 {
		t.Errorf("got %+v after a snapshot that warned, want no second warning", res.Warnings)
	}
}

type ignoredFile string

func (p ignoredFile) Ignored(path string, _ bool) bool { return path == string(p) }

func TestWhatGitIgnoresIsNotAdmitted(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want []string
	}{
		{"offered", nil, []string{"n.ts"}},
		{"not offered", enumerate.ErrNotOffered, []string{"gen.ts", "n.ts"}},
	} {
		x, disk := memory(t, map[string]string{"a.ts": "a\n"})
		x.env.Gitignore = func(context.Context) (enumerate.Ignored, error) { return ignoredFile("gen.ts"), tt.err }
		_, _, res := x.invoke(everything, func() reread.End {
			do(t, disk.Write("gen.ts", "g\n"), disk.Write("n.ts", "n\n"))
			return reread.End{}
		})
		if !slices.Equal(res.Changed, tt.want) {
			t.Errorf("%s: changed %q, want %q", tt.name, res.Changed, tt.want)
		}
	}
}
