package sidecar_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// steps that save an edit, append to files, and remove one.
const steps = `edit: {path: a.txt, edits: [{find: a, replace: A}]}
write: {}
run: {image: x, command: [sh, -c, "for f; do echo more >>$f; done", sh], scope: ["**"]}
run: {image: x, command: [sh, -c, "rm sub/b.txt; echo c >c.txt"], scope: ["**"], needs: [delete]}`

func files() map[string]string { return map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"} }

func TestARunGoesThroughAPodForEachTool(t *testing.T) {
	w := newWorld(t, files(), steps)
	var entries []string
	for entry := "prepare"; ; {
		e := w.pod(entry, 1)
		o := e.outcome(t)
		entries = append(entries, entry)
		if o.Entry != entry || o.Attempt != 1 || e.code != 0 || e.fixer != nil {
			t.Errorf("%s ended with %d, %v and %+v", entry, e.code, e.fixer, o)
		}
		run := theRun(t, w.run)
		if diff := cmp.Diff(&o, run.Status.Outcome); diff != "" {
			t.Errorf("%s: termination message and status differ:\n%s", entry, diff)
		}
		if o.Next == nil {
			break
		}
		if o.Accounting != nil || o.Result != "" || o.Next.Kind != v1alpha1.CapabilityRun || o.Next.Engine != "" {
			t.Errorf("%s stands at %+v, want the run step alone", entry, o)
		}
		entry = "2-0"
		if o.Next.Step == 3 {
			entry = "3-0"
		}
	}
	if want := []string{"prepare", "2-0", "3-0"}; !cmp.Equal(entries, want) {
		t.Errorf("Pods for %v, want %v", entries, want)
	}

	status := theRun(t, w.run).Status
	o := status.Outcome
	if o.Result != v1alpha1.ResultChanged || !cmp.Equal(o.Changed, []int64{1, 0, 2, 2}) {
		t.Errorf("outcome = %+v, want Changed by 1, 0, 2 and 2", o)
	}
	want := v1alpha1.ChangedCounts{Files: 3, Added: 1, Modified: 1, Deleted: 1, LinesAdded: 3, LinesRemoved: 2}
	if a := o.Accounting; a == nil || a.Changed != want || a.Acquired != 2 || len(a.First) != 3 {
		t.Errorf("accounting = %+v, want %+v of 2 files", o.Accounting, want)
	}
	var names []string
	for _, e := range status.Invocations {
		names = append(names, e.Name)
		if e.Outcome != v1alpha1.OutcomeCompleted || *e.ExitCode != 0 || e.Attempt != 1 || e.Changed != 2 || e.StartTime == nil || e.CompletionTime == nil {
			t.Errorf("entry %+v, want completed with 2 changed", e)
		}
	}
	if !cmp.Equal(names, []string{"2-0", "3-0"}) {
		t.Errorf("entries %v, want one for each invocation", names)
	}
	object, r := theReport(t, w.run)
	if object.Format != "jsonl/1" || object.Bytes != int64(len(object.Data)) || object.Cut != nil || o.Report.Bytes != object.Bytes {
		t.Errorf("report of %d bytes, format %s, cut %+v; the outcome refers to %+v", object.Bytes, object.Format, object.Cut, o.Report)
	}
	if len(r.Changes) != 3 || r.Run != w.run || !strings.Contains(r.Diff, "+more") {
		t.Errorf("the report is of %s and has %d rows", r.Run, len(r.Changes))
	}
	if got := w.file("a.txt") + w.file("c.txt") + w.file("sub/b.txt"); got != "A\nmore\nc\n" {
		t.Errorf("the tree holds %q", got)
	}
}

func TestAManagerOwnsItsEntryAloneAndTheLastOneTheOutcome(t *testing.T) {
	w := newWorld(t, files(), steps)
	w.toEnd("prepare")
	owners := map[string]bool{}
	for _, m := range theRun(t, w.run).ManagedFields {
		if strings.HasPrefix(m.Manager, "fettle-sidecar-") {
			fields := string(m.FieldsV1.GetRawBytes())
			owners[m.Manager] = strings.Contains(fields, `}},"f:outcome":{}}}`)
			if m.Subresource != "status" || strings.Contains(fields, `"f:spec"`) {
				t.Errorf("%s owns %s", m.Manager, fields)
			}
		}
	}
	if want := map[string]bool{"fettle-sidecar-2-0": false, "fettle-sidecar-3-0": true}; !cmp.Equal(owners, want) {
		t.Errorf("managers, and whether the outcome is theirs: %v, want %v", owners, want)
	}
}

func TestWhatAToolFailsWithIsTold(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		wantReason    string
		wantOutcome   v1alpha1.InvocationOutcome
		wantMessage   string
	}{
		{"its exit code", `[sh, -c, "echo half >>a.txt; exit 3"]`, v1alpha1.ReasonToolFailed, v1alpha1.OutcomeEngineError, "exited with code 3"},
		{"no such command", `[no-such-tool]`, v1alpha1.ReasonCommandNotFound, v1alpha1.OutcomeRefused, "the image has no no-such-tool"},
		{"a shell that finds none", `[sh, -c, "exit 127"]`, v1alpha1.ReasonCommandNotFound, v1alpha1.OutcomeEngineError, "code 127"},
		{"a module that isn't there", `[sh, -c, "echo Error [ERR_MODULE_NOT_FOUND]: x >&2; exit 1"]`, v1alpha1.ReasonMissingDependencies, v1alpha1.OutcomeEngineError, "code 1"},
		{"a signal", `[sh, -c, "kill -SEGV $$"]`, v1alpha1.ReasonToolFailed, v1alpha1.OutcomeCrash, "SIGSEGV"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, files(), `run: {image: x, command: `+tt.command+`, scope: ["**"]}`)
			w.pod("prepare", 1)
			e := w.pod("0-0", 1)
			o := e.outcome(t)
			if e.code != 1 || o.Result != v1alpha1.ResultFailed || o.Reason != tt.wantReason || !strings.Contains(o.Message, tt.wantMessage) || *o.FailedStep != 0 {
				t.Errorf("code %d, outcome %+v, want %s with %q", e.code, o, tt.wantReason, tt.wantMessage)
			}
			status := theRun(t, w.run).Status
			if entry := status.Invocations[0]; entry.Outcome != tt.wantOutcome || !strings.Contains(entry.Message, tt.wantMessage) || strings.Contains(entry.Message, "ERR_MODULE") {
				t.Errorf("entry = %+v, want %s and no output of the tool", entry, tt.wantOutcome)
			}
			_, r := theReport(t, w.run)
			if r.Error == nil || o.Accounting.Changed.Files != int64(len(r.Changes)) {
				t.Errorf("the report says %+v with %d rows, the outcome %d", r.Error, len(r.Changes), o.Accounting.Changed.Files)
			}
			if tt.command[:5] == "[sh, " && strings.Contains(tt.command, "half") && len(r.Changes) != 1 {
				t.Errorf("%d rows, want what the tool did before it failed", len(r.Changes))
			}
		})
	}
}

func TestAFailedToolIsTriedAgainInAnotherPodAsOftenAsThePipelineSays(t *testing.T) {
	for _, tt := range []struct {
		name       string
		script     string
		wantResult v1alpha1.RunResult
	}{
		{"the second attempt goes well", `[ -e once.txt ] || { touch once.txt; exit 1; }`, v1alpha1.ResultChanged},
		{"no attempt does", `exit 1`, v1alpha1.ResultFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", "  retry: {limit: 1}\n",
				`run: {image: x, command: [sh, -c, "echo more >>a.txt; `+tt.script+`"], scope: ["**"]}`)
			w := worldOf(t, spec, func(base string) { plant(t, filepath.Join(base, "source/src"), files()) })
			w.pod("prepare", 1)
			e := w.pod("0-0", 1)
			o := e.outcome(t)
			if e.code != 0 || o.Next == nil || o.Next.Step != 0 || o.Result != "" || o.Reason != v1alpha1.ReasonToolFailed || o.Message == "" {
				t.Errorf("the first attempt: code %d, %+v, want that it asks for another", e.code, o)
			}
			if entry := theRun(t, w.run).Status.Invocations[0]; entry.Outcome != v1alpha1.OutcomeEngineError || entry.Attempt != 1 {
				t.Errorf("the first attempt's entry is %+v", entry)
			}
			o = w.pod("0-0", 2).outcome(t)
			if o.Result != tt.wantResult || o.Accounting.Changed.LinesAdded < 2 {
				t.Errorf("the second attempt: %+v, want %s with what both did", o, tt.wantResult)
			}
			status := theRun(t, w.run).Status
			if len(status.Invocations) != 1 || status.Invocations[0].Attempt != 2 {
				t.Errorf("entries %+v, want that of the second attempt in place of the first", status.Invocations)
			}
		})
	}
}

func TestAPodForAnotherInvocationThanTheNextSaysWhichIsNext(t *testing.T) {
	w := newWorld(t, files(), steps)
	w.pod("prepare", 1)
	e := w.pod("3-0", 1)
	o := e.outcome(t)
	if e.code != 0 || e.fixer != nil || o.Next == nil || o.Next.Step != 2 {
		t.Errorf("code %d, fixer %v, %+v, want 2-0 as the next, and the fixer gone", e.code, e.fixer, o)
	}
	if got := w.file("a.txt"); got != "A\n" {
		t.Errorf("a.txt holds %q: a tool has run", got)
	}
}

func TestAGateStopsARunAndShowsWhatItIsAbout(t *testing.T) {
	spec := specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", "  gates: {mode: Mutating}\n",
		`run: {image: x, command: ["true"], scope: ["**"]}`)
	w := worldOf(t, spec, func(base string) { plant(t, filepath.Join(base, "source/src"), files()) })
	e := w.pod("prepare", 1)
	o := e.outcome(t)
	want := []v1alpha1.Path{"a.txt", "sub/b.txt"}
	if g := o.Waiting; e.code != 0 || g == nil || g.Step != "s0" || g.Targets != 2 || !cmp.Equal(g.FirstTargets, want) || !cmp.Equal(g.MayCreate, []string{"**"}) || g.Digest == "" {
		t.Errorf("code %d, %+v, want a wait before s0 for %v", e.code, o, want)
	}
	again := w.pod("prepare", 2).outcome(t)
	if again.Waiting == nil || again.Waiting.Digest != o.Waiting.Digest {
		t.Errorf("the next Pod waits for %+v, want the same digest", again.Waiting)
	}
	if _, r := theReport(t, w.run); r.Waiting == nil || r.Acquisition.Files != 2 {
		t.Errorf("the report says %+v of %d files", r.Waiting, r.Acquisition.Files)
	}
}
