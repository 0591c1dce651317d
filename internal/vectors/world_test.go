package vectors

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/textedit"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// world is a run over a disk in memory.
type world struct {
	t     *testing.T
	disk  *treemem.Tree
	store *content.Memory
	env   workspace.Env
	rules policy.Source
	books persist.Books
	ops   []string // of the present step
}

// operation is one of the kinds that the vectors have.
type operation struct {
	Op string

	Do    []primitive     // patch
	Path  string          // edit
	Edits []textedit.Edit // edit
	Patch string          // applyPatch

	Changed, Added, Renamed map[string]string // delta
	Deleted                 []string          // delta
	Raw                     string            // delta
	ReadOnly                bool              // delta, inplace

	Scope    []string // delta, inplace
	Selector []string // delta, inplace
	Paths    []string // delta, write

	Disk   []diskOp        // inplace, external
	Claims json.RawMessage // inplace
	Result string          // inplace
}

type primitive struct {
	Add, Update, Delete, Move, To string
	Text                          *string
}

// newWorld acquires entries from a disk; everything is allowed.
func newWorld(t *testing.T, disk map[string]entry, bounds json.RawMessage, entries []string) *world {
	t.Helper()
	things := make(map[string]treemem.Entry, len(disk))
	for path, e := range disk {
		things[path] = e.Entry
	}
	x := &world{t: t, store: &content.Memory{}}
	var err error
	if x.disk, err = treemem.New(things); err != nil {
		t.Fatal(err)
	}
	x.env = workspace.Env{Store: x.store, OnDisk: workspace.Exists(x.disk), Bounds: workspace.DefaultBounds()}
	if x.env.Types, err = text.NewTypes(text.Overrides{}); err != nil {
		t.Fatal(err)
	}
	if bounds != nil {
		if x.env.Bounds, err = acquire.DecodeBounds(bounds); err != nil {
			t.Fatal(err)
		}
	}
	all, err := policy.Parse([]policy.Spec{{Write: policy.Axis{Allow: []string{"**", "**/.*", "**/.*/**"}}}}, 32)
	if err != nil {
		t.Fatal(err)
	}
	x.rules = policy.Fixed(all)
	source := acquire.Source{Tree: x.disk, Policy: x.rules}
	request := acquire.Request{Entries: entries, Bounds: x.env.Bounds, Types: x.env.Types}
	resolved, err := source.Resolve(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	acquired, err := source.Read(context.Background(), request, resolved, x.store)
	if err != nil {
		t.Fatal(err)
	}
	x.books = persist.Books{Workspace: acquired.Workspace, Baselines: acquired.Baselines}
	return x
}

// do does one operation; what it fails with changes nothing but what a write completed.
func (x *world) do(op operation) error {
	x.t.Helper()
	x.ops = nil
	var next *workspace.Workspace
	var err error
	w := x.books.Workspace
	switch op.Op {
	case "patch":
		next, err = x.patch(op.Do)
	case "edit":
		next, err = w.Edit(x.env, op.Path, op.Edits)
	case "applyPatch":
		var parsed []applypatch.Operation
		if parsed, err = applypatch.Parse(op.Patch, x.env.Bounds.MaxDepth); err == nil {
			next, err = w.ApplyPatch(x.env, parsed)
		}
	case "delta":
		next, err = x.delta(op)
	case "write":
		return x.write(op.Paths)
	case "inplace":
		return x.inplace(op)
	case "check":
		return x.check()
	case "external":
		for _, d := range op.Disk {
			d.apply(x.t, x.disk, map[string]string{})
		}
		return nil
	default:
		x.t.Fatalf("no test runs the operation %q", op.Op)
	}
	if err == nil {
		x.books.Workspace = next
	}
	return err
}

func (x *world) patch(list []primitive) (*workspace.Workspace, error) {
	batch := x.books.Workspace.Batch(x.env)
	for _, p := range list {
		switch {
		case p.Add != "":
			batch.Add(p.Add, *p.Text)
		case p.Update != "":
			batch.Update(p.Update, *p.Text)
		case p.Delete != "":
			batch.Delete(p.Delete)
		case p.Move != "":
			if batch.Move(p.Move, p.To) == nil && p.Text != nil {
				batch.Update(p.To, *p.Text)
			}
		default:
			x.t.Fatalf("no test runs the primitive %+v", p)
		}
	}
	return batch.Commit()
}

func (x *world) globs(list []string) glob.Entries {
	x.t.Helper()
	entries, err := glob.ParseEntries(list, glob.Paths, x.env.Bounds.MaxDepth)
	if err != nil {
		x.t.Fatal(err)
	}
	return entries
}

func (x *world) delta(op operation) (*workspace.Workspace, error) {
	x.t.Helper()
	remit := workspace.Remit{
		Paths: op.Paths, Scope: x.globs(op.Scope), Selector: x.globs(op.Selector), ReadOnly: op.ReadOnly,
	}
	if remit.Paths == nil {
		remit.Paths = x.books.Workspace.Paths()
	}
	slices.Sort(remit.Paths)
	raw := []byte(op.Raw)
	if op.Raw == "" {
		var err error
		raw, err = json.Marshal(map[string]any{
			"changed": op.Changed, "added": op.Added, "deleted": op.Deleted, "renamed": op.Renamed,
		})
		if err != nil {
			x.t.Fatal(err)
		}
	}
	d, err := workspace.ParseDelta(raw)
	if err != nil {
		return nil, err
	}
	next, _, err := x.books.Workspace.ApplyDelta(x.env, remit, d)
	return next, err
}

func (x *world) writer() *persist.Writer {
	return &persist.Writer{
		Tree: x.disk, Store: x.store, Policy: x.rules, Random: rand.NewChaCha8([32]byte{}),
		Observe: func(op persist.Op) { x.ops = append(x.ops, op.String()) },
	}
}

func (x *world) write(paths []string) error {
	var selected func(string) bool
	if paths != nil {
		selected = x.globs(paths).Match
	}
	_, err := x.writer().Write(context.Background(), &x.books, selected)
	return err
}

func (x *world) check() error {
	unsaved, err := x.books.Baselines.Unsaved(x.store, x.books.Workspace)
	if err != nil || len(unsaved) == 0 {
		return err
	}
	return &unsavedError{count: len(unsaved), paths: diagnostic.Listed(unsaved)}
}

// unsavedError is what a check that finds unsaved files says (spec §8.9).
type unsavedError struct {
	count int
	paths []string
}

func (e *unsavedError) Error() string { return "unsaved" }

func (x *world) inplace(op operation) error {
	x.t.Helper()
	env := reread.Env{
		Tree: x.disk, Store: x.store, Policy: x.rules, Types: x.env.Types, Bounds: x.env.Bounds,
		FullCompare: slices.ContainsFunc(op.Disk, func(d diskOp) bool { return strings.HasSuffix(d.Do, "Read") }),
	}
	prepared, err := env.Prepare(x.books.Workspace, x.books.Baselines, reread.Invocation{
		Engine: "engine", Scope: x.globs(op.Scope), Selector: x.globs(op.Selector), ReadOnly: op.ReadOnly,
	})
	if err != nil {
		return err
	}
	snapshot, _, err := env.Snapshot(context.Background(), prepared)
	if err != nil {
		return err
	}
	end := reread.End{Moves: map[string]string{}, Reason: fault.Reason(op.Result)}
	if op.Claims != nil {
		end.Claims = op.Claims
	}
	for _, d := range op.Disk {
		d.apply(x.t, x.disk, end.Moves)
	}
	res, err := env.Reread(context.Background(), prepared, snapshot, end)
	if err != nil {
		return err
	}
	x.books.Workspace, x.books.Baselines = res.Workspace, res.Baselines
	return nil
}

func (x *world) text(r content.Ref) string {
	x.t.Helper()
	data, err := x.store.Get(r, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	return string(bytes.Clone(data))
}
