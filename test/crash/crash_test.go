package crash

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/test/rig"
)

// drawn is how many kills are drawn; those at journal boundaries come in addition.
func drawn() int {
	if soaking() {
		return 4000
	}
	return 160
}

// seed is the seed of the draw: the same in every run unless FETTLE_SEED says otherwise.
func seed(t *testing.T) *rand.Rand {
	n, err := strconv.ParseUint(os.Getenv("FETTLE_SEED"), 10, 64)
	if err != nil {
		n = 1
	}
	t.Logf("seed %d", n)
	return rand.New(rand.NewPCG(n, 0))
}

// A kill at any point is recovered from: see package comment.
func TestWhateverIsKilledWhereverTheRunEndsRight(t *testing.T) {
	g := newGolden(t)
	tr := g.trace(t, pipeline(0, len(steps), "0"))
	kills := append(tr.everyBoundary(), tr.draw(seed(t), drawn())...)
	var struck int
	g.tryAll(programs, kills, func(k kill, problems []string, hit bool) bool {
		if hit {
			struck++
		}
		if len(problems) > 0 {
			t.Errorf("%s:\n%.4000s", k, strings.Join(problems, "\n"))
		}
		return true
	})
	t.Logf("%d kills, %d of them at boundaries; calls that count: fettle %d, shim %d, tools %d", struck, len(tr.everyBoundary()), len(tr[fettle]), len(tr[shim]),
		len(tr["codemod"])+len(tr["rewriter"])+len(tr["replacer"])+len(tr["checker"]))
	if struck < len(kills)*9/10 {
		t.Errorf("only %d of %d kills struck", struck, len(kills))
	}
}

// workers make trials side by side: a trial waits for disks and processes mostly.
const workers = 3

// tryAll makes trials until all are made, or told says that it has heard enough.
func (g *golden) tryAll(p rig.Programs, kills []kill, told func(k kill, problems []string, struck bool) bool) {
	var (
		mu     sync.Mutex
		next   int
		enough bool
		group  sync.WaitGroup
	)
	take := func() (kill, bool) {
		mu.Lock()
		defer mu.Unlock()
		if enough || next == len(kills) {
			return kill{}, false
		}
		next++
		return kills[next-1], true
	}
	for range workers {
		group.Go(func() {
			for k, more := take(); more; k, more = take() {
				problems, struck := g.try(p, k)
				mu.Lock()
				if !enough && !told(k, problems, struck) {
					enough = true
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
}
