package persist

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace/stray"
)

// onDisk puts a world's files on a real disk and opens it.
func (w *world) onDisk(dir string) *strictfs.Root {
	w.t.Helper()
	for path, e := range w.disk.Files() {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(e.Data), 0o600); err != nil {
			w.t.Fatal(err)
		}
		if err := os.Chmod(file, os.FileMode(e.Mode)); err != nil {
			w.t.Fatal(err)
		}
	}
	root, err := strictfs.Open(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for path, p := range w.books.Baselines.AllPersisted() {
		if p.ID, err = root.Stat(path); err == nil {
			w.books.Baselines.PutPersisted(path, p)
		}
	}
	return root
}

// realFiles are the contents of a real disk's files.
func realFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The same on a real file system, as on the one in memory: a write and its replay after
// a kill leave the disk equal to the workspace, and no file is a stray afterwards.
func TestOnARealDiskAKilledWriteIsCompleted(t *testing.T) {
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 20))
		start := randomWorld(t, rnd)
		for n := 0; ; n++ {
			w := start.clone()
			dir := t.TempDir()
			root := w.onDisk(dir)
			again := w.sameDisk()
			disk := &mortal{Tree: root, left: n, partial: n%2 == 0}
			var err error
			dead := killed(func() { _, err = w.writer(disk).Write(context.Background(), w.books, nil) })
			when := fmt.Sprintf("seed %d, kill %d", seed, n)
			if dead {
				again.ops = w.ops
				w = again
				_, err = w.replay(root, false)
			}
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			if got, want := realFiles(t, dir), w.wanted(); !maps.Equal(got, want) {
				t.Fatalf("%s: the disk holds %q, want %q", when, got, want)
			}
			strays, err := stray.Find(context.Background(), root, w.store, w.books.Workspace, w.books.Baselines)
			if err != nil || len(strays) > 0 {
				t.Fatalf("%s: strays %v, %v: our own changes are none", when, strays, err)
			}
			root.Close()
			if !dead {
				break
			}
		}
	}
}

// BenchmarkWrite brings 500 changed files of 4 KiB to a real disk, with and without what
// it takes the disk to make them durable.
func BenchmarkWrite(b *testing.B) {
	const n = 500
	body := strings.Repeat("a", 4000)
	files, commands := map[string]string{}, []string{}
	for i := range n {
		path := fmt.Sprintf("dir%d/file%d", i/50, i)
		files[path] = body
		commands = append(commands, fmt.Sprintf("update %s %s%d", path, body, i))
	}
	start := newWorld(b, files)
	start.must(commands...)
	for name, wrap := range map[string]func(tree.Tree) tree.Tree{
		"synced":   func(t tree.Tree) tree.Tree { return t },
		"unsynced": func(t tree.Tree) tree.Tree { return unsynced{t} },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := start.clone()
				root := w.onDisk(b.TempDir())
				b.StartTimer()
				if _, err := w.writer(wrap(root)).Write(context.Background(), w.books, nil); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				root.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "us/file")
		})
	}
}

// unsynced is a disk that promises nothing.
type unsynced struct{ tree.Tree }

func (unsynced) Sync(_, _ []string) error { return nil }
