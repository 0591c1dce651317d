// Package property runs random plans of everything that a step can do, with random tools
// in between, by the real command line on a real disk, and holds the result to a model
// that is as simple as can be: FETTLE_SOAK=1 draws thousands, FETTLE_SEED others.
package property

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/test/rig"
)

var programs rig.Programs // set by TestMain

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-property-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if programs, err = rig.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// foreign is what no plan may touch, in the midst of what they do.
func foreign() rig.Tree {
	return rig.Tree{
		"other/a.ts":      rig.File("x\n"),
		"src/.hidden.ts":  rig.File("x\n"),
		"src/pic.png":     rig.File("\x89PNG"),
		"src/zero.ts":     rig.File("\x00"),
		"src/dir/link.ts": rig.Link("../zero.ts"),
		"src/out":         rig.Link("../other"),
		"src/gone.ts":     rig.Link("nowhere"),
		"src/empty":       rig.Dir(),
		"src/dir/x.bin":   {Mode: 0o400, Data: "x\n"},
	}
}

// Disk, rows and diff of a random plan are those of the model, and nothing else changes.
func TestARandomPlanComesToWhatTheModelSays(t *testing.T) {
	count := 100
	if os.Getenv("FETTLE_SOAK") != "" {
		count = 2000
	}
	first, _ := strconv.ParseUint(os.Getenv("FETTLE_SEED"), 10, 64) // 0 if there is none
	dir := t.TempDir()
	t.Run("plans", func(t *testing.T) {
		for i := range uint64(count) {
			t.Run(fmt.Sprint("seed ", first+i), func(t *testing.T) {
				t.Parallel()
				at := filepath.Join(dir, strconv.FormatUint(i, 10))
				runPlan(t, at, newPlan(rand.New(rand.NewPCG(first+i, 0))))
				if !t.Failed() {
					os.RemoveAll(at)
				}
			})
		}
	})
}

func runPlan(t *testing.T, dir string, p *plan) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := rig.NewWorld(t, programs, dir, p.manifest())
	rig.Make(t, w.Root, foreign())
	start := rig.Tree{}
	for path, s := range p.start {
		start[path] = rig.Entry{Mode: s.mode, Data: s.data}
	}
	rig.Make(t, w.Root, start)
	ran := w.Run(t)
	ran.Want(t, 0)
	if t.Failed() {
		t.Fatalf("the plan:\n%s", p.manifest())
	}
	r := ran.Report(t)
	wantGiven(t, p, r)
	wantDisk(t, p, w)
	if diff := cmp.Diff(p.model.rows(), withoutClasses(r.Changes)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantDiffApplies(t, p, w, r)
	if t.Failed() {
		t.Logf("the plan:\n%s", p.manifest())
	}
}

// wantGiven wants each tool to have been given what was clean, no more and no less.
func wantGiven(t *testing.T, p *plan, r report.Report) {
	t.Helper()
	var got [][]string
	for _, in := range r.Invocations {
		given := []string(nil)
		if in.Stdout != nil {
			given = strings.Split(strings.TrimSuffix(in.Stdout.Text, "\n"), "\n")
		}
		got = append(got, given)
	}
	if diff := cmp.Diff(p.given, got); diff != "" {
		t.Errorf("what tools are given (-want +got):\n%s", diff)
	}
}

// wantDisk wants the disk to hold the workspace and what is foreign, and nothing else.
func wantDisk(t *testing.T, p *plan, w *rig.World) {
	t.Helper()
	got, want := rig.Look(t, w.Root), rig.Tree{}
	for path, e := range got {
		if e.Mode.IsDir() {
			want[path] = e // a directory that was made stays
		}
	}
	for path, e := range foreign() {
		if e.Mode&fs.ModeSymlink != 0 {
			e.Mode |= 0o777
		}
		want[path] = e
	}
	for path, f := range p.model.files {
		want[path] = rig.Entry{Mode: f.mode, Data: f.data}
	}
	if diff := rig.Diff(got, want); diff != "" {
		t.Errorf("the disk isn't what the workspace is:\n%s", diff)
	}
}

// withoutClasses are rows without what the model doesn't say.
func withoutClasses(changes []report.Change) []report.Change {
	rows := slices.Clone(changes)
	for i := range rows {
		rows[i].Class = ""
	}
	return rows
}

// wantDiffApplies wants git to make of the acquired files, by the report's diff, those of
// the workspace.
func wantDiffApplies(t *testing.T, p *plan, w *rig.World, r report.Report) {
	t.Helper()
	applied := filepath.Join(filepath.Dir(w.Root), "applied")
	tree, want := rig.Tree{".": rig.Dir()}, map[string]string{}
	for path, s := range p.start {
		tree[path] = rig.File(s.data)
	}
	for path, f := range p.model.files {
		want[path] = f.data
	}
	rig.Make(t, applied, tree)
	if r.Diff != "" {
		apply := exec.Command("git", "apply", "--whitespace=nowarn")
		apply.Dir, apply.Stdin = applied, strings.NewReader(r.Diff)
		apply.Env = append(w.Env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(applied), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("git can't apply the diff: %v\n%s\n%s", err, out, r.Diff)
			return
		}
	}
	if diff := cmp.Diff(want, rig.Look(t, applied).Files()); diff != "" {
		t.Errorf("the diff makes another workspace (-want +got):\n%s", diff)
	}
}
