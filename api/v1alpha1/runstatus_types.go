package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevPipelineRunStatus is what became of a run. The controller owns all of it but outcome,
// which is of the sidecar that ended last, and the entries of invocations, each of which
// belongs to one sidecar. It is kept within 64 KiB: counts, first rows and digests; the
// rest is in the report.
type DevPipelineRunStatus struct {
	// observedGeneration is the generation that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Succeeded, and Waiting while the run waits for a claim.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// startTime is when the first Pod was created.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// heldSince is when the run was paused, or stopped at a gate.
	// +optional
	HeldSince *metav1.Time `json:"heldSince,omitempty"`

	// heldSeconds is how long it was before that; the timeout doesn't count it.
	// +optional
	HeldSeconds int64 `json:"heldSeconds,omitempty"`

	// completionTime is when the result was known.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// result of the run, once it has ended.
	// +optional
	Result RunResult `json:"result,omitempty"`

	// source tells what was acquired from.
	// +optional
	Source *SourceStatus `json:"source,omitempty"`

	// steps of the plan, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Steps []StepStatus `json:"steps,omitempty"`

	// pod is the Pod that is at work, or was last.
	// +optional
	Pod *RunPodStatus `json:"pod,omitempty"`

	// outcome says where the run stood when the sidecar of a Pod ended last.
	// +optional
	Outcome *RunOutcome `json:"outcome,omitempty"`

	// invocations of tools. Each entry is written by the sidecar of its Pod, and left
	// out where all entries together would have more than 30 KiB.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +listType=map
	// +listMapKey=name
	Invocations []InvocationStatus `json:"invocations,omitempty"`

	// gate is what the run waits for an approval of.
	// +optional
	Gate *GateStatus `json:"gate,omitempty"`

	// accounting is what the run changed, whatever became of it.
	// +optional
	Accounting *Accounting `json:"accounting,omitempty"`

	// published is where the result went.
	// +optional
	Published *PublishedStatus `json:"published,omitempty"`

	// report is where everything is told.
	// +optional
	Report *ReportReference `json:"report,omitempty"`
}

// RunResult is how a run ended.
//
// +kubebuilder:validation:Enum=Changed;Unchanged;ChangesFound;Clean;Failed;Cancelled
type RunResult string

// The values of RunResult.
const (
	ResultChanged      RunResult = "Changed"      // mode Apply, something changed
	ResultUnchanged    RunResult = "Unchanged"    // mode Apply, nothing changed
	ResultChangesFound RunResult = "ChangesFound" // mode Check, something would change
	ResultClean        RunResult = "Clean"        // mode Check, nothing would change
	ResultFailed       RunResult = "Failed"
	ResultCancelled    RunResult = "Cancelled"
)

// SourceStatus tells what was acquired from.
type SourceStatus struct {
	// revision that was checked out.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Revision string `json:"revision,omitempty"`

	// claimName of the volume that the run works on.
	// +optional
	ClaimName ObjectName `json:"claimName,omitempty"`

	// stateClaimName of the claim that holds the run's state, where the files are on
	// another one.
	// +optional
	StateClaimName ObjectName `json:"stateClaimName,omitempty"`

	// runAs is whose the files of a claim are, and so the identity of the run's Pods.
	// +optional
	RunAs *RunAs `json:"runAs,omitempty"`

	// folders says that a Pod has made the folders of the run's own claim.
	// +optional
	Folders bool `json:"folders,omitempty"`
}

// StepStatus tells of a step.
type StepStatus struct {
	// name of the step.
	// +required
	Name StepName `json:"name"`

	// state of the step.
	// +required
	State StepState `json:"state"`

	// reason is one word about a step that failed or was skipped.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`

	// message says what happened and what to do.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// changed is how many files it changed.
	// +optional
	Changed int64 `json:"changed,omitempty"`

	// startTime of the step.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime of the step.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
}

// StepState is how far a step is.
//
// +kubebuilder:validation:Enum=Pending;AwaitingApproval;Running;Succeeded;Failed;Skipped
type StepState string

// The values of StepState.
const (
	StepPending          StepState = "Pending"
	StepAwaitingApproval StepState = "AwaitingApproval"
	StepRunning          StepState = "Running"
	StepSucceeded        StepState = "Succeeded"
	StepFailed           StepState = "Failed"
	StepSkipped          StepState = "Skipped"
)

// InvocationStatus tells of one capability's invocation in one step.
type InvocationStatus struct {
	// name of the invocation, unique in the run: its step and index, such as 3-0.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=160
	Name string `json:"name"`

	// step that it belongs to.
	// +required
	Step StepName `json:"step"`

	// engine that it belongs to; the step's name for a run step.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Engine string `json:"engine"`

	// capability is its index in the engine's list of that kind.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Capability int32 `json:"capability,omitempty"`

	// attempt counts from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt,omitempty"`

	// outcome is how it ended; Running until then.
	// +required
	Outcome InvocationOutcome `json:"outcome"`

	// exitCode of the tool.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`

	// reason is one word about an invocation that failed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`

	// message says what happened and what to do.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// paths is how many files it was given.
	// +optional
	Paths int64 `json:"paths,omitempty"`

	// changed is how many files it changed, as the disk says.
	// +optional
	Changed int64 `json:"changed,omitempty"`

	// withheld is how many files it wasn't given because they weren't saved.
	// +optional
	Withheld int64 `json:"withheld,omitempty"`

	// diagnostics counts its findings.
	// +optional
	Diagnostics *DiagnosticCounts `json:"diagnostics,omitempty"`

	// containment says how it was confined.
	// +optional
	Containment *ContainmentStatus `json:"containment,omitempty"`

	// version that the tool says it has.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	Version string `json:"version,omitempty"`

	// imageDigest of the image that ran.
	// +optional
	Image Digest `json:"imageDigest,omitempty"`

	// usage is what the tool used.
	// +optional
	Usage *Usage `json:"usage,omitempty"`

	// startTime of the tool.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime of the re-read after it.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
}

// InvocationOutcome is how an invocation ended.
//
// +kubebuilder:validation:Enum=Running;Completed;EngineError;Deadline;Crash;Cancelled;PolicyViolation;Refused;Unknown
type InvocationOutcome string

// The values of InvocationOutcome.
const (
	OutcomeRunning         InvocationOutcome = "Running"
	OutcomeCompleted       InvocationOutcome = "Completed"
	OutcomeEngineError     InvocationOutcome = "EngineError"
	OutcomeDeadline        InvocationOutcome = "Deadline"
	OutcomeCrash           InvocationOutcome = "Crash"
	OutcomeCancelled       InvocationOutcome = "Cancelled"
	OutcomePolicyViolation InvocationOutcome = "PolicyViolation"
	OutcomeRefused         InvocationOutcome = "Refused" // it was never started
	OutcomeUnknown         InvocationOutcome = "Unknown" // its Pod left no report
)

// ContainmentStatus says how an invocation was confined.
type ContainmentStatus struct {
	// kind of the confinement.
	// +required
	Kind ContainmentKind `json:"kind"`

	// roots that could be written below, with LandlockDirectories.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Roots []Path `json:"roots,omitempty"`

	// rootsTotal is how many roots there are, if they are more than are listed.
	// +optional
	RootsTotal int64 `json:"rootsTotal,omitempty"`

	// exceeds is true if something that exists and that it wasn't to touch was within
	// its reach.
	// +optional
	Exceeds bool `json:"exceeds,omitempty"`
}

// ContainmentKind is a kind of confinement.
//
// +kubebuilder:validation:Enum=Facade;LandlockFiles;LandlockDirectories;Declared
type ContainmentKind string

// The values of ContainmentKind.
const (
	ContainmentFacade              ContainmentKind = "Facade"
	ContainmentLandlockFiles       ContainmentKind = "LandlockFiles"
	ContainmentLandlockDirectories ContainmentKind = "LandlockDirectories"
	ContainmentDeclared            ContainmentKind = "Declared"
)

// Usage is what a tool used.
type Usage struct {
	// wallMillis from exec to exit.
	// +optional
	WallMillis int64 `json:"wallMillis,omitempty"`

	// cpuMillis of all its processes.
	// +optional
	CPUMillis int64 `json:"cpuMillis,omitempty"`

	// memoryBytes of its largest process at most.
	// +optional
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
}

// GateStatus is what a run waits for an approval of.
type GateStatus struct {
	// step that waits; none for the acquisition.
	// +optional
	Step StepName `json:"step,omitempty"`

	// digest of the gate payload, which an approval must name.
	// +required
	Digest Digest `json:"digest"`

	// targets is how many existing files are concerned.
	// +optional
	Targets int64 `json:"targets,omitempty"`

	// firstTargets in order.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	FirstTargets []Path `json:"firstTargets,omitempty"`

	// mayCreate says where files may come into being.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=2100
	// +listType=atomic
	MayCreate []string `json:"mayCreate,omitempty"`

	// since when it waits.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
}

// PublishedStatus is where the result went.
type PublishedStatus struct {
	// branch that was pushed to.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Branch string `json:"branch,omitempty"`

	// commit that was pushed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Commit string `json:"commit,omitempty"`
}

// ReportReference names a report.
type ReportReference struct {
	// name of the DevPipelineReport.
	// +required
	Name ObjectName `json:"name"`

	// bytes of its data.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`

	// digest of its data.
	// +optional
	Digest Digest `json:"digest,omitempty"`

	// cut counts what didn't fit.
	// +optional
	Cut *ReportCut `json:"cut,omitempty"`
}
