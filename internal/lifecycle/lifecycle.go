// Package lifecycle decides what to do next with a run in a cluster, and what its status
// says (architecture: "How a run executes in a cluster").
//
// It is pure: a decision is a function of what was observed, so that whoever acts on it
// can be killed at any point and decide again. What is about to be done with a Pod is in
// the status before it is done. It never asks a cluster, and never looks at files.
package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// Spans of time that decisions rest on.
const (
	PullGrace     = 2 * time.Minute  // for an image to be pulled, and for a container to be configured
	LostGrace     = 60 * time.Second // a Pod that vanished without a word may still be writing
	OrphanGrace   = 30 * time.Second // for a fixer to end after its sidecar
	RereadGrace   = 10 * time.Minute // for a sidecar to end after its fixer
	StuckGrace    = 5 * time.Minute  // for a deleted Pod to vanish
	RecoverGrace  = 10 * time.Minute // for a recovery Pod to start and end
	lookAgain     = 15 * time.Second // at what nobody tells us of
	firstBackoff  = 5 * time.Second
	longestWait   = time.Minute
	maxFree       = 5 // attempts of an entry that count against no limit
	maxRecoveries = 3
	maxRedo       = 4 // attempts of prepare that asked for other properties
)

// Observation is what was found of a run.
type Observation struct {
	Run *v1alpha1.DevPipelineRun
	Now time.Time

	// Pod is the one that the status names, or that the labels say it should, as it is in
	// the cluster; nil if there is none.
	Pod *corev1.Pod
	// NodeGone says that the node of that Pod isn't in the cluster any more.
	NodeGone bool
	// Hang says why a Pod doesn't start, by its events; zero if nothing was found.
	Hang Refusal

	// Refusal says why a run that hasn't started can't be.
	Refusal Refusal
	// Withdrawn says which policy that the run copied is no longer what it was.
	Withdrawn string
	// Source is the user's claim, and SourceUID its UID.
	Source    Claim
	SourceUID string
	// Own is the run's own claim.
	Own Claim
	// Ahead is the run that is before this one at the source's claim, "" if it is this
	// one's turn.
	Ahead string
	// Leaving says that the namespace is being deleted.
	Leaving bool
	// Obstacle says why what was decided just now couldn't be done: a quota, say. Final
	// says that trying again can't help.
	Obstacle Refusal
	Final    bool
}

// Claim is a claim as it was observed.
type Claim int

// The states of a claim.
const (
	ClaimUnused  Claim = iota // the run needs none
	ClaimAbsent               // it isn't there
	ClaimPresent              // it can be used
	ClaimLeaving              // it is being deleted
	ClaimTaken                // there is one of its name that another run owns
)

// Refusal is a reason of package v1alpha1 and what is the case; zero is none.
type Refusal struct {
	Reason, Message string
}

// Act is what to do once the status is written.
type Act int

// The acts. All can be repeated.
const (
	Nothing  Act = iota
	Reserve      // create the run's own claim, if nobody has it
	Start        // create the Pod that the status names, and what it needs
	End          // delete the Pod that the status names
	CleanUp      // delete everything that was made for the run but its report
	Complete     // CleanUp, and let go of the run itself
)

// Decision is what to do with a run.
type Decision struct {
	// Status is the run's as it should be. Only what the controller owns counts: neither
	// the outcome nor invocations.
	Status v1alpha1.DevPipelineRunStatus
	Act    Act
	// After is when to look again though nothing was heard; 0 is never.
	After time.Duration
	// Exact says that the Pod may be deleted only as it was observed: it counts as one that
	// never ran.
	Exact bool
}

// Decide decides.
func Decide(o Observation) Decision {
	d := &decider{Observation: o}
	d.Status = owned(o.Run.Status)
	for _, phase := range []func() bool{d.ended, d.adopt, d.abandon, d.begin, d.follow} {
		if phase() {
			break
		}
	}
	d.describe()
	return d.Decision
}

// owned is the controller's part of a status.
func owned(s v1alpha1.DevPipelineRunStatus) v1alpha1.DevPipelineRunStatus {
	s = *s.DeepCopy()
	s.Outcome, s.Invocations = nil, nil
	return s
}

// decider is one decision in the making.
type decider struct {
	Observation
	Decision

	fresh     bool                 // the Pod that the status names was decided on just now
	progress  Refusal              // reason and message of condition Succeeded
	waiting   bool                 // for another run
	heardLast *v1alpha1.RunOutcome // what the present Pod's sidecar said
}

// wait ends a decision: nothing is to be done but to look again.
func (d *decider) wait(reason, message string, after time.Duration) bool {
	d.progress = Refusal{reason, message}
	d.After = after
	return true
}

// act ends a decision: something is to be done.
func (d *decider) act(a Act, reason, message string) bool {
	d.Act = a
	return d.wait(reason, message, lookAgain)
}
