package persist

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// writeKilled writes until the process is killed before its n-th change. It returns the
// world as the next process finds it, with the books of before the write; done says that
// the write was complete.
func (w *world) writeKilled(n int, partial bool, before func(*world, int)) (found *world, done bool) {
	w.t.Helper()
	found = w.sameDisk()
	disk := &mortal{Tree: w.disk, left: n, partial: partial}
	if before != nil {
		disk.before = func(n int) { before(w, n) }
	}
	var err error
	dead := killed(func() { _, err = w.writer(disk).Write(context.Background(), w.books, nil) })
	if !dead && err != nil && before == nil {
		w.t.Fatal(err)
	}
	found.ops = w.ops
	return found, !dead
}

// sameDisk returns a second process over the disk, with books of its own.
func (w *world) sameDisk() *world {
	c := *w
	c.books = &Books{
		Workspace: w.books.Workspace.Clone(), Baselines: w.books.Baselines.Clone(),
		Written: slices.Clone(w.books.Written),
	}
	c.seen = nil
	return &c
}

func (w *world) replay(disk tree.Tree, rebooted bool) (Result, error) {
	return w.writer(disk).Replay(context.Background(), w.books, w.ops, rebooted)
}

func (w *world) mustReplay(when string, rebooted bool) Result {
	w.t.Helper()
	res, err := w.replay(w.disk, rebooted)
	if err != nil {
		w.t.Fatalf("%s: replay of %v: %v\ndisk %q", when, w.ops, err, w.files())
	}
	if !res.Durable {
		w.t.Fatalf("%s: the replay isn't durable", when)
	}
	w.check(when)
	w.noTemporaries(when)
	return res
}

// Spec §16.6: after a kill at any point the replay leaves the disk equal to the
// workspace, once more after a kill of the replay itself.
func TestReplayAfterAKillAtAnyPointCompletesTheWrite(t *testing.T) {
	for seed := range uint64(150) {
		start := randomWorld(t, rand.New(rand.NewPCG(seed, 4)))
		whole := start.clone()
		whole.mustWrite()
		for _, partial := range []bool{false, true} {
			for n := 0; ; n++ {
				found, done := start.clone().writeKilled(n, partial, nil)
				if done {
					break
				}
				for m := 0; ; m++ {
					again := found.clone()
					again.ops = found.ops
					second := again.sameDisk()
					disk := &mortal{Tree: again.disk, left: m, partial: partial}
					var err error
					if !killed(func() { _, err = again.replay(disk, false) }) {
						if err != nil {
							t.Fatalf("seed %d, kill %d: replay of %v: %v", seed, n, found.ops, err)
						}
						break
					}
					second.mustReplay(fmt.Sprintf("seed %d, kill %d, kill of the replay %d", seed, n, m), false)
				}
				res := found.mustReplay(fmt.Sprintf("seed %d, kill %d", seed, n), false)
				if !slices.Equal(res.Written, whole.books.Written) || !slices.Equal(found.books.Written, whole.books.Written) {
					t.Fatalf("seed %d, kill %d: written %v, want %v", seed, n, res.Written, whole.books.Written)
				}
				if got := found.mustDo(); len(got) > len(found.ops) {
					t.Fatalf("seed %d, kill %d: a write after the replay did %v", seed, n, got)
				}
			}
		}
	}
}

// A machine that stopped may have kept of an unsynced file only a part, with holes.
func TestReplayAfterAPowerCutWritesTornFilesAgain(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		start := randomWorld(t, rnd)
		for n := 0; ; n++ {
			found, done := start.clone().writeKilled(n, false, nil)
			if done {
				break
			}
			parts := map[string]string{}
			for _, op := range found.ops {
				data, ok := found.files()[op.Path]
				whole := found.content(op.After.Content)
				if op.Kind != Write || !ok || data != whole || len(whole) < 3 || op.Before.Sum == op.After.Sum {
					continue
				}
				part := []string{"", whole[:1], "\x00" + whole[1:]}[rnd.IntN(3)]
				if sumOf([]byte(part)) == op.Before.Sum {
					continue
				}
				parts[op.Path] = part
				if err := found.disk.Write(op.Path, parts[op.Path]); err != nil {
					t.Fatal(err)
				}
			}
			if len(parts) == 0 {
				continue
			}
			same := found.clone()
			same.ops = found.ops
			found.mustReplay(fmt.Sprintf("seed %d, cut %d", seed, n), true)
			before := same.files()
			same.replay(same.disk, false)
			for path, data := range parts {
				if before[path] == data && same.files()[path] != data {
					t.Fatalf("seed %d, cut %d: without a reboot what changed at %s is somebody's, and is gone", seed, n, path)
				}
			}
		}
	}
}

// foreign is what somebody else writes in a test: bytes that nobody else has.
const foreign = "somebody else's bytes\n"

// Whatever is changed by others, before, between and after operations, killed or not,
// is never overwritten or removed.
func TestForeignChangesSurviveAWriteAtAnyPoint(t *testing.T) {
	for seed := range uint64(120) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		start := randomWorld(t, rnd)
		for n := 0; n < 40; n++ {
			w := start.clone()
			path := names[rnd.IntN(len(names))]
			hit := false
			_, done := w.writeKilled(-1, false, func(w *world, at int) {
				if at == n {
					hit = w.disk.Write(path, foreign) == nil
				}
			})
			if !done {
				t.Fatal("nobody was to kill this one")
			}
			if hit {
				w.wantForeign(fmt.Sprintf("seed %d, change before %d of %s", seed, n, path))
			}
		}
	}
}

func TestForeignChangesSurviveAKillAndItsReplay(t *testing.T) {
	for seed := range uint64(120) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		start := randomWorld(t, rnd)
		for n := 0; ; n++ {
			found, done := start.clone().writeKilled(n, rnd.IntN(2) == 0, nil)
			if done {
				break
			}
			path := names[rnd.IntN(len(names))]
			if found.disk.Write(path, foreign) != nil {
				continue
			}
			found.replay(found.disk, rnd.IntN(2) == 0)
			found.wantForeign(fmt.Sprintf("seed %d, kill %d, change of %s", seed, n, path))
		}
	}
}

// The worst: a change in the instant between the last look and the exchange, and then a
// kill before what came out is looked at.
func TestForeignChangesSurviveARaceAndAKill(t *testing.T) {
	for seed := range uint64(120) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		start := randomWorld(t, rnd)
		for n := 0; n < 40; n++ {
			w := start.clone()
			path, hit := names[rnd.IntN(len(names))], false
			found, done := w.writeKilled(n+1+rnd.IntN(2), rnd.IntN(2) == 0, func(w *world, at int) {
				if at == n {
					hit = w.disk.Write(path, foreign) == nil
				}
			})
			if done || !hit {
				continue
			}
			found.replay(found.disk, false)
			found.wantForeign(fmt.Sprintf("seed %d, race before %d, change of %s", seed, n, path))
		}
	}
}

// wantForeign wants the foreign bytes somewhere on the disk, under no temporary name.
func (w *world) wantForeign(when string) {
	w.t.Helper()
	files := w.files()
	for path, data := range files {
		if data == foreign && !isTemporary(path) {
			return
		}
	}
	w.t.Fatalf("%s: the foreign bytes are gone; the disk holds %q after %v", when, files, w.seen)
}

func isTemporary(path string) bool {
	for _, name := range append(slices.Clone(names), bystander) {
		if path == name {
			return false
		}
	}
	return true
}

// A policy that is withdrawn stops the replay like a write; the disk is booked.
func TestReplayAsksThePolicyToo(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1\n", "b": "2\n"})
	w.must("update a x", "update b y")
	found, _ := w.writeKilled(4, false, nil)
	found.rules = mustPolicy(t, policy.Spec{Write: policy.Axis{Allow: everything, Deny: []string{"b"}}})
	res, err := found.replay(found.disk, false)
	if !fault.Is(err, fault.PathRefused, fault.ClassPolicy) || !res.Durable {
		t.Fatalf("got %+v, %v, want the policy's refusal, durable", res, err)
	}
	if got, want := found.files(), map[string]string{"a": "x", "b": "2\n", bystander: "not yours\n"}; !maps.Equal(got, want) {
		t.Errorf("the disk holds %q, want %q", got, want)
	}
	found.noTemporaries("refused")
	found.checkBooks("refused")
}

func TestAnUnreadableTemporaryIsNeverGuessedAt(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1\n"})
	w.must("update a x")
	found, _ := w.writeKilled(1, false, nil)
	temp := found.ops[0].Temp
	found.disk.FailRead(temp, errors.New("input/output error"))
	if _, err := found.replay(found.disk, false); !fault.Is(err, fault.StepFailed, fault.ReasonIO) {
		t.Fatalf("got %v, want io", err)
	}
	if _, ok := found.files()[temp]; !ok {
		t.Error("a temporary that couldn't be read was removed")
	}
	found.disk.FailRead(temp, nil)
	found.mustReplay("healed", false)
}

var _ tree.Tree = (*mortal)(nil)
