package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/pods"
)

const engines = `
apiVersion: fettle.dev/v1alpha1
kind: DevEngine
metadata: {name: NS-eslint}
spec:
  image: registry.example.com/eslint:10
  lints:
  - {extensions: [ts], mode: InPlace, scope: ["**/*.ts"], fixable: true, command: [eslint], fixArgs: [--fix]}
---
apiVersion: fettle.dev/v1alpha1
kind: DevEngine
metadata: {name: NS-prettier}
spec:
  image: registry.example.com/prettier:3
  formats:
  - {extensions: [ts], mode: InPlace, scope: ["**/*.ts"], command: [prettier, --write], resources: {limits: {memory: 2Gi}}}
`

const (
	copied  = `{configMap: {name: files, items: [{key: a, path: a.ts}]}}`
	inPlace = `{persistentVolumeClaim: {claimName: checkout, path: src}}`
)

// web is a pipeline of a lint and a format.
func web(name, source, more string) string {
	return `
apiVersion: fettle.dev/v1alpha1
kind: DevPipeline
metadata: {name: ` + name + `, namespace: NS}
spec:
  source: ` + source + `
  timeout: 30m
  workspace: {acquire: ["**/*.ts"], volume: {size: 1Gi}}
  engines: [{ref: NS-eslint}, {ref: NS-prettier, args: [--log-level, warn]}]
  steps:
  - {name: save, write: {}}
  - {name: fix, lint: {fix: true}}
  - {name: format, format: {}}
` + more
}

var (
	fix    = v1alpha1.NextInvocation{Step: 1, Kind: v1alpha1.CapabilityLint}
	format = v1alpha1.NextInvocation{Step: 2, Kind: v1alpha1.CapabilityFormat}
)

func (w *world) next(n v1alpha1.NextInvocation) *v1alpha1.NextInvocation {
	n.Engine = w.namespace + map[v1alpha1.CapabilityKind]string{v1alpha1.CapabilityLint: "-eslint", v1alpha1.CapabilityFormat: "-prettier"}[n.Kind]
	return &n
}

func accounting(files int64) *v1alpha1.Accounting {
	return &v1alpha1.Accounting{Acquired: 9, Changed: v1alpha1.ChangedCounts{Files: files, Modified: files, LinesAdded: 12, LinesRemoved: 5}}
}

func TestARunGoesThroughItsPodsToAResult(t *testing.T) {
	w := newWorld(t)
	w.apply(engines)
	w.apply(web("web", copied, ""))
	w.settle()
	w.wantPipeline("web", metav1.ConditionUnknown, v1alpha1.ReasonRunning, "the source is brought in")
	w.serve("prepare", 1, v1alpha1.RunOutcome{Next: w.next(fix), Changed: []int64{0}, Accounting: accounting(0)})
	w.wantRun(metav1.ConditionUnknown, v1alpha1.ReasonRunning, "step 2 of 3, fix")
	w.serve("1-0", 1, v1alpha1.RunOutcome{Next: w.next(format), Changed: []int64{0, 2}, Accounting: accounting(2)})
	run := w.run()
	if got := run.Status.Accounting; got == nil || got.Changed.Files != 2 {
		t.Errorf("after the first tool the accounting is %+v, want 2 files", got)
	}
	p := w.wantPod("2-0", 1)
	if got := p.Spec.Containers[1].Resources.Limits.Memory().String(); got != "2Gi" {
		t.Errorf("the fixer has %s, want the capability's 2Gi", got)
	}
	if near := p.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].Preference.MatchFields[0].Values; near[0] != nodeName {
		t.Errorf("the Pod prefers %v, want the node of the one before", near)
	}
	w.serve("2-0", 1, v1alpha1.RunOutcome{Result: v1alpha1.ResultChanged, Changed: []int64{0, 2, 3}, Accounting: accounting(4), Report: &v1alpha1.ReportReference{Name: v1alpha1.ObjectName(run.Name), Bytes: 77}})

	run = w.wantRun(metav1.ConditionTrue, v1alpha1.ReasonChanged, "4 of 9 acquired, files changed: +12 -5 lines")
	if run.Status.Result != v1alpha1.ResultChanged || run.Status.Accounting.Changed.Files != 4 || run.Status.Report.Bytes != 77 || len(run.Status.Invocations) != 2 {
		t.Errorf("the run's status is %+v", run.Status)
	}
	for i, want := range []int64{0, 2, 3} {
		if s := run.Status.Steps[i]; s.State != v1alpha1.StepSucceeded || s.Changed != want {
			t.Errorf("step %s is %s and changed %d, want Succeeded and %d", s.Name, s.State, s.Changed, want)
		}
	}
	ready := w.wantPipeline("web", metav1.ConditionTrue, v1alpha1.ReasonChanged, "run "+run.Name)
	if s := ready.Status.LatestRun; s.Name != v1alpha1.ObjectName(run.Name) || s.Result != v1alpha1.ResultChanged || s.Accounting.Changed.Files != 4 || s.CompletionTime == nil {
		t.Errorf("the pipeline's latest run is %+v", s)
	}
	w.wantNothingLeft()
	get(w, run.Name, &v1alpha1.DevPipelineReport{})
	w.wantTold(run.Name, "Normal Changed")
	w.wantTold("web ", "Normal Changed")
}

func TestWhatARunMakesIsOwnedByItAndRestricted(t *testing.T) {
	w := newWorld(t)
	w.apply(engines)
	w.apply(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: NS}, imagePullSecrets: [{name: mirror}]}`)
	w.apply(web("web", copied, ""))
	w.settle()
	run := w.run()
	n := 0
	for _, l := range append(made(), &v1alpha1.DevPipelineReportList{}) {
		for _, o := range w.list(l, w.namespace) {
			if o.GetName() == "default" {
				continue
			}
			n++
			if !metav1.IsControlledBy(o, run) || o.GetLabels()[v1alpha1.LabelRunUID] != string(run.UID) {
				t.Errorf("%T %s isn't the run's", o, o.GetName())
			}
		}
	}
	if n != 6 {
		t.Errorf("the run made %d objects, want a Pod, a claim, a report and three for its access", n)
	}
	if got := w.pod().Spec.ImagePullSecrets; len(got) != 1 || got[0].Name != "mirror" {
		t.Errorf("the Pod pulls with %v, want the secrets of the namespace's ServiceAccount", got)
	}
}

func TestATerminationMessageCountsWhileTheAPIServerWasAway(t *testing.T) {
	w := newWorld(t)
	w.apply(engines)
	w.apply(web("web", copied, ""))
	w.settle()
	p := w.wantPod("prepare", 1)
	w.start(p)
	w.settle()
	w.stop(p, exits(pods.Workspace, 0, "Completed", `{"entry":"prepare","attempt":1,"result":"Unchanged","accounting":{"acquired":3,"changed":{"files":0}}}`))
	w.settle()
	if run := w.wantRun(metav1.ConditionTrue, v1alpha1.ReasonUnchanged, ""); run.Status.Accounting == nil || run.Status.Accounting.Acquired != 3 {
		t.Errorf("the accounting is %+v, want that of the message", run.Status.Accounting)
	}
	w.wantNothingLeft()
}

func TestARunInModeCheckSaysWhatItFound(t *testing.T) {
	w := newWorld(t)
	w.apply(engines)
	w.apply(web("web", copied, "  mode: Check\n"))
	w.settle()
	w.serve("prepare", 1, v1alpha1.RunOutcome{Result: v1alpha1.ResultChangesFound, Accounting: accounting(2)})
	w.wantRun(metav1.ConditionTrue, v1alpha1.ReasonChangesFound, "")
	w.wantPipeline("web", metav1.ConditionTrue, v1alpha1.ReasonChangesFound, "")
}

func TestARunThatWaitsAtAGateSaysWhichAndCanBeCancelled(t *testing.T) {
	w := newWorld(t)
	w.apply(engines)
	w.apply(web("web", copied, "  gates: {mode: Mutating}\n"))
	w.settle()
	gate := v1alpha1.GateStatus{Step: "fix", Digest: "sha256:" + v1alpha1.Digest("0123456789012345678901234567890123456789012345678901234567890123"), Targets: 3}
	w.serve("prepare", 1, v1alpha1.RunOutcome{Waiting: &gate, Accounting: accounting(1)})
	run := w.wantRun(metav1.ConditionUnknown, v1alpha1.ReasonAwaitingApproval, "step fix")
	if run.Status.Gate == nil || run.Status.Gate.Targets != 3 || run.Status.Steps[1].State != v1alpha1.StepAwaitingApproval {
		t.Errorf("the gate is %+v, the step %+v", run.Status.Gate, run.Status.Steps[1])
	}
	w.pass(100 * 60 * 60 * 1e9)
	w.settle()
	w.wantRun(metav1.ConditionUnknown, v1alpha1.ReasonAwaitingApproval, "step fix")
	w.setDesired(v1alpha1.DesiredCancelled)
	w.settle()
	w.wantRun(metav1.ConditionFalse, v1alpha1.ReasonCancelled, "")
	w.wantNothingLeft()
}

func (w *world) setDesired(s v1alpha1.DesiredState) {
	w.Helper()
	run := w.run()
	before := run.DeepCopy()
	run.Spec.DesiredState = s
	w.must(w.Patch(w.Context(), run, client.MergeFrom(before)))
}
