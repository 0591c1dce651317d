package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// A table and its copies behave like maps that are walked in order, whatever is done to
// each of them.
func TestTableBehavesLikeASortedMap(t *testing.T) {
	type pair struct {
		table table[int]
		model map[string]int
	}
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		all := []*pair{{newTable[int](rnd.IntN(50)), map[string]int{}}}
		space := 20 + rnd.IntN(6000)
		for step := range 6000 {
			p := all[rnd.IntN(len(all))]
			key := fmt.Sprintf("k%05d", rnd.IntN(space))
			switch what := rnd.IntN(100); {
			case what < 2 && len(all) < 4:
				all = append(all, &pair{p.table.clone(), maps.Clone(p.model)})
			case what < 30:
				p.table.delete(key)
				delete(p.model, key)
			case what < 60:
				p.table.set(key, step)
				p.model[key] = step
			case what < 90: // in order, as acquisition does
				key = fmt.Sprintf("k%05d", step%space)
				p.table.set(key, step)
				p.model[key] = step
			default:
				got, ok := p.table.get(key)
				want, wantOK := p.model[key]
				if got != want || ok != wantOK {
					t.Fatalf("seed %d step %d: get %s = %d, %v, want %d, %v", seed, step, key, got, ok, want, wantOK)
				}
			}
		}
		for i, p := range all {
			if want := slices.Sorted(maps.Keys(p.model)); !slices.Equal(p.table.keys(), want) || p.table.len() != len(want) {
				t.Fatalf("seed %d copy %d: %d keys (len %d), want %d", seed, i, len(p.table.keys()), p.table.len(), len(want))
			}
			if got := maps.Collect(p.table.all()); !maps.Equal(got, p.model) {
				t.Fatalf("seed %d copy %d: values differ", seed, i)
			}
		}
	}
}

func TestTableWalkStopsWhenItsConsumerDoes(t *testing.T) {
	tab := newTable[int](0)
	for i := range 10 {
		tab.set(fmt.Sprint(9-i), i)
	}
	for stop := range 10 {
		seen := 0
		for range tab.all() {
			if seen++; seen > stop {
				break
			}
		}
		if seen != stop+1 {
			t.Errorf("walk saw %d entries, want %d", seen, stop+1)
		}
	}
}

// Performance notes, P7: what a run of many files keeps in memory.
func TestAFileTakesAtMost300Bytes(t *testing.T) {
	const files = 30_000
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	w, b := New(0), NewBaselines(0)
	for i := range files {
		path := fmt.Sprintf("packages/component-%04d/source/file-%05d.ts", i/10, i)
		ref := content.Ref{Off: int64(i) * 9000, Len: 9000}
		w.Put(path, File{Content: ref, Mode: 0o644, MIME: "text/plain", Origin: path, Disk: path})
		b.PutAcquired(path, ref)
		b.PutPersisted(path, Persisted{Content: ref, ID: tree.Identity{Ino: uint64(i), Size: 9000}})
	}
	got := (heap() - before) / files
	t.Logf("%d bytes a file", got)
	if got > 300 {
		t.Errorf("a file takes %d bytes, want at most 300", got)
	}
	runtime.KeepAlive(w)
	runtime.KeepAlive(b)
}
