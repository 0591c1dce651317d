package v1alpha1

// Condition types. Ready and Succeeded are always present once a controller has looked at
// the object; Reconciling, Stalled and Waiting only while they are true.
const (
	// ConditionReady of a DevPipeline: it can run, and its latest run did what it
	// should. Of a DevEngine and DevPolicy: it can be used.
	ConditionReady = "Ready"

	// ConditionReconciling means that work is going on that may make it Ready.
	ConditionReconciling = "Reconciling"

	// ConditionStalled means that nothing will happen until somebody acts.
	ConditionStalled = "Stalled"

	// ConditionSucceeded of a DevPipelineRun is Unknown while it runs.
	ConditionSucceeded = "Succeeded"

	// ConditionWaiting means that a run waits for another one's claim, which the message
	// names.
	ConditionWaiting = "Waiting"
)

// Reasons of conditions. A reason says who must act; the message says on what.
const (
	// Going on, or as it should be.
	ReasonPending          = "Pending"
	ReasonRunning          = "Running"
	ReasonPaused           = "Paused"
	ReasonRecovering       = "Recovering"
	ReasonAwaitingApproval = "AwaitingApproval"
	ReasonSuspended        = "Suspended"
	ReasonAccepted         = "Accepted"
	ReasonNeverRun         = "NeverRun"
	ReasonChanged          = "Changed"
	ReasonUnchanged        = "Unchanged"
	ReasonChangesFound     = "ChangesFound"
	ReasonClean            = "Clean"

	// What was asked for can't be done: the author must act.
	ReasonInvalidPipeline   = "InvalidPipeline"
	ReasonInvalidEngine     = "InvalidEngine"
	ReasonInvalidPolicy     = "InvalidPolicy"
	ReasonEngineNotFound    = "EngineNotFound"
	ReasonEngineRequired    = "EngineRequired"
	ReasonSourceNotFound    = "SourceNotFound"
	ReasonSourceFailed      = "SourceFailed"
	ReasonMessageNotFound   = "MessageNotFound"
	ReasonStepUnavailable   = "StepUnavailable"
	ReasonBadArgument       = "BadArgument"
	ReasonWorkspaceBounds   = "WorkspaceBounds"
	ReasonPathRefused       = "PathRefused"
	ReasonPolicyUnavailable = "PolicyUnavailable"
	ReasonPolicyExceeded    = "PolicyExceeded" // a DevPolicy allows less than is asked for
	ReasonPolicyChanged     = "PolicyChanged"  // a DevPolicy that the run copied was changed or deleted
	ReasonNotWritable       = "NotWritable"    // the files of a claim belong to somebody else

	// A step failed: the author of the pipeline or the engine must act.
	ReasonStepFailed          = "StepFailed"
	ReasonToolFailed          = "ToolFailed" // its exit code says so
	ReasonCommandNotFound     = "CommandNotFound"
	ReasonMissingDependencies = "MissingDependencies"
	ReasonDeadlineExceeded    = "DeadlineExceeded"
	ReasonPolicyViolation     = "PolicyViolation"
	ReasonContainment         = "ContainmentUnavailable"
	ReasonGateDeclined        = "GateDeclined"
	ReasonDiagnostics         = "ErrorsFound" // findings of severity error
	ReasonPublishFailed       = "PublishFailed"
	ReasonCancelled           = "Cancelled"

	// The infrastructure is in the way: the cluster's administrators must act.
	ReasonImagePullFailed = "ImagePullFailed"
	ReasonQuotaExceeded   = "QuotaExceeded"
	ReasonUnschedulable   = "Unschedulable"
	ReasonStartFailed     = "StartFailed"
	ReasonOOMKilled       = "OOMKilled"
	ReasonEvicted         = "Evicted"
	ReasonPodLost         = "PodLost"
	ReasonVolumeLost      = "VolumeLost"
	ReasonNodeLost        = "NodeLost"
	ReasonSidecarRefused  = "SidecarRefused"
	ReasonNoReport        = "NoReport"   // a Pod left no report: what it did is unknown
	ReasonClaimInUse      = "ClaimInUse" // another run holds the claim
	ReasonAbandoned       = "Abandoned"  // the namespace or claim is going away
)
