package runtime

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

// Gate asks whoever decides about a step (spec §10). It may take as long as it likes.
type Gate interface {
	// Decide returns the decisions that there are about a payload. Returning none that
	// names its digest leaves the run where it is: it can be resumed later.
	Decide(ctx context.Context, payload gate.Payload, digest string) ([]gate.Decision, error)
}

func (x *execution) gateState() plan.GateState {
	switch {
	case x.decision != nil && x.decision.Approved:
		return plan.GateApproved
	case x.decision != nil:
		return plan.GateDeclined
	case x.waiting:
		return plan.GateWaiting
	default:
		return plan.GateUnasked
	}
}

// ask shows the payload of the present state to whoever decides (spec §10). Where there
// is no decision the run stays where it is.
func (x *execution) ask(ctx context.Context) error {
	payload, err := x.payload(ctx, x.progress.Position)
	if err != nil {
		return err
	}
	digest, err := payload.Digest()
	if err != nil {
		return err
	}
	decisions, err := x.Gate.Decide(ctx, payload, digest)
	if err != nil {
		return fault.New(fault.StepFailed, fault.ReasonGate, "", "the gate failed").WithCause(err)
	}
	outcome, decision := gate.Judge(digest, decisions)
	if outcome == gate.Approved || outcome == gate.Declined {
		x.decision = &decision
		return nil
	}
	x.waiting = true
	x.report.Waiting = &report.Waiting{Step: x.progress.Position, Name: payload.Step, Digest: digest}
	return x.checkpoint(nil)
}

// payload is what a gate shows before a step (spec §10.2).
func (x *execution) payload(ctx context.Context, at int) (gate.Payload, error) {
	p := gate.Payload{Index: at, Plan: x.Digest}
	var err error
	if at == plan.Acquisition {
		p.Step, p.Index, p.Args = "acquire", gate.Acquire, x.Acquire.Entries
		resolved, err := x.source().Resolve(ctx, x.Acquire)
		if err != nil {
			return p, err
		}
		p.Targets = resolved.Paths()
		p.Workspace, err = gate.WorkspaceDigest(func(func(gate.WorkspaceFile, error) bool) {})
		return p, err
	}
	step := x.Plan.Steps[at]
	p.Step, p.Args = step.Name, step.Args
	if p.Targets, p.MayCreate, p.Engines, err = x.concerned(step); err != nil {
		return p, err
	}
	p.Workspace, err = gate.WorkspaceDigest(x.hashes())
	return p, err
}

// concerned returns targets, mayCreate and engines of a step (spec §10.2).
func (x *execution) concerned(step plan.Step) ([]string, []gate.Create, []gate.Engine, error) {
	switch args := step.Args.(type) {
	case plan.ReadLines:
		return []string{args.Path}, nil, nil, nil
	case plan.Edit:
		return []string{args.Path}, nil, nil, nil
	case plan.ApplyPatch:
		return x.concernedByPatch(args)
	case plan.Write:
		return x.concernedByWrite(args)
	case plan.Check:
		selection, err := x.selectFor(step, x.books.Workspace.Paths())
		return x.books.Workspace.Paths(), []gate.Create{}, gate.Engines(selection.Invocations), err
	default:
		selection, err := x.selectFor(step, x.books.Workspace.Paths())
		return selection.Selected, gate.Invocations(selection.Invocations), gate.Engines(selection.Invocations), err
	}
}

func (x *execution) concernedByPatch(args plan.ApplyPatch) ([]string, []gate.Create, []gate.Engine, error) {
	ops, err := applypatch.Parse(args.Patch, x.Acquire.Bounds.MaxDepth)
	if err != nil {
		return nil, nil, nil, err
	}
	targets, creates := map[string]bool{}, []string{}
	for _, op := range ops {
		targets[op.Path] = true
		if op.Kind == applypatch.Add {
			creates = append(creates, op.Path)
		}
		if op.MoveTo != "" {
			targets[op.MoveTo] = true
			creates = append(creates, op.MoveTo)
		}
	}
	return slices.Sorted(maps.Keys(targets)), gate.Paths(creates), nil, nil
}

// concernedByWrite asks the write step what it would do.
func (x *execution) concernedByWrite(args plan.Write) ([]string, []gate.Create, []gate.Engine, error) {
	selector, err := x.selectorOf(args.Paths)
	if err != nil {
		return nil, nil, nil, err
	}
	targets, creates := map[string]bool{}, []string{}
	w := x.books.Workspace
	selects := func(path string) bool { return selector == nil || selector.Match(path) }
	for path, f := range w.All() {
		renamed := f.Disk != "" && f.Disk != path
		if !selects(path) && (!renamed || !selects(f.Disk)) {
			continue
		}
		targets[path] = true
		if renamed {
			targets[f.Disk] = true
		}
		if f.Disk == "" {
			creates = append(creates, path)
		}
	}
	for _, d := range w.PendingDeletions() {
		if selects(d.Disk) || selects(d.LastPath) {
			targets[d.Disk] = true
		}
	}
	return slices.Sorted(maps.Keys(targets)), gate.Paths(creates), nil, nil
}

// hashes yields the workspace as its digest wants it.
func (x *execution) hashes() iter.Seq2[gate.WorkspaceFile, error] {
	return func(yield func(gate.WorkspaceFile, error) bool) {
		var buf []byte
		for path, f := range x.books.Workspace.All() {
			data, err := x.State.Store().Get(f.Content, buf)
			if err != nil {
				err = fmt.Errorf("content of %s: %w", path, err)
			}
			if !yield(gate.WorkspaceFile{Path: path, SHA256: sha256.Sum256(data)}, err) || err != nil {
				return
			}
			buf = data
		}
	}
}
