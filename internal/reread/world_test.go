package reread_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// world is a run over some tree.
type world struct {
	t     testing.TB
	tree  tree.Tree
	env   reread.Env
	rules *policy.Policy
	w     *workspace.Workspace
	b     *workspace.Baselines
	undid []string
}

// newWorld acquires entries from a tree.
func newWorld(t testing.TB, disk tree.Tree, rules *policy.Policy, bounds workspace.Bounds, exclude []string, entries ...string) *world {
	t.Helper()
	return newWorldIn(t, disk, &content.Memory{}, rules, bounds, exclude, entries...)
}

// newWorldIn is newWorld with a store for the bytes.
func newWorldIn(t testing.TB, disk tree.Tree, store content.Store, rules *policy.Policy, bounds workspace.Bounds, exclude []string, entries ...string) *world {
	t.Helper()
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := glob.ParseEntries(exclude, glob.Exclude, bounds.MaxDepth)
	if err != nil {
		t.Fatal(err)
	}
	x := &world{t: t, tree: disk, rules: rules}
	x.env = reread.Env{
		Tree: disk, Store: store, Policy: func() *policy.Policy { return x.rules },
		Types: types, Bounds: bounds, Exclude: glob.NewExclusion(list),
	}
	x.env.Restorer = undoing{x}
	s := acquire.Source{Tree: disk, Policy: x.env.Policy}
	req := acquire.Request{Entries: entries, Exclude: x.env.Exclude, Bounds: bounds, Types: types}
	res, err := s.Resolve(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(context.Background(), req, res, x.env.Store)
	if err != nil {
		t.Fatal(err)
	}
	x.w, x.b = got.Workspace, got.Baselines
	return x
}

// undoing tells what a restoration does.
type undoing struct{ x *world }

func (u undoing) Restore(ctx context.Context, undo []reread.Undo) []error {
	errs := persist.Restorer{Tree: u.x.tree, Store: u.x.env.Store, Seed: "test"}.Restore(ctx, undo)
	for i, err := range errs {
		op := "write "
		if undo[i].Remove {
			op = "delete "
		}
		if err == nil {
			u.x.undid = append(u.x.undid, op+undo[i].Path)
		}
	}
	return errs
}

// prepare prepares an invocation.
func (x *world) prepare(inv reread.Invocation) *reread.Prepared {
	x.t.Helper()
	p, err := x.env.Prepare(x.w, x.b, inv)
	if err != nil {
		x.t.Fatal(err)
	}
	return p
}

// invoke runs a whole invocation: tool is what happens between snapshot and re-read.
func (x *world) invoke(inv reread.Invocation, tool func() reread.End) (*reread.Prepared, *reread.Snapshot, *reread.Result) {
	x.t.Helper()
	p := x.prepare(inv)
	snapshot, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		x.t.Fatal(err)
	}
	end := tool()
	res, err := x.env.Reread(context.Background(), p, snapshot, end)
	if err != nil {
		x.t.Fatal(err)
	}
	x.w, x.b = res.Workspace, res.Baselines
	return p, snapshot, res
}

// patchOp is a primitive of spec §2.8.
type patchOp struct {
	Add, Update, Delete, Move, To string
	Text                          *string
}

func (x *world) patch(ops []patchOp) {
	x.t.Helper()
	batch := x.w.Batch(workspace.Env{
		Store: x.env.Store, OnDisk: workspace.Exists(x.tree), Types: x.env.Types, Bounds: x.env.Bounds,
	})
	for _, op := range ops {
		var err error
		switch {
		case op.Add != "":
			err = batch.Add(op.Add, *op.Text)
		case op.Update != "":
			err = batch.Update(op.Update, *op.Text)
		case op.Delete != "":
			err = batch.Delete(op.Delete)
		case op.Move != "":
			if err = batch.Move(op.Move, op.To); err == nil && op.Text != nil {
				err = batch.Update(op.To, *op.Text)
			}
		default:
			x.t.Fatalf("no such primitive: %+v", op)
		}
		if err != nil {
			x.t.Fatal(err)
		}
	}
	w, err := batch.Commit()
	if err != nil {
		x.t.Fatal(err)
	}
	x.w = w
}

// write is a whole write step.
func (x *world) write() {
	x.t.Helper()
	books := &persist.Books{Workspace: x.w, Baselines: x.b}
	writer := persist.Writer{Tree: x.tree, Store: x.env.Store, Policy: x.env.Policy, Random: rand.NewChaCha8([32]byte{})}
	if _, err := writer.Write(context.Background(), books, nil); err != nil {
		x.t.Fatal(err)
	}
	x.w, x.b = books.Workspace, books.Baselines
}

func globs(t testing.TB, raws []string) glob.Entries {
	t.Helper()
	list, err := glob.ParseEntries(raws, glob.Paths, 32)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func mustBounds(t testing.TB, raw json.RawMessage) workspace.Bounds {
	t.Helper()
	b, err := acquire.DecodeBounds(raw)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
