package persist

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Spec §22: for random plans with colliding texts, narrowed and full writes, a final full
// write leaves the disk equal to the workspace plus the bystander, and the rows replayed
// on the acquisition baseline give the workspace.
func TestAFinalWriteLeavesTheDiskEqualToTheWorkspace(t *testing.T) {
	for seed := range uint64(1000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := randomWorld(t, rnd)
		acquired := map[string]string{}
		for path, ref := range w.books.Baselines.AllAcquired() {
			acquired[path] = w.content(ref)
		}
		for range rnd.IntN(4) {
			before := w.files()
			if rnd.IntN(2) == 0 {
				w.mustWrite(names[rnd.IntN(len(names))], names[rnd.IntN(len(names))])
			} else {
				w.mustWrite()
			}
			w.noTemporaries(fmt.Sprint("seed ", seed))
			w.checkBooks(fmt.Sprint("seed ", seed))
			if lost := lostContent(before, w); lost != "" {
				t.Fatalf("seed %d: %s", seed, lost)
			}
			w.scramble(rnd, rnd.IntN(10))
		}
		w.mustWrite()
		w.check(fmt.Sprint("seed ", seed))
		w.noTemporaries(fmt.Sprint("seed ", seed))
		if again := w.clone(); len(again.mustDo()) != 0 {
			t.Fatalf("seed %d: a second write did %v", seed, again.seen)
		}
		w.checkRows(seed, acquired)
	}
}

// mustDo writes everything and returns what was done.
func (w *world) mustDo() []string {
	w.t.Helper()
	w.mustWrite()
	return w.seen
}

// lostContent says which file's bytes a narrowed write destroyed though the workspace
// still counts on them: the persisted baseline of every file must be on disk.
func lostContent(before map[string]string, w *world) string {
	disk := w.files()
	for path, f := range w.books.Workspace.All() {
		if f.Disk == "" {
			continue
		}
		if _, ok := disk[f.Disk]; !ok {
			return fmt.Sprintf("%s is booked at %s, where nothing is (before: %q)", path, f.Disk, before)
		}
	}
	return ""
}

func (w *world) checkRows(seed uint64, acquired map[string]string) {
	w.t.Helper()
	rows, err := workspace.Account(w.store, w.books.Workspace, w.books.Baselines, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	got := maps.Clone(acquired)
	for _, r := range rows {
		switch r.Kind {
		case workspace.Deleted:
			delete(got, r.Path)
		case workspace.Renamed:
			if _, ok := w.books.Workspace.File(r.From); !ok {
				delete(got, r.From)
			}
		}
	}
	last := ""
	for _, r := range rows {
		if r.Path <= last {
			w.t.Fatalf("seed %d: rows of %q and %q aren't in order", seed, last, r.Path)
		}
		last = r.Path
		if r.Kind == workspace.Deleted {
			continue
		}
		f, _ := w.books.Workspace.File(r.Path)
		got[r.Path] = w.content(f.Content)
		if r.Kind == workspace.Renamed && acquired[r.From] == "" && r.LinesRemoved != 0 {
			w.t.Fatalf("seed %d: %+v removes lines of an empty file", seed, r)
		}
	}
	want := w.wanted()
	delete(want, bystander)
	if !maps.Equal(got, want) {
		w.t.Fatalf("seed %d: rows %+v make\n%q\nof\n%q\nwant\n%q", seed, rows, got, acquired, want)
	}
}

// Whatever an operation fails with, nothing is lost: the books say what the disk holds,
// and a write after the fault is healed completes.
func TestAFailedWriteIsBookedAndCanBeCompleted(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		start := randomWorld(t, rnd)
		for n := 0; ; n++ {
			w := start.clone()
			count := 0
			failing(w, func() bool { count++; return count == n+1 })
			_, err := w.write()
			w.disk.OnOp(nil)
			if err == nil {
				w.check(fmt.Sprint("seed ", seed))
				break
			}
			if !fault.Is(err, fault.StepFailed, fault.ReasonIO) {
				t.Fatalf("seed %d, fault %d: got %v, want io", seed, n, err)
			}
			w.noTemporaries(fmt.Sprintf("seed %d, fault %d: %v", seed, n, err))
			w.checkBooks(fmt.Sprintf("seed %d, fault %d", seed, n))
			w.mustWrite()
			w.check(fmt.Sprintf("seed %d, after fault %d", seed, n))
			w.noTemporaries(fmt.Sprintf("seed %d, after fault %d", seed, n))
		}
	}
}

// A cancelled write returns what was written, and another one completes it.
func TestACancelledWriteStopsBetweenOperations(t *testing.T) {
	for seed := range uint64(100) {
		start := randomWorld(t, rand.New(rand.NewPCG(seed, 3)))
		for n := 0; ; n++ {
			w := start.clone()
			ctx, cancel := context.WithCancel(context.Background())
			wr := w.writer(w.disk)
			wr.Observe = func(op Op) {
				w.seen = append(w.seen, op.String())
				if len(w.seen) == n+1 {
					cancel()
				}
			}
			_, err := wr.Write(ctx, w.books, nil)
			cancel()
			if err == nil {
				break
			}
			if !fault.Is(err, fault.StepFailed, fault.ReasonCancelled) {
				t.Fatalf("seed %d, after operation %d: got %v, want cancelled", seed, n, err)
			}
			w.noTemporaries(fmt.Sprintf("seed %d, cancelled after %d", seed, n))
			w.checkBooks(fmt.Sprintf("seed %d, cancelled after %d", seed, n))
			w.mustWrite()
			w.check(fmt.Sprintf("seed %d, completed after %d", seed, n))
		}
	}
}
