package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

// answering is a Gate that decides by a function and remembers what it was shown.
type answering struct {
	decide func(gate.Payload, string) ([]gate.Decision, error)
	shown  []gate.Payload
}

func (a *answering) Decide(_ context.Context, p gate.Payload, digest string) ([]gate.Decision, error) {
	a.shown = append(a.shown, p)
	return a.decide(p, digest)
}

func approving(_ gate.Payload, digest string) ([]gate.Decision, error) {
	return []gate.Decision{{Digest: digest, Approved: true}}, nil
}

func TestAGatedStepAsksOnceAndRunsWhenApproved(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepWrite, stepLint)
	w.config.Plan.Gates = plan.GateMutating
	w.tool("lint", appending(""))
	a := &answering{decide: approving}
	w.config.Gate = a
	w.ok()
	var steps []string
	for _, p := range a.shown {
		steps = append(steps, p.Step)
	}
	if want := []string{"bump", "save"}; !cmp.Equal(steps, want) {
		t.Errorf("asked about %v, want %v: a lint that doesn't fix isn't mutating", steps, want)
	}
	if want := acquired; !cmp.Equal(a.shown[1].Targets, want) {
		t.Errorf("the write's targets are %v, want %v", a.shown[1].Targets, want)
	}
	if a.shown[0].Workspace == a.shown[1].Workspace {
		t.Error("the workspace digest didn't move with the edit")
	}
}

func TestADeclinedGateEndsTheRunAndNothingOfTheStepHappens(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, stepWrite)
	w.config.Plan.Gates = plan.GateMutating
	w.config.Gate = &answering{decide: func(p gate.Payload, digest string) ([]gate.Decision, error) {
		return []gate.Decision{{Digest: digest, Approved: p.Step != "save", Note: "not today"}}, nil
	}}
	r := w.run()
	if r.Error == nil || r.Error.Kind != "GateDeclined" {
		t.Fatalf("got error %+v, want GateDeclined", r.Error)
	}
	if got := w.held("a.ts"); got != "one\n" {
		t.Errorf("a.ts holds %q, though the write was declined", got)
	}
	if want := map[string]string{"a.ts": "modified"}; !cmp.Equal(kinds(r), want) {
		t.Errorf("rows %v, want %v: the partial result is returned", kinds(r), want)
	}
}

func TestARunWaitsForADecisionAndGoesOnWithItUnlessTheStateHasMoved(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit, `{"name":"save","write":{},"gates":{"mode":"Always"}}`)
	r := w.run()
	if r.Waiting == nil || r.Waiting.Step != 1 || r.Error != nil {
		t.Fatalf("got waiting %+v, error %+v; want waiting at step 1", r.Waiting, r.Error)
	}
	if got := w.held("a.ts"); got != "one\n" {
		t.Fatalf("a.ts holds %q before the approval", got)
	}
	w.config.Gate = &answering{decide: func(gate.Payload, string) ([]gate.Decision, error) {
		return []gate.Decision{{Digest: "sha256:of-something-else", Approved: true}}, nil
	}}
	again, err := Resume(t.Context(), w.config)
	if err != nil || again.Waiting == nil || again.Waiting.Digest != r.Waiting.Digest {
		t.Fatalf("an approval of another payload: got waiting %+v, error %v", again.Waiting, err)
	}
	w.config.Gate = &answering{decide: func(gate.Payload, string) ([]gate.Decision, error) {
		return []gate.Decision{{Digest: r.Waiting.Digest, Approved: true}}, nil
	}}
	done, err := Resume(t.Context(), w.config)
	if err != nil || done.Error != nil || done.Waiting != nil {
		t.Fatalf("got %+v, error %v", done.Error, err)
	}
	if got := w.held("a.ts"); got != "two\n" {
		t.Errorf("a.ts holds %q after the approval", got)
	}
	if done.Steps[0].State != report.StepSucceeded {
		t.Error("the report forgot the step before the gate")
	}
}

func TestAlwaysGatesTheAcquisitionBeforeAnythingIsRead(t *testing.T) {
	w := newWorld(t, files(), acquired)
	w.config.Plan.Gates = plan.GateAlways
	r := w.run()
	if r.Waiting == nil || r.Waiting.Step != plan.Acquisition {
		t.Fatalf("got waiting %+v, want the acquisition", r.Waiting)
	}
	if r.Acquisition.Files != 0 {
		t.Error("files were read before the gate")
	}
	w.config.Gate = &answering{decide: approving}
	if r, err := Resume(t.Context(), w.config); err != nil || r.Error != nil || r.Acquisition.Files != 3 {
		t.Errorf("got %+v, error %v", r, err)
	}
}

func TestAGateThatFailsFailsTheStep(t *testing.T) {
	w := newWorld(t, files(), acquired, stepEdit)
	w.config.Plan.Gates = plan.GateMutating
	w.config.Gate = &answering{decide: func(gate.Payload, string) ([]gate.Decision, error) { return nil, errors.New("no answer") }}
	r := w.run()
	if r.Error == nil || r.Error.Reason != "gate" || r.Error.Cause != "no answer" {
		t.Errorf("got error %+v, want gate", r.Error)
	}
}
