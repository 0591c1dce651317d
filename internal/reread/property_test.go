package reread_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Whatever is done to the tree between snapshot and re-read, afterwards the workspace
// holds what the disk holds for every known path of the envelope and every new file in
// it, nothing else has changed, nothing outside the envelope was read, and trusting
// identities gives the same as reading everything.
func TestTheWorkspaceFollowsTheDiskWhateverHappens(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 13))
		disk, err := treemem.New(map[string]treemem.Entry{"seed.ts": {Data: "seed\n"}})
		if err != nil {
			t.Fatal(err)
		}
		havoc(t, rng, disk, 60)
		bounds := workspace.DefaultBounds()
		bounds.MaxBytesPerFile, bounds.MaxDepth = 40, 5
		x := newWorld(t, disk, parsePolicy(t, nil), bounds, []string{"b/b", "**/b.bin"}, "seed.ts")
		x.acquireAll(t)
		for step := range 6 {
			if ok := x.propertyStep(t, rng, disk, fmt.Sprintf("seed %d step %d", seed, step)); !ok {
				t.FailNow()
			}
		}
	}
}

// acquireAll takes every text file of the disk into the workspace, by a generator that
// made them all.
func (x *world) acquireAll(t *testing.T) {
	p := x.prepare(reread.Invocation{Engine: "tool"})
	res, err := x.env.Reread(context.Background(), p, &reread.Snapshot{}, reread.End{})
	if err != nil {
		t.Fatal(err)
	}
	x.w, x.b = res.Workspace, res.Baselines
}

func (x *world) propertyStep(t *testing.T, rng *rand.Rand, disk *treemem.Tree, name string) bool {
	t.Helper()
	x.dirty(t, rng, name)
	inv := reread.Invocation{Engine: "tool", Scope: randomScope(t, rng)}
	if rng.IntN(2) == 0 {
		inv.Selector = randomScope(t, rng)
	}
	watch := &watched{Tree: disk, region: glob.NewRegion(inv.Scope, inv.Selector)}
	x.env.Tree = watch
	p := x.prepare(inv)
	s, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	before, baselines := x.w, x.b
	havoc(t, rng, disk, rng.IntN(12))
	held := disk.Snapshot()

	var results [2]*reread.Result
	for i, full := range []bool{true, false} {
		x.env.FullCompare = full
		if results[i], err = x.env.Reread(context.Background(), p, s, reread.End{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	x.env.FullCompare = false
	if diff := cmp.Diff(summary(results[0]), summary(results[1])); diff != "" {
		t.Errorf("%s: reading everything and trusting identities differ (-all +identities):\n%s", name, diff)
	}
	if diff := cmp.Diff(held, disk.Snapshot()); diff != "" {
		t.Errorf("%s: the re-read changed the disk:\n%s", name, diff)
	}
	if len(watch.outside) > 0 {
		t.Errorf("%s: read outside the envelope: %q", name, watch.outside)
	}
	x.w, x.b = results[1].Workspace, results[1].Baselines
	x.follows(t, name, before, baselines, p, s, held)
	return !t.Failed()
}

// watched tells what is read or listed outside a region.
type watched struct {
	*treemem.Tree
	region  *glob.Region
	outside []string
}

func (w *watched) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	if !w.region.Match(path) {
		w.outside = append(w.outside, "file "+path)
	}
	return w.Tree.ReadFile(path, limit, buf)
}

func (w *watched) ReadDir(dir string, visit func([]byte, tree.Kind) bool) error {
	if !w.region.Below(dir) {
		w.outside = append(w.outside, "directory "+dir)
	}
	return w.Tree.ReadDir(dir, visit)
}

// dirty edits, adds or deletes something in memory, so that it is withheld.
func (x *world) dirty(t *testing.T, rng *rand.Rand, name string) {
	t.Helper()
	paths := x.w.Paths()
	if len(paths) == 0 || rng.IntN(2) == 0 {
		return
	}
	path, text := paths[rng.IntN(len(paths))], name+"\n"
	switch rng.IntN(3) {
	case 0:
		x.patch([]patchOp{{Update: path, Text: &text}})
	case 1:
		x.patch([]patchOp{{Delete: path}})
	case 2:
		to := fmt.Sprintf("moved%d.ts", rng.IntN(1000))
		if _, err := x.tree.Stat(to); err != nil && !slices.Contains(paths, to) {
			x.patch([]patchOp{{Move: path, To: to}})
		}
	}
}

// follows checks the workspace after a re-read against the disk.
func (x *world) follows(t *testing.T, name string, before *workspace.Workspace, baselines *workspace.Baselines,
	p *reread.Prepared, s *reread.Snapshot, held map[string]treemem.Entry,
) {
	t.Helper()
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // the files, by path
	wantUnreadable := map[string]bool{}
	region := x.env.Tree.(*watched).region
	withheld := func(path string) bool { return slices.Contains(p.Withheld, path) }
	admissible := func(path string) bool {
		e := held[path]
		_, byName := types.Resolve(path)
		return e.Kind == tree.Regular && utf8.ValidString(path) && byName && len(e.Data) <= 40 && text.Valid([]byte(e.Data))
	}
	keep := func(path string) {
		_, there := held[path]
		there = there || behindLink(held, path)
		switch {
		case there && admissible(path):
			want[path] = held[path].Data
		case there:
			wantUnreadable[path] = true
		}
	}
	for path, f := range before.All() {
		if region.Match(path) && !withheld(path) {
			keep(path)
			continue
		}
		data, err := x.env.Store.Get(f.Content, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[path] = string(data)
	}
	for _, path := range before.UnreadablePaths() {
		if region.Match(path) {
			keep(path)
		} else {
			wantUnreadable[path] = true
		}
	}
	for path, e := range held {
		_, known := before.File(path)
		_, unreadable := before.Unreadable(path)
		_, taken := before.AtDisk(path)
		depth := strings.Count(path, "/") + 1
		if e.Kind == tree.Regular && region.Match(path) && !x.env.Exclude.CoversFile(path) && depth <= x.env.Bounds.MaxDepth &&
			!known && !unreadable && !taken && !slices.Contains(s.Files, path) && admissible(path) {
			want[path] = e.Data
		}
	}
	got := map[string]string{}
	for path, f := range x.w.All() {
		data, err := x.env.Store.Get(f.Content, nil)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = string(data)
		x.checkBaseline(t, name, path, f, held, region.Match(path) && !withheld(path))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: scope %q selector %q: files (-want +got):\n%s", name, region.Scope().Strings(), region.Selector().Strings(), diff)
	}
	if got, want := x.w.UnreadablePaths(), slices.Sorted(maps.Keys(wantUnreadable)); !slices.Equal(got, want) {
		t.Errorf("%s: unreadable %q, want %q", name, got, want)
	}
	for path, f := range before.All() {
		if after, ok := x.w.File(path); ok && after.Origin != f.Origin {
			t.Errorf("%s: %s has origin %q, want %q", name, path, after.Origin, f.Origin)
		}
	}
	for path, ref := range baselines.AllAcquired() {
		if now, ok := x.b.Acquired(path); !ok || now != ref {
			t.Errorf("%s: the acquisition baseline of %s changed", name, path)
		}
	}
}

func (x *world) checkBaseline(t *testing.T, name, path string, f workspace.File, held map[string]treemem.Entry, fresh bool) {
	t.Helper()
	if !fresh {
		return
	}
	persisted, ok := x.b.Persisted(path)
	id, err := x.tree.Stat(path)
	if !ok || err != nil || persisted.Content != f.Content || persisted.ID != id || f.Disk != path || f.Mode != held[path].Mode {
		t.Errorf("%s: %s is recorded as %+v, %+v; the disk has %+v (%v)", name, path, f, persisted, id, err)
	}
}

// behindLink says whether a link stands above path.
func behindLink(held map[string]treemem.Entry, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && held[path[:i]].Kind == tree.Link {
			return true
		}
	}
	return false
}

// summary is what two re-reads of one state must agree on.
func summary(r *reread.Result) any {
	files := map[string]string{}
	for path, f := range r.Workspace.All() {
		files[path] = fmt.Sprint(f.Content.Len, f.Mode, f.MIME, f.Origin, f.Disk)
	}
	return []any{r.Outcomes, r.Changed, r.Notes, r.Errors, r.Warnings, files, r.Workspace.UnreadablePaths(), r.Workspace.PendingDeletions()}
}

var (
	propertySegments = []string{"a", "b", "c", ".d"}
	propertyNames    = []string{"a.ts", "b.ts", "c.md", ".e.ts", "b.bin", "x\xff.ts", "n\nl.ts", "a", "b"}
	propertyScopes   = []string{"**", "**/*.ts", "a/**", "b/**", "a/b/*", "*.ts", "a/a.ts", "**/.e.ts", "c/*", "a", "b/b/**"}
)

func randomScope(t *testing.T, rng *rand.Rand) glob.Entries {
	t.Helper()
	var raws []string
	for range 1 + rng.IntN(3) {
		raws = append(raws, propertyScopes[rng.IntN(len(propertyScopes))])
	}
	return globs(t, raws)
}

func randomPath(rng *rand.Rand) string {
	path := ""
	for range rng.IntN(4) {
		path += propertySegments[rng.IntN(len(propertySegments))] + "/"
	}
	return path + propertyNames[rng.IntN(len(propertyNames))]
}

// havoc does n random things to the disk. Some fail, for what is in the way; that's fine.
func havoc(t *testing.T, rng *rand.Rand, disk *treemem.Tree, n int) {
	t.Helper()
	for range n {
		path := randomPath(rng)
		var err error
		switch rng.IntN(10) {
		case 0, 1, 2:
			err = disk.Put(path, treemem.Entry{Kind: tree.Regular, Data: fmt.Sprintf("%d\n", rng.IntN(9))})
		case 3:
			err = disk.Put(path, treemem.Entry{Kind: tree.Regular, Data: []string{"\x00", strings.Repeat("x", 41), ""}[rng.IntN(3)]})
		case 4:
			err = disk.Delete(path)
		case 5:
			err = disk.Move(path, randomPath(rng))
		case 6:
			err = disk.Put(path, treemem.Entry{Target: "a"})
		case 7:
			err = disk.Put(path, treemem.Entry{Kind: []tree.Kind{tree.Other, tree.Directory}[rng.IntN(2)]})
		case 8:
			err = disk.Chmod(path, []uint32{0o600, 0o644, 0o755}[rng.IntN(3)])
		case 9: // a directory moves as a whole
			err = disk.Move(propertySegments[rng.IntN(3)], propertySegments[rng.IntN(3)])
		}
		_ = err
	}
}
