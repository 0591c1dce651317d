package statedir

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

func options(t testing.TB) Options {
	t.Helper()
	return Options{
		Dir: filepath.Join(t.TempDir(), "state"), Root: t.TempDir(),
		Holder: Holder{Host: "here", PID: os.Getpid(), Run: "web-1"}, Random: rand.Reader, Boot: "boot-1",
	}
}

func open(t testing.TB, o Options) *Dir {
	t.Helper()
	d, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func load(t testing.TB, d *Dir) *Checkpoint {
	t.Helper()
	c, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func save(t testing.TB, d *Dir, c Checkpoint) {
	t.Helper()
	if err := d.Save(c); err != nil {
		t.Fatal(err)
	}
}

// randomBooks has some of everything.
func randomBooks(t testing.TB, store content.Store, rnd *mathrand.Rand, files int) persist.Books {
	t.Helper()
	ref := func() content.Ref {
		r, err := store.Put(make([]byte, rnd.IntN(300)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	b := persist.Books{Workspace: workspace.New(0), Baselines: workspace.NewBaselines(0)}
	for i := range files {
		path := fmt.Sprintf("packages/component-%04d/source/file-%05d.ts", i/10, i)
		f := workspace.File{Content: ref(), Mode: rnd.Uint32N(0o777), MIME: []string{"text/plain", "application/json", "text/x-" + path}[rnd.IntN(3)], Origin: path, Disk: path}
		switch rnd.IntN(8) {
		case 0:
			f.Origin, f.Disk = "", ""
		case 1:
			f.Disk = path + ".old"
		case 2:
			f.Origin = path + ".origin"
		case 3:
			f.DeclaredText = true
		}
		b.Workspace.Put(path, f)
		b.Baselines.PutAcquired(path, ref())
		b.Baselines.PutPersisted(path, workspace.Persisted{Content: ref(), ID: tree.Identity{
			Dev: rnd.Uint64(), Ino: rnd.Uint64(), Size: rnd.Int64(), Mtime: rnd.Int64(), Ctime: rnd.Int64() - 1<<62,
			Mode: rnd.Uint32(), UID: rnd.Uint32(), GID: rnd.Uint32(), Nlink: rnd.Uint32(), Kind: tree.Kind(rnd.IntN(4)),
		}})
		b.Written = append(b.Written, path)
	}
	b.Workspace.PutUnreadable("bad", workspace.Unreadable{Origin: "was", Disk: "bad", Mode: 0o600, DeclaredText: true})
	b.Workspace.PutPending("gone", workspace.PendingDeletion{LastPath: "renamed", Mode: 0o644})
	b.Baselines.PutAcquired("gone", ref())
	b.Baselines.PutPersisted("only/persisted", workspace.Persisted{Content: ref()})
	return b
}

// flat is books in a form that can be compared and printed.
type flat struct {
	Files      map[string]workspace.File
	Unreadable map[string]workspace.Unreadable
	Pending    map[string]workspace.PendingDeletion
	Acquired   map[string]content.Ref
	Persisted  map[string]workspace.Persisted
	Written    []string
}

func flatten(b persist.Books) flat {
	f := flat{Written: b.Written}
	if b.Workspace == nil {
		return f
	}
	f.Files = maps.Collect(b.Workspace.All())
	f.Unreadable, f.Pending = map[string]workspace.Unreadable{}, map[string]workspace.PendingDeletion{}
	for _, p := range b.Workspace.UnreadablePaths() {
		f.Unreadable[p], _ = b.Workspace.Unreadable(p)
	}
	for _, p := range b.Workspace.PendingDisks() {
		f.Pending[p], _ = b.Workspace.Pending(p)
	}
	f.Acquired = maps.Collect(b.Baselines.AllAcquired())
	f.Persisted = maps.Collect(b.Baselines.AllPersisted())
	return f
}

func wantBooks(t testing.TB, got, want persist.Books) {
	t.Helper()
	if g, w := flatten(got), flatten(want); !reflect.DeepEqual(g, w) {
		t.Fatalf("books differ: got\n%+v\nwant\n%+v", g, w)
	}
}

func someOps(store content.Store, t testing.TB) []persist.Op {
	t.Helper()
	r, err := store.Put([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	is := persist.Expected{Want: persist.Bytes, Content: r, Sum: [32]byte{1, 2, 31: 3}, Mode: 0o755}
	none := persist.Expected{Want: persist.Nothing}
	return []persist.Op{
		{Kind: persist.Rename, Path: ".fettle-1", From: "b", Key: "a", Before: is, Over: none, Cycle: true},
		{Kind: persist.Delete, Path: "c", Temp: ".fettle-2", Before: persist.Expected{Want: persist.Anything}},
		{Kind: persist.Write, Path: "d/e", Temp: "d/.fettle-3", Before: none, After: is},
	}
}
