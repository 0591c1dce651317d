package stray

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

func TestJudgeComparesEveryPartOfAnIdentity(t *testing.T) {
	recorded := tree.Identity{Dev: 1, Ino: 2, Size: 3, Mtime: 4, Ctime: 5, Mode: 6, UID: 7, GID: 8, Nlink: 1, Kind: tree.Regular}
	if got := judge(recorded, recorded, nil); got != "" {
		t.Errorf("the same identity is %q, want no stray", got)
	}
	for name, change := range map[string]func(*tree.Identity){
		"device": func(id *tree.Identity) { id.Dev++ }, "inode": func(id *tree.Identity) { id.Ino++ },
		"size": func(id *tree.Identity) { id.Size++ }, "mtime": func(id *tree.Identity) { id.Mtime-- },
		"ctime": func(id *tree.Identity) { id.Ctime-- }, "mode": func(id *tree.Identity) { id.Mode++ },
		"user": func(id *tree.Identity) { id.UID++ }, "group": func(id *tree.Identity) { id.GID++ },
	} {
		now := recorded
		change(&now)
		if got := judge(recorded, now, nil); got != Content {
			t.Errorf("another %s is %q, want the bytes to decide", name, got)
		}
	}
	now := recorded
	now.Kind = tree.Other
	for err, want := range map[error]Kind{nil: Replaced, tree.ErrAbsent: Absent, tree.ErrLink: Replaced, tree.ErrUnlookable: Content} {
		if got := judge(recorded, now, err); got != want {
			t.Errorf("a look that says %v is %q, want %q", err, got, want)
		}
	}
}

// Spec §13.9, each kind, in order of where the files are on disk.
func TestFindTellsWhatBecameOfEachFile(t *testing.T) {
	files := map[string]string{
		"absent": "1", "bytes": "2", "dir/behind": "3", "directory": "4", "link": "5", "mode": "6",
		"moved": "7", "rewritten": "8", "same": "9", "shut": "10",
	}
	disk, err := treemem.New(treemem.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	store, w, b := &content.Memory{}, workspace.New(0), workspace.NewBaselines(0)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		data, id, err := disk.ReadFile(path, 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := store.Put(data)
		if err != nil {
			t.Fatal(err)
		}
		name := path
		if path == "moved" {
			name = "a/new/name"
		}
		w.Put(name, workspace.File{Content: ref, Origin: path, Disk: path})
		b.PutPersisted(path, workspace.Persisted{Content: ref, ID: id})
	}
	w.Put("never/persisted", workspace.File{})
	w.Put("taken/over", workspace.File{Disk: "taken/over"}) // from unreadable: nothing is recorded
	disk.Delete("absent")
	disk.Write("bytes", "x")
	disk.Move("dir", "elsewhere")
	disk.Put("dir", treemem.Entry{Target: "elsewhere"})
	disk.Delete("directory")
	disk.Put("directory", treemem.Entry{Kind: tree.Directory})
	disk.Put("link", treemem.Entry{Target: "same"})
	disk.Chmod("mode", 0o600)
	disk.Write("moved", "longer than before")
	disk.Write("rewritten", "8")
	disk.Write("shut", "10")
	disk.FailRead("shut", errors.New("permission denied"))
	got, err := Find(context.Background(), disk, store, w, b)
	want := []Stray{
		{"absent", Absent}, {"bytes", Content}, {"dir/behind", Replaced}, {"directory", Replaced}, {"link", Replaced},
		{"mode", Metadata}, {"moved", Content}, {"rewritten", Metadata}, {"shut", Content},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	disk, err := treemem.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w, b := workspace.New(0), workspace.NewBaselines(0)
	w.Put("a", workspace.File{Disk: "a"})
	b.PutPersisted("a", workspace.Persisted{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, disk, &content.Memory{}, w, b); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
