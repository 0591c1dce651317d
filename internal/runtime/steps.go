package runtime

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/textedit"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// step begins the step at Position, or goes on with it.
func (x *execution) step(ctx context.Context) error {
	at := x.progress.Position
	step := x.Plan.Steps[at]
	if x.begun.IsZero() {
		x.begun = x.Now()
	}
	if !x.progress.Begun {
		x.progress.Begun = true
		x.Observer.StepStarted(at)
	}
	tools := step.Kind().StartsTools()
	if tools && (x.Intercept == nil || x.inside) {
		return x.engineStep(ctx, step)
	}
	err := x.intercepted(ctx, step, func() error {
		if tools {
			return x.drive(ctx, at)
		}
		return x.ownStep(ctx, step)
	})
	if err != nil {
		return err
	}
	if x.progress.Position > at {
		return nil
	}
	return x.endStep()
}

// drive goes on until the step at Position has ended, for an interceptor that called it.
func (x *execution) drive(ctx context.Context, at int) error {
	x.inside = true
	defer func() { x.inside = false }()
	for x.progress.Position == at && x.failure == nil {
		if _, err := x.advance(ctx); err != nil {
			return err
		}
	}
	if x.failure != nil {
		return x.failure
	}
	return nil
}

// ownStep runs a step that starts no tool.
func (x *execution) ownStep(ctx context.Context, step plan.Step) error {
	switch args := step.Args.(type) {
	case plan.ReadLines:
		return x.readLines(args)
	case plan.Edit:
		return x.edit(args)
	case plan.ApplyPatch:
		return x.applyPatch(args)
	case plan.Write:
		return x.write(ctx, args)
	default:
		return fault.New(fault.StepUnavailable, "", "", "%s isn't implemented here", step.Kind()) // validation refuses it before
	}
}

// endStep books the end of a step that went well.
func (x *execution) endStep() error {
	step := &x.report.Steps[x.progress.Position]
	step.State = report.StepSucceeded
	x.stepTook(step)
	x.next()
	if err := x.checkpoint(nil); err != nil {
		x.progress.Position-- // it is this step that can't be kept, not the next
		return err
	}
	x.Observer.StepEnded(*step)
	return nil
}

// env is what the steps of ours need of the run.
func (x *execution) env() workspace.Env {
	return workspace.Env{Store: x.State.Store(), OnDisk: workspace.Exists(x.Tree), Types: x.types(), Bounds: x.Acquire.Bounds}
}

func (x *execution) types() *text.Types { return x.Acquire.Types }

func (x *execution) readLines(args plan.ReadLines) error {
	end := 0
	if args.End != nil {
		end = *args.End
	}
	lines, err := x.books.Workspace.ReadLines(x.State.Store(), args.Path, args.Start, end)
	if err != nil {
		return err
	}
	label := args.Label
	if label == "" {
		label = args.Path
	}
	if _, used := x.report.Reads[label]; used {
		return fault.New(fault.BadArgument, fault.ReasonLabel, args.Path, "the label %q is used by an earlier readLines", label).
			WithHint("give each readLines a label of its own")
	}
	if x.report.Reads == nil {
		x.report.Reads = map[string]string{}
	}
	x.report.Reads[label] = lines
	return nil
}

func (x *execution) edit(args plan.Edit) error {
	edits := make([]textedit.Edit, len(args.Edits))
	for i, e := range args.Edits {
		edits[i] = textedit.Edit{Find: e.Find, Replace: e.Replace}
	}
	next, err := x.books.Workspace.Edit(x.env(), args.Path, edits)
	return x.adopt(next, err)
}

func (x *execution) applyPatch(args plan.ApplyPatch) error {
	ops, err := applypatch.Parse(args.Patch, x.Acquire.Bounds.MaxDepth)
	if err != nil {
		return err
	}
	next, err := x.books.Workspace.ApplyPatch(x.env(), ops)
	return x.adopt(next, err)
}

// adopt takes over what a step in memory made, and counts what it changed.
func (x *execution) adopt(next *workspace.Workspace, err error) error {
	if err != nil {
		return err
	}
	changed, err := differing(x.State.Store(), x.books.Workspace, next)
	if err != nil {
		return err
	}
	x.report.Steps[x.progress.Position].Changed += changed
	x.books.Workspace = next
	return nil
}

// differing counts the files that differ between two workspaces of one run in content or
// path, or are in one of them only.
func differing(store content.Store, before, after *workspace.Workspace) (int, error) {
	type place struct {
		path string
		held content.Ref
	}
	// A file goes by where it is on disk, so that one which was moved counts once.
	key := func(path string, f workspace.File) string {
		if f.Disk != "" {
			return "disk:" + f.Disk
		}
		return "path:" + path
	}
	was := map[string]place{}
	for path, f := range before.All() {
		was[key(path, f)] = place{path, f.Content}
	}
	n := 0
	for path, f := range after.All() {
		k := key(path, f)
		old, ok := was[k]
		delete(was, k)
		same, err := content.Equal(store, old.held, f.Content)
		if err != nil {
			return 0, fmt.Errorf("content of %s: %w", path, err)
		}
		if !ok || !same || old.path != path {
			n++
		}
	}
	return n + len(was), nil
}

func (x *execution) write(ctx context.Context, args plan.Write) error {
	selector, err := x.selectorOf(args.Paths)
	if err != nil {
		return err
	}
	var selected func(string) bool
	if selector != nil {
		selected = selector.Match
	}
	result, err := x.writer().Write(ctx, &x.books, selected)
	x.wrote(result)
	if !result.Durable {
		return err
	}
	x.entry = nil // the next checkpoint closes it
	if err != nil {
		return err
	}
	return x.mint()
}

// Begin makes a write's operations durable before the first (persist.Journal).
func (x *execution) Begin(ops []persist.Op) error { return x.checkpoint(&Entry{Write: ops}) }

// wrote books what a write step, or its replay, has done.
func (x *execution) wrote(r persist.Result) {
	x.report.Steps[x.progress.Position].Written += len(r.Written)
	x.report.Written = x.books.Written
	for _, o := range r.Owners {
		x.report.Identity = append(x.report.Identity, report.Note{Path: o.Path, Kind: "owner", Before: o.Before, After: o.After})
	}
}
