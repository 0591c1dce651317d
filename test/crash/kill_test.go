package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/killtest"
	"github.com/fettle-dev/fettle/test/rig"
)

// The programs that calls are counted of.
const (
	fettle = "fettle"
	shim   = "fettle-shim"
)

var fixers = []string{"codemod", "rewriter", "replacer", "checker"}

// how a run that was killed is followed up.
type how int

const (
	resume how = iota // fettle run --resume
	anew              // a new run, of the steps that work on disk alone
)

// kill is one trial: where the run is killed, and what comes then.
type kill struct {
	target  string
	n       int // the call of target, from 1
	before  bool
	victims []string // none: target
	retries string   // of tools, in the pipeline
	then    how
	again   *kill // where what comes then is killed in its turn
}

func (k kill) String() string {
	when := "after"
	if k.before {
		when = "before"
	}
	s := fmt.Sprintf("kill %v %s call %d of %s, retry %s, then %s", k.dead(), when, k.n, k.target, k.retries, []string{"resume", "anew"}[k.then])
	if k.again != nil {
		s += ", in which " + k.again.String()
	}
	return s
}

func (k kill) dead() []string {
	if len(k.victims) == 0 {
		return []string{k.target}
	}
	return k.victims
}

func (k kill) hits(program string) bool { return slices.Contains(k.dead(), program) }

// point is the point of a kill in a world.
func (k kill) point(w *rig.World) killtest.Point {
	return killtest.Point{
		Target: k.target, Set: killtest.Mutations(), Where: counted(w, k.target), N: k.n, Before: k.before, Victims: k.victims,
	}
}

// counted says which calls of a program count: those that change a file system where
// fettle may change one; of the shim also what it says to fettle; of a tool every look at
// the tree.
func counted(w *rig.World, target string) func(killtest.Call) bool {
	under := func(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
	return func(c killtest.Call) bool {
		opens := c.Number == unix.SYS_OPENAT || c.Number == unix.SYS_OPENAT2
		switch target {
		case fettle:
			return (under(c.Path, w.Root) || under(c.Path, w.State)) && (!opens || c.Creates)
		case shim:
			return (c.Path == "" || under(c.Path, w.State)) && (!opens || c.Creates)
		default:
			return under(c.Path, w.Root)
		}
	}
}

// traces are the calls that count of every program, in an undisturbed run.
type traces map[string][]killtest.Call

func (g *golden) trace(t *testing.T, pipeline string) traces {
	t.Helper()
	all := traces{}
	for _, target := range append([]string{fettle, shim}, fixers...) {
		w := g.world(t, programs, pipeline)
		result, ran := w.Killed(t, kill{target: target}.point(w), w.RunArgs()...)
		ran.Want(t, 0)
		if len(result.Trace) == 0 {
			t.Fatalf("no call of %s counts: the test would prove nothing", target)
		}
		all[target] = result.Trace
	}
	return all
}

// boundary is a call of fettle with which something becomes what it is to be, all at
// once: its journal, or the tree at one of its paths.
func boundary(c killtest.Call) bool {
	switch c.Number {
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT:
	default:
		return false
	}
	return filepath.Base(c.Path) == "journal" || filepath.Base(c.To) == "journal" || !strings.Contains(c.Path, "/state/fettle/")
}

// everyBoundary kills fettle before and after each boundary of its journal, and after
// each of the tree's, with either follow-up.
func (tr traces) everyBoundary() []kill {
	var list []kill
	for i, c := range tr[fettle] {
		if !boundary(c) {
			continue
		}
		k := kill{target: fettle, n: i + 1, retries: "0", then: how(len(list) % 2)}
		list = append(list, k)
		if filepath.Base(c.To) == "journal" {
			k.before, k.then = true, anew-k.then
			list = append(list, k)
		}
	}
	return list
}

// draw draws kills: of fettle, of the shim, of a tool, and of several at once while a
// tool works.
func (tr traces) draw(rnd *rand.Rand, count int) []kill {
	anyOf := func(list []string) string { return list[rnd.IntN(len(list))] }
	one := func() kill {
		k := kill{before: rnd.IntN(2) == 0, retries: anyOf([]string{"0", "1"}), then: how(rnd.IntN(2))}
		switch rnd.IntN(10) {
		case 0, 1, 2, 3:
			k.target = fettle
		case 4, 5:
			k.target = shim
		case 6:
			k.target = anyOf(fixers)
		default:
			k.target = anyOf(fixers)
			k.victims = [][]string{{fettle}, {shim}, {fettle, shim}, append([]string{fettle, shim}, fixers...)}[rnd.IntN(4)]
		}
		k.n = 1 + rnd.IntN(len(tr[k.target]))
		return k
	}
	var list []kill
	for range count {
		k := one()
		if rnd.IntN(3) == 0 {
			again := one()
			again.retries, again.then = k.retries, k.then
			k.again = &again
		}
		list = append(list, k)
	}
	return list
}

// soaking says whether there is time for thousands of kills.
func soaking() bool { return os.Getenv("FETTLE_SOAK") != "" }
