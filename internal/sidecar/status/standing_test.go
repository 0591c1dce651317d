package status

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

func three() *int { n := 2; return &n }

func aReport(change func(*report.Report)) report.Report {
	r := report.Report{
		Version: report.Version, Run: "web-1", Pipeline: "web", Acquisition: report.Acquisition{Files: 7},
		Steps: []report.Step{
			{Index: 0, Name: "save", Action: "write", State: report.StepSucceeded},
			{Index: 1, Name: "fix", Action: "lint", State: report.StepSucceeded, Changed: 2},
			{Index: 2, Name: "format", Action: "format", State: report.StepNotRun},
		},
		Changes: []report.Change{}, Diagnostics: []diagnostic.Diagnostic{},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func changed(r *report.Report) {
	r.Changes = []report.Change{{Path: "a", Kind: "modified", LinesAdded: 1}}
}

func TestAnOutcomeSaysWhereTheRunStands(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*report.Report)
		want   v1alpha1.RunOutcome // but for its accounting
	}{
		{"before an invocation", func(r *report.Report) {
			r.Next = &report.Next{Step: 2, Index: 1, Engine: "prettier", Kind: "format", Capability: 3, ReadOnly: true}
		}, v1alpha1.RunOutcome{Next: &v1alpha1.NextInvocation{Step: 2, Index: 1, Engine: "prettier", Kind: v1alpha1.CapabilityFormat, Capability: 3, ReadOnly: true}, Changed: []int64{0, 2}}},
		{"before a run step, which has no engine", func(r *report.Report) {
			r.Next = &report.Next{Step: 2, Engine: "format", Kind: "run"}
		}, v1alpha1.RunOutcome{Next: &v1alpha1.NextInvocation{Step: 2, Kind: v1alpha1.CapabilityRun}, Changed: []int64{0, 2}}},
		{"at the gate of the acquisition", func(r *report.Report) {
			r.Steps = nil
			r.Waiting = &report.Waiting{Step: -1, Name: "acquire", Digest: "sha256:0"}
		}, v1alpha1.RunOutcome{Waiting: &v1alpha1.GateStatus{Digest: "sha256:0"}}},
		{"at its end, unchanged", nil, v1alpha1.RunOutcome{Result: v1alpha1.ResultUnchanged, Changed: []int64{0, 2}}},
		{"at its end, changed", changed, v1alpha1.RunOutcome{Result: v1alpha1.ResultChanged, Changed: []int64{0, 2}}},
		{"at the end of a check, clean", func(r *report.Report) { r.DryRun = true }, v1alpha1.RunOutcome{Result: v1alpha1.ResultClean, Changed: []int64{0, 2}}},
		{"at the end of a check with changes", func(r *report.Report) { r.DryRun = true; changed(r) }, v1alpha1.RunOutcome{Result: v1alpha1.ResultChangesFound, Changed: []int64{0, 2}}},
		{"at a failure", func(r *report.Report) {
			r.Steps[2].State = report.StepFailed
			r.Error = &report.Failure{Kind: "StepFailed", Reason: "engine-error", Step: three(), Engine: "prettier", Path: "a", Message: "it failed", Cause: "because", Hint: "mend it"}
		}, v1alpha1.RunOutcome{
			Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonToolFailed, Message: "step format: prettier: a: it failed: because",
			FailedStep: new(int32(2)), Changed: []int64{0, 2, 0},
		}},
		{"cancelled", func(r *report.Report) {
			r.Error = &report.Failure{Kind: "StepFailed", Reason: "cancelled", Message: "the run was cancelled"}
		}, v1alpha1.RunOutcome{Result: v1alpha1.ResultCancelled, Reason: v1alpha1.ReasonCancelled, Message: "the run was cancelled", Changed: []int64{0, 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Standing(aReport(tt.change), nil)
			if (got.Accounting != nil) != (got.Result != "") {
				t.Errorf("accounting = %+v, want one where the run has ended", got.Accounting)
			}
			got.Accounting = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGateShowsTheFirstTargetsAndPlaces(t *testing.T) {
	p := &gate.Payload{MayCreate: []gate.Create{{Path: "new"}, {Scope: "src/**"}, {Scope: "src/**", Selector: "**/*.ts"}}}
	for i := range 12 {
		p.Targets = append(p.Targets, fmt.Sprintf("f%02d", i))
	}
	p.Targets[0] = strings.Repeat("x", 1025)
	o := Standing(aReport(func(r *report.Report) { r.Waiting = &report.Waiting{Step: 1, Name: "fix", Digest: "d"} }), p)
	g := o.Waiting
	if g.Step != "fix" || g.Targets != 12 || len(g.FirstTargets) != 10 || g.FirstTargets[0] != "f01" {
		t.Errorf("gate = %+v, want 12 targets, of which the first 10 that fit", g)
	}
	if want := []string{"new", "src/**", "src/** and **/*.ts"}; !cmp.Equal(g.MayCreate, want) {
		t.Errorf("mayCreate = %q, want %q", g.MayCreate, want)
	}
}

func TestARefusalIsAnEndWithItsReason(t *testing.T) {
	err := fmt.Errorf("source: %w", fault.New(fault.PathRefused, fault.ClassEscape, "../x", "it leads out").WithCause(fmt.Errorf("no")))
	want := v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonPathRefused, Message: "../x: it leads out: no"}
	if diff := cmp.Diff(want, Refused(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhateverARunDoesWhatIsToldStaysInItsBounds is about 50,000 changed files with names
// as long as they get, 10,000 findings, and tools that print much.
func TestWhateverARunDoesWhatIsToldStaysInItsBounds(t *testing.T) {
	r := aReport(func(r *report.Report) {
		for i := range 50_000 {
			path := fmt.Sprintf("%05d/%s", i, strings.Repeat("a<", 200))
			r.Changes = append(r.Changes, report.Change{Path: path, Kind: "renamed", From: path + ".old", LinesAdded: i})
		}
		for i := range 10_000 {
			r.Diagnostics = append(r.Diagnostics, diagnostic.Diagnostic{
				Severity: diagnostic.Error, Path: r.Changes[i].Path, EngineID: "eslint", Message: fmt.Sprint(i, strings.Repeat(" noise", i%50)),
			})
		}
		for range 30 {
			r.Invocations = append(r.Invocations, report.Invocation{Engine: "eslint", Stdout: &report.Tail{Text: strings.Repeat("o", 16<<10)}})
		}
		r.Diff = strings.Repeat("+line\n", 1<<20)
		r.Error = &report.Failure{Kind: "StepFailed", Reason: "engine-error", Step: three(), Message: strings.Repeat("<m>", 5000)}
	})
	const limit = 64 << 10
	content, err := Content(r, limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(content.Data) > limit || content.Bytes != int64(len(content.Data)) {
		t.Errorf("the report has %d bytes (it says %d), want at most %d", len(content.Data), content.Bytes, limit)
	}
	cut := content.Cut
	if cut == nil || cut.Diffs == 0 || cut.Tails != 30 || cut.Diagnostics == 0 || cut.Rows == 0 {
		t.Errorf("cut = %+v, want everything counted that is missing", cut)
	}
	o := Standing(r, nil)
	o.Entry, o.Attempt, o.Report = "2-0", 1, content.Reference("web-1")
	raw, err := outcome.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > outcome.MaxBytes {
		t.Errorf("the outcome has %d bytes", len(raw))
	}
	if c := o.Accounting.Changed; c.Files != 50_000 || c.Renamed != 50_000 || o.Accounting.Diagnostics.Errors != 10_000 {
		t.Errorf("accounting = %+v, want all counted", o.Accounting)
	}
	entry, ok := outcome.FitEntry(nil, Entry(Attempt{Step: 2, Engine: "eslint", Number: 1, Outcome: &runtime.Outcome{Ended: "engine-error", Started: true}}, r.Steps, r.Error))
	if raw, err := json.Marshal(entry); err != nil || !ok || len(raw) > 2048 || strings.Contains(string(raw), "noise") {
		t.Errorf("the entry has %d bytes, %v", len(raw), err)
	}
}

func TestAReportThatFitsIsWhole(t *testing.T) {
	c, err := Content(aReport(changed), 64<<10)
	if err != nil || c.Cut != nil || c.Format != "jsonl/1" {
		t.Errorf("content = %+v, %v, want it uncut", c, err)
	}
	if ref := c.Reference("web-1"); ref.Bytes != c.Bytes || len(ref.Digest) != 71 || ref.Name != "web-1" {
		t.Errorf("reference = %+v", ref)
	}
}

func TestPathsThatNoObjectTakesAreLeftOutOfTheFirstRows(t *testing.T) {
	a := accountingOf(aReport(func(r *report.Report) {
		for _, path := range []string{strings.Repeat("é", 1025), "bad\xff", "good", strings.Repeat("é", 1024)} {
			r.Changes = append(r.Changes, report.Change{Path: path, Kind: "added"})
		}
	}))
	if len(a.First) != 2 || a.First[0].Path != "good" || a.Changed.Added != 4 {
		t.Errorf("first = %+v of %d, want the two that fit of four", a.First, a.Changed.Added)
	}
}

func TestAnEntrySaysHowAToolEnded(t *testing.T) {
	one := 1
	now := time.Unix(1_800_000_000, 0)
	for _, tt := range []struct {
		name        string
		attempt     Attempt
		failure     *report.Failure
		wantOutcome v1alpha1.InvocationOutcome
		wantReason  string
	}{
		{"well", Attempt{Outcome: &runtime.Outcome{Ended: "ok", Started: true}}, nil, v1alpha1.OutcomeCompleted, ""},
		{"by its exit code", Attempt{Outcome: &runtime.Outcome{Ended: "engine-error", Started: true, ExitCode: &one, Cause: fmt.Errorf("code 1")}}, nil, v1alpha1.OutcomeEngineError, "engine-error"},
		{"before it was started", Attempt{Outcome: &runtime.Outcome{Ended: "engine-error", Cause: fmt.Errorf("not there")}}, nil, v1alpha1.OutcomeRefused, "engine-error"},
		{"at its deadline", Attempt{Outcome: &runtime.Outcome{Ended: "deadline", Started: true, Cause: fmt.Errorf("late")}}, nil, v1alpha1.OutcomeDeadline, "deadline"},
		{"by a crash", Attempt{Outcome: &runtime.Outcome{Ended: "crash", Started: true, Cause: fmt.Errorf("SIGSEGV")}}, nil, v1alpha1.OutcomeCrash, "crash"},
		{"cancelled", Attempt{Outcome: &runtime.Outcome{Ended: "cancelled", Started: true, Cause: fmt.Errorf("cancelled")}}, nil, v1alpha1.OutcomeCancelled, "cancelled"},
		{"unseen", Attempt{}, nil, v1alpha1.OutcomeCrash, "crash"},
		{
			"well, but where it mustn't", Attempt{Outcome: &runtime.Outcome{Ended: "ok", Started: true}},
			&report.Failure{Kind: "StepFailed", Reason: "policy-violation", Step: new(1), Engine: "eslint", Message: "it wrote vendor/x"}, v1alpha1.OutcomePolicyViolation, "policy-violation",
		},
		{"well, and another failed", Attempt{Outcome: &runtime.Outcome{Ended: "ok", Started: true}}, &report.Failure{Step: three(), Engine: "eslint"}, v1alpha1.OutcomeCompleted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.attempt.Step, tt.attempt.Index, tt.attempt.Engine, tt.attempt.Number, tt.attempt.Ended = 1, 4, "eslint", 2, now
			e := Entry(tt.attempt, aReport(nil).Steps, tt.failure)
			if e.Outcome != tt.wantOutcome || e.Reason != tt.wantReason || (e.Message == "") != (tt.wantReason == "" || tt.name == "unseen") {
				t.Errorf("entry = %+v, want %s, %q", e, tt.wantOutcome, tt.wantReason)
			}
			if e.Name != "1-4" || e.Step != "fix" || e.Attempt != 2 || e.StartTime != nil || !e.CompletionTime.Time.Equal(now) {
				t.Errorf("entry = %+v, want attempt 2 of 1-4 in fix", e)
			}
		})
	}
}
