package runtime

import (
	"context"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Preview is what each step of a plan would do to the tree as it is now. Tools aren't
// run, so what they would change is left out of account for the steps after them.
type Preview struct {
	Acquisition report.Acquisition      `json:"acquisition"`
	Warnings    []diagnostic.Diagnostic `json:"warnings"` // of validation and acquisition
	Steps       []StepPreview           `json:"steps"`
}

// StepPreview is what one step would do. Lists are sorted.
type StepPreview struct {
	Index       int                 `json:"index"` // from 0
	Name        string              `json:"name"`
	Action      string              `json:"action"`
	Gated       bool                `json:"gated"`
	Digest      string              `json:"digest,omitempty"` // what an approval would name, if tools change nothing before
	Targets     []string            `json:"targets"`
	MayCreate   []gate.Create       `json:"mayCreate,omitzero"`
	Invocations []InvocationPreview `json:"invocations,omitempty"`
	Skips       []report.StepSkip   `json:"skips,omitempty"`
	Problem     *report.Failure     `json:"problem,omitempty"` // how the step would fail
}

// InvocationPreview is one tool that a step would start.
type InvocationPreview struct {
	gate.Engine
	Kind     string   `json:"kind"`
	ReadOnly bool     `json:"readOnly"`
	Command  []string `json:"command"`
	Paths    []string `json:"paths"`              // what it would be given
	Withheld []string `json:"withheld,omitempty"` // in its scope, but changed in memory by then
	Denied   Denied   `json:"denied,omitzero"`    // what the policy keeps from it
}

// Denied says which files the policy keeps from a tool (spec §8.7).
type Denied struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	Paths  []string `json:"paths"` // the first ten in order
}

// PreviewOf says what the run of a config would do. It reads the tree, changes nothing,
// and needs no state, driver or gate. A step that would fail is the last one that is
// looked at; an error is one of acquisition.
func PreviewOf(ctx context.Context, c Config) (Preview, error) {
	c.State = Scratch(&content.Memory{})
	x := newExecution(c)
	if err := x.acquire(ctx); err != nil {
		return Preview{}, err
	}
	p := Preview{Acquisition: x.report.Acquisition, Warnings: x.report.Diagnostics}
	for at, step := range c.Plan.Steps {
		if c.Only != nil && *c.Only != at {
			continue
		}
		x.progress.Position = at
		s := x.preview(ctx, step)
		p.Steps = append(p.Steps, s)
		if s.Problem != nil {
			break
		}
	}
	return p, nil
}

func (x *execution) preview(ctx context.Context, step plan.Step) StepPreview {
	at := x.progress.Position
	s := StepPreview{Index: at, Name: step.Name, Action: string(step.Kind()), Gated: x.Plan.Gated(at)}
	payload, err := x.payload(ctx, at)
	s.Targets, s.MayCreate = payload.Targets, payload.MayCreate
	if err == nil && step.Kind().StartsTools() {
		err = x.previewEngines(step, &s)
	} else if err == nil {
		err = x.pretend(step)
	}
	if err == nil && s.Gated {
		s.Digest, err = payload.Digest()
	}
	if err != nil {
		s.Problem = FailureOf(inStep(err, at, step))
	}
	return s
}

func (x *execution) previewEngines(step plan.Step, s *StepPreview) error {
	selection, err := x.selectFor(step, x.books.Workspace.Paths())
	if err != nil {
		return err
	}
	if step.Kind() == plan.KindCheck && len(selection.Invocations) > 0 {
		if err := x.refuseUnsaved(); err != nil {
			return err
		}
	}
	engines := gate.Engines(selection.Invocations)
	for i, in := range selection.Invocations {
		prepared, err := x.rereadEnv().Prepare(x.books.Workspace, x.books.Baselines, subject(in))
		if err != nil {
			return err
		}
		s.Invocations = append(s.Invocations, InvocationPreview{
			Engine: engines[i], Kind: string(in.Kind), ReadOnly: in.ReadOnly, Command: in.Exec.Argv(in.Fix),
			Paths: x.given(in, prepared), Withheld: prepared.Withheld,
			Denied: deniedOf(prepared.Denied),
		})
	}
	x.explain(selection)
	s.Skips = x.report.Steps[s.Index].Skips
	return nil
}

func deniedOf(d reread.Denied) Denied {
	return Denied{Reason: string(d.Reason), Count: len(d.Paths), Paths: diagnostic.Listed(d.Paths)}
}

// pretend does a step of ours in memory; a write is taken to go well.
func (x *execution) pretend(step plan.Step) error {
	switch args := step.Args.(type) {
	case plan.ReadLines:
		return x.readLines(args)
	case plan.Edit:
		return x.edit(args)
	case plan.ApplyPatch:
		return x.applyPatch(args)
	case plan.Write:
		return x.pretendWrite(args)
	default:
		return nil
	}
}

func (x *execution) pretendWrite(args plan.Write) error {
	targets, _, _, err := x.concernedByWrite(args)
	if err != nil {
		return err
	}
	w := x.books.Workspace.Clone()
	for _, path := range targets {
		if f, ok := w.File(path); ok {
			x.books.Baselines.DropPersisted(f.Disk)
			f.Disk = path
			w.Put(path, f)
			x.books.Baselines.PutPersisted(path, workspace.Persisted{Content: f.Content})
		}
		w.DropPending(path)
	}
	x.books.Workspace = w
	return nil
}
