package lifecycle

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// changed is an accounting that can be recognised.
var changed = &v1alpha1.Accounting{Acquired: 9, Changed: v1alpha1.ChangedCounts{Files: 4, LinesAdded: 7, LinesRemoved: 3}}

func desired(s v1alpha1.DesiredState) func(*Observation) {
	return func(o *Observation) { o.Run.Spec.DesiredState = s }
}

func with(change func(*Observation)) func(*Observation) { return change }

func timedOut(o *Observation) { o.Run.Status.StartTime = new(ago(30 * time.Minute)) }

func deleted(o *Observation) { o.Run.DeletionTimestamp = new(ago(time.Second)) }

// saidBefore sets what the status said before.
func saidBefore(reason, message string) func(*Observation) {
	return func(o *Observation) {
		meta.SetStatusCondition(&o.Run.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: reason, Message: message, LastTransitionTime: ago(time.Minute),
		})
	}
}

// scenario is an observation and what is to come of it.
type scenario struct {
	name   string
	source string // copied if empty
	given  []func(*Observation)

	want        Act
	wantEntry   string // and attempt, such as "1-0 #2"; of the Pod that the status names
	wantReason  string
	wantSays    string
	wantResult  v1alpha1.RunResult // empty: the run goes on
	wantWaiting bool
	wantAfter   time.Duration // 0: any
	wantCharged int32
	wantExact   bool
}

var scenarios = slices.Concat(beginScenarios, courseScenarios, claimScenarios, stopScenarios, lossScenarios, editedScenarios)

// NothingYet is Nothing, where it is worth saying.
const NothingYet = Nothing

func list(changes ...func(*Observation)) []func(*Observation) { return changes }

func uncreated(p *v1alpha1.RunPodStatus) { p.UID, p.Node = "", "" }
func unbound(p *v1alpha1.RunPodStatus)   { p.Node = "" }
func idle(p *v1alpha1.RunPodStatus)      { p.Idle = true }
func charged(n int32) func(*v1alpha1.RunPodStatus) {
	return func(p *v1alpha1.RunPodStatus) { p.Charged = n }
}
func missing(d time.Duration) func(*v1alpha1.RunPodStatus) {
	return func(p *v1alpha1.RunPodStatus) { p.MissingSince = new(ago(d)) }
}
func because(reason string) func(*v1alpha1.RunPodStatus) {
	return func(p *v1alpha1.RunPodStatus) { p.Reason, p.Message = reason, "because" }
}
func ending(reason string) func(*v1alpha1.RunPodStatus) {
	return func(p *v1alpha1.RunPodStatus) { p.Ending, p.Reason, p.Message = true, reason, "because" }
}

func (s scenario) observation(t testing.TB) Observation {
	source := s.source
	if source == "" {
		source = copied
	}
	return observe(t, source, s.given...)
}

func TestDecisions(t *testing.T) {
	for _, tt := range scenarios {
		t.Run(tt.name, func(t *testing.T) {
			got := Decide(tt.observation(t))
			if got.Act != tt.want || got.Exact != tt.wantExact {
				t.Errorf("got act %d, exact %v, want %d, %v", got.Act, got.Exact, tt.want, tt.wantExact)
			}
			entry := ""
			if p := got.Status.Pod; p != nil {
				entry = p.Entry + " #" + strconv.Itoa(int(p.Attempt))
				if p.Charged != tt.wantCharged && tt.wantCharged > 0 {
					t.Errorf("got %d attempts charged, want %d", p.Charged, tt.wantCharged)
				}
			}
			if entry != tt.wantEntry {
				t.Errorf("got the Pod %q, want %q", entry, tt.wantEntry)
			}
			c := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded)
			if c == nil || c.Reason != tt.wantReason || !strings.Contains(c.Message, tt.wantSays) {
				t.Errorf("got condition %+v, want %s, %q", c, tt.wantReason, tt.wantSays)
			}
			if got.Status.Result != tt.wantResult || (got.Status.CompletionTime != nil) != (tt.wantResult != "") {
				t.Errorf("got result %q at %v, want %q", got.Status.Result, got.Status.CompletionTime, tt.wantResult)
			}
			wantStatus := metav1.ConditionUnknown
			if succeeded(tt.wantResult) {
				wantStatus = metav1.ConditionTrue
			} else if tt.wantResult != "" {
				wantStatus = metav1.ConditionFalse
			}
			if c != nil && c.Status != wantStatus {
				t.Errorf("Succeeded is %s, want %s", c.Status, wantStatus)
			}
			if waiting := meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionWaiting); waiting != tt.wantWaiting {
				t.Errorf("Waiting is %v, want %v", waiting, tt.wantWaiting)
			}
			if tt.wantAfter != 0 && got.After != tt.wantAfter {
				t.Errorf("looks again after %s, want %s", got.After, tt.wantAfter)
			}
			if tt.wantResult == "" && got.Act == Nothing && got.After == 0 && tt.wantReason != v1alpha1.ReasonPaused && tt.wantReason != v1alpha1.ReasonAwaitingApproval {
				t.Error("nobody will look again")
			}
		})
	}
}

// A manager that is killed after it wrote a status and before it acted decides the same.
func TestDecidingAgainAfterTheStatusWasWrittenDecidesTheSame(t *testing.T) {
	for _, tt := range scenarios {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.observation(t)
			first := Decide(o)
			again := o
			again.Run = o.Run.DeepCopy()
			outcome, invocations := again.Run.Status.Outcome, again.Run.Status.Invocations
			again.Run.Status = *first.Status.DeepCopy()
			again.Run.Status.Outcome, again.Run.Status.Invocations = outcome, invocations
			if p := first.Status.Pod; p != nil && again.Pod != nil && again.Pod.Name != string(p.Name) {
				again.Pod = nil // it is looked for by the name in the status
			}
			second := Decide(again)
			if diff := cmp.Diff(first.Status, second.Status); diff != "" {
				t.Errorf("the status (-first +second):\n%s", diff)
			}
			if first.Act != second.Act || first.Exact != second.Exact {
				t.Errorf("got act %d, then %d", first.Act, second.Act)
			}
		})
	}
}

func TestDecidingChangesNothingThatWasObserved(t *testing.T) {
	for _, tt := range scenarios {
		o := tt.observation(t)
		before, pod := o.Run.DeepCopy(), o.Pod.DeepCopy()
		Decide(o)
		if diff := cmp.Diff(before, o.Run); diff != "" {
			t.Errorf("%s: the run (-before +after):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(pod, o.Pod); diff != "" {
			t.Errorf("%s: the Pod (-before +after):\n%s", tt.name, diff)
		}
	}
}

func TestTheControllersPartOfAStatusLeavesTheSidecarsAlone(t *testing.T) {
	for _, tt := range scenarios {
		if s := Decide(tt.observation(t)).Status; s.Outcome != nil || s.Invocations != nil {
			t.Errorf("%s: the decision has an outcome or invocations", tt.name)
		}
	}
}

func TestStepsSayHowFarTheyAre(t *testing.T) {
	for _, tt := range []struct {
		name  string
		given []func(*Observation)
		want  string
	}{
		{"before the start there are none", list(desired(v1alpha1.DesiredPaused)), ""},
		{"while prepare runs", list(at("prepare", 1, nil), running()), "Pending Pending Pending"},
		{"at an invocation", list(at("1-0", 1, fix()), running(), func(o *Observation) {
			o.Run.Status.Outcome = &v1alpha1.RunOutcome{Entry: "prepare", Attempt: 1, Next: fix(), Changed: []int64{1}}
		}), "Succeeded/1 Running Pending"},
		{"at a gate", list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Waiting: &v1alpha1.GateStatus{Step: "fix"}})), "Succeeded AwaitingApproval Pending"},
		{"paused", list(desired(v1alpha1.DesiredPaused), at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Next: fix()})), "Succeeded Pending Pending"},
		{"at the end", list(at("2-0", 1, format()), running(), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultChanged, Changed: []int64{1, 2, 3}})), "Succeeded/1 Succeeded/2 Succeeded/3"},
		{"at a failure", list(at("1-0", 1, fix()), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed, FailedStep: new(int32(1)), Changed: []int64{1, 2}})), "Succeeded/1 Failed/2 Skipped"},
		{"at a failure before the first", list(at("prepare", 1, nil), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed})), "Skipped Skipped Skipped"},
		{"cancelled at an invocation", list(at("recover", 1, format(), because(v1alpha1.ReasonCancelled)), running(both("")), said(v1alpha1.RunOutcome{Result: v1alpha1.ResultFailed})), "Succeeded Succeeded Failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Decide(observe(t, copied, tt.given...)).Status.Steps {
				word := string(s.State)
				if s.Changed > 0 {
					word += "/" + string(rune('0'+s.Changed))
				}
				got = append(got, word)
				if (s.State == v1alpha1.StepFailed) != (s.Reason != "") {
					t.Errorf("step %s is %s for the reason %q", s.Name, s.State, s.Reason)
				}
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestWhatARunIsKnownToHaveChangedIsKept(t *testing.T) {
	o := observe(t, copied, at("1-0", 1, fix()), running(both("")), said(v1alpha1.RunOutcome{
		Next: format(), Accounting: changed, Revision: "r1", Report: &v1alpha1.ReportReference{Name: "web-1", Bytes: 7},
	}))
	s := Decide(o).Status
	if s.Accounting == nil || s.Accounting.Changed.Files != 4 || s.Source.Revision != "r1" || s.Report.Bytes != 7 || s.Pod.Near != "node-1" {
		t.Errorf("got %+v", s)
	}
	o.Run.Status.Pod, o.Run.Status.Accounting, o.Run.Status.Outcome = s.Pod, s.Accounting, nil
	o.Run.Status.Pod.UID = "pod-uid"
	o.Pod = nil
	if s := Decide(o).Status; s.Accounting == nil {
		t.Error("a Pod without a word forgets what was known")
	}
}

func TestTheNamesOfClaimsAreInTheStatus(t *testing.T) {
	if s := Decide(observe(t, copied)).Status.Source; s.ClaimName == "" || s.StateClaimName != "" {
		t.Errorf("copied: got %+v, want one claim", s)
	}
	if s := Decide(observe(t, inPlace)).Status.Source; s.ClaimName != "checkout" || !strings.HasPrefix(string(s.StateClaimName), "fettle-") {
		t.Errorf("in place: got %+v, want the user's claim and one for state", s)
	}
}
