// Package reasons says what each reason of a condition means and what to do about it, and
// which one a failure of the runtime has. The page docs/reasons.md is made of it.
//
// It is pure, and knows every reason: a test holds it to the constants of api/v1alpha1.
package reasons

import (
	"cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// Reason is one row of the table.
type Reason struct {
	Name  string
	Means string // half a sentence: what is the case
	Do    string // what to do next; "" where there is nothing to be done
}

// Group is reasons that concern the same people.
type Group struct {
	Title   string
	About   string // one sentence
	Reasons []Reason
}

// Of returns the row of a reason; an unknown one has no words.
func Of(name string) Reason {
	for _, g := range Table() {
		for _, r := range g.Reasons {
			if r.Name == name {
				return r
			}
		}
	}
	return Reason{Name: name}
}

// Say is a message of a condition: what happened, by default what the reason means, and
// what to do about it.
func Say(name, what string) string {
	r := Of(name)
	what = cmp.Or(what, r.Means)
	if r.Do == "" {
		return what
	}
	return what + ": " + r.Do
}

// Table returns all reasons, in the order of the page.
func Table() []Group {
	return []Group{course(), author(), step(), infrastructure()}
}

func course() Group {
	return Group{
		Title: "On its way, or as it should be",
		About: "Nobody has to act, but where it says so.",
		Reasons: []Reason{
			{v1alpha1.ReasonPending, "the run hasn't started yet", ""},
			{v1alpha1.ReasonRunning, "a Pod of the run is at work, or about to be", ""},
			{v1alpha1.ReasonPaused, "the run stopped before its next tool, since `spec.desiredState` is `Paused`", "set it to Running to go on"},
			{v1alpha1.ReasonRecovering, "a Pod ended without saying what it did, and another one looks", ""},
			{v1alpha1.ReasonAwaitingApproval, "the run stopped at a gate", "approve or decline the step that the message names"},
			{v1alpha1.ReasonSuspended, "the pipeline starts no runs, since `spec.suspend` is true", "set it to false to start runs again"},
			{v1alpha1.ReasonAccepted, "the engine or policy can be used", ""},
			{v1alpha1.ReasonNeverRun, "the pipeline can run and hasn't yet", ""},
			{v1alpha1.ReasonChanged, "the run succeeded and changed files", ""},
			{v1alpha1.ReasonUnchanged, "the run succeeded, and there was nothing to change", ""},
			{v1alpha1.ReasonChangesFound, "in mode `Check` the run found files that would be changed", "run the pipeline in mode Apply, or the tools by hand"},
			{v1alpha1.ReasonClean, "in mode `Check` the run found nothing to change", ""},
		},
	}
}

func author() Group {
	return Group{
		Title: "It can't be done as it was asked for",
		About: "The author of the pipeline acts, or the owner of the engine or policy that the message names.",
		Reasons: []Reason{
			{v1alpha1.ReasonInvalidPipeline, "the pipeline, or the copy of it in a run, can't be used as it stands", "correct what the message names"},
			{v1alpha1.ReasonInvalidEngine, "an engine can't be used as it is declared", "correct the engine that the message names"},
			{v1alpha1.ReasonInvalidPolicy, "a DevPolicy can't be used as it stands; what it selects isn't run until it can", "correct the policy that the message names"},
			{v1alpha1.ReasonEngineNotFound, "the pipeline refers to a DevEngine that isn't there", "create it, or correct the name: the pipeline goes on by itself"},
			{v1alpha1.ReasonEngineRequired, "a `format`, `lint` or `check` step has no engine that could do it", "add an engine, or remove the step"},
			{v1alpha1.ReasonSourceNotFound, "the claim, ConfigMap or key that the files come from isn't there", "create it, or correct the name in spec.source"},
			{v1alpha1.ReasonSourceFailed, "the files can't be brought in from their source", "correct what the message names, and request a run"},
			{v1alpha1.ReasonMessageNotFound, "the message of a `blocks` step isn't where the step says", "create it, or correct the step"},
			{v1alpha1.ReasonStepUnavailable, "this version of Fettle, or this cluster, can't do the step", "change the step"},
			{v1alpha1.ReasonBadArgument, "an argument of a step doesn't fit the files", "correct the step that the message names"},
			{v1alpha1.ReasonWorkspaceBounds, "there are more files or bytes than `workspace.bounds` allow", "narrow acquire, or raise the bound"},
			{v1alpha1.ReasonPathRefused, "a path leaves the tree, runs through a link, or isn't allowed", "correct the path that the message names"},
			{v1alpha1.ReasonPolicyUnavailable, "there is no policy to ask, and without one nothing is allowed", "mend the policy that the message names"},
			{v1alpha1.ReasonPolicyExceeded, "a DevPolicy of the namespace allows less than the pipeline asks for", "ask for less, or ask whoever owns the policy"},
			{v1alpha1.ReasonPolicyChanged, "a DevPolicy that the run copied was changed or deleted, or one selects the namespace now", "nothing: the pipeline starts another run with what holds now"},
			{v1alpha1.ReasonNotWritable, "the files of the claim belong to a user that the Pods can't be", "set source.persistentVolumeClaim.runAs to whoever may write them"},
		},
	}
}

func step() Group {
	return Group{
		Title: "A step failed",
		About: "The author of the pipeline acts, or the owner of the engine. What the tool printed is in the report: `fettle report RUN`.",
		Reasons: []Reason{
			{v1alpha1.ReasonStepFailed, "a step couldn't be done; what earlier steps wrote stays", "look at the report, correct the step, and request a run"},
			{v1alpha1.ReasonToolFailed, "a tool ended with an exit code that means failure, or by a signal", "look at its output in the report"},
			{v1alpha1.ReasonCommandNotFound, "the image of the engine has no such command", "correct the engine's command or image"},
			{v1alpha1.ReasonMissingDependencies, "a tool couldn't load a plugin or configuration of the project", "declare dependencies in the pipeline, or use an image that has them"},
			{v1alpha1.ReasonDeadlineExceeded, "a tool exceeded its deadline, or the run its timeout", "raise it, or give the tool fewer files"},
			{v1alpha1.ReasonPolicyViolation, "a tool changed or made a file that the policy doesn't let it write", "narrow the tool, or allow the path"},
			{v1alpha1.ReasonContainment, "the pipeline says `containment: Require`, and the tool can't be confined so", "use Prefer, or a node whose kernel has Landlock"},
			{v1alpha1.ReasonGateDeclined, "somebody declined a step", "change the pipeline and request a run"},
			{v1alpha1.ReasonDiagnostics, "the run did its work, and there are findings of severity error", "correct what the tools found: the report lists it"},
			{v1alpha1.ReasonPublishFailed, "the result couldn't be published", "correct what the message names, and request a run"},
			{v1alpha1.ReasonCancelled, "the run was cancelled; what it had done is accounted for", "request a run if you want another one"},
		},
	}
}

func infrastructure() Group {
	return Group{
		Title: "The infrastructure is in the way",
		About: "The administrators of the cluster act. A tool that hadn't started is tried again, which counts against no limit.",
		Reasons: []Reason{
			{v1alpha1.ReasonImagePullFailed, "an image can't be pulled; two minutes of trying are waited for", "correct the image, or give the pull secret it needs: spec.pod.imagePullSecrets"},
			{v1alpha1.ReasonQuotaExceeded, "a quota of the namespace leaves no room for a Pod or claim", "free or raise the quota: the run goes on by itself until its timeout"},
			{v1alpha1.ReasonUnschedulable, "no node can take the Pod", "look at the message, and at spec.pod: the run goes on by itself until its timeout"},
			{v1alpha1.ReasonStartFailed, "a container, or the Pod itself, can't be started", "correct what the message names"},
			{v1alpha1.ReasonOOMKilled, "a container exceeded its memory limit", "raise the limit: resources of the capability, the engine in the pipeline, or spec.pod"},
			{v1alpha1.ReasonEvicted, "a node evicted or preempted the Pod", "request a run, and look after the node or the priority"},
			{v1alpha1.ReasonPodLost, "a Pod was deleted while it was at work", "request a run; retry.limit starts a tool again by itself"},
			{v1alpha1.ReasonVolumeLost, "the claim that the run works on is gone", "request a run: a new claim is made"},
			{v1alpha1.ReasonNodeLost, "the node of a Pod is gone or doesn't answer", "request a run, and look after the node"},
			{v1alpha1.ReasonSidecarRefused, "the sidecar couldn't do its work", "look at the message; if it names no cause, at the log of the container workspace"},
			{v1alpha1.ReasonNoReport, "a Pod ended without saying what it did, and nobody could look: what it changed isn't known", "look at the files before you request a run"},
			{v1alpha1.ReasonClaimInUse, "another run works on the claim, and this one waits for it", "nothing: it starts by itself after the run that the message names"},
			{v1alpha1.ReasonAbandoned, "the namespace or the claim is going away, and the run lets go of it", ""},
		},
	}
}
