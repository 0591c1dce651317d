package crash

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/test/rig"
)

// golden is what undisturbed runs do.
type golden struct {
	dir    string // for worlds
	number *atomic.Int64

	base, outside rig.Tree
	whole, rest   outcome // of all steps, and of those that work on disk alone
	// known are the contents that a path may have whenever one looks, of the paths that
	// every step leaves where they are.
	known map[string][]string
}

// outcome is what one pipeline makes of the fixture.
type outcome struct {
	tree   rig.Tree
	report report.Report
}

func newGolden(t *testing.T) *golden {
	t.Helper()
	g := &golden{dir: t.TempDir(), number: &atomic.Int64{}}
	w := g.world(t, programs, pipeline(0, len(steps), "0"))
	g.base, g.outside = rig.Look(t, w.Root), rig.Look(t, w.Outside)
	g.whole = g.outcomeOf(t, 0, len(steps))
	g.rest = g.outcomeOf(t, written, len(steps))
	stages := []rig.Tree{g.base, g.whole.tree, g.rest.tree}
	for last := written; last < len(steps); last++ {
		stages = append(stages, g.outcomeOf(t, 0, last).tree)
		if last > written {
			stages = append(stages, g.outcomeOf(t, written, last).tree)
		}
	}
	moves := map[string]bool{} // a file that moves out of a swap is on its way for a moment
	for _, c := range g.whole.report.Changes {
		moves[c.Path] = moves[c.Path] || c.From != ""
		moves[c.From] = true
	}
	g.known = map[string][]string{}
	for path, e := range g.base {
		if moves[path] {
			continue
		}
		contents := []string{}
		for _, stage := range stages {
			now, ok := stage[path]
			if !ok || !now.Mode.IsRegular() || !e.Mode.IsRegular() {
				contents = nil
				break
			}
			contents = append(contents, now.Data)
		}
		if contents != nil {
			slices.Sort(contents)
			g.known[path] = slices.Compact(contents)
		}
	}
	return g
}

// world makes the fixture with a pipeline for it.
func (g *golden) world(tb testing.TB, p rig.Programs, pipeline string) *rig.World {
	tb.Helper()
	dir := filepath.Join(g.dir, strconv.FormatInt(g.number.Add(1), 10))
	if err := os.Mkdir(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	w := rig.NewWorld(tb, p, dir, pipeline)
	rig.Make(tb, w.Root, fixture())
	rig.Make(tb, w.Outside, outside())
	return w
}

func (g *golden) outcomeOf(t *testing.T, first, last int) outcome {
	t.Helper()
	w := g.world(t, programs, pipeline(first, last, "0"))
	ran := w.Run(t)
	ran.Want(t, 0)
	return outcome{tree: rig.Look(t, w.Root), report: ran.Report(t)}
}

// settled is a report without what a run that was interrupted may differ in: besides
// what two runs may, the version of an engine that couldn't be asked.
func settled(r report.Report) report.Report {
	r = r.Comparable()
	for i := range r.Invocations {
		r.Invocations[i].Version = ""
	}
	return r
}

// row is what of an accounting row can be put together from those of several runs.
type row struct {
	Path, Kind, From        string
	BytesBefore, BytesAfter int64
}

func rowsOf(changes []report.Change) []row {
	rows := []row{}
	for _, c := range changes {
		rows = append(rows, row{c.Path, c.Kind, c.From, c.BytesBefore, c.BytesAfter})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.Path, b.Path) })
	return rows
}
