package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RunOutcome says where a run stood when the sidecar of one of its Pods ended. It is
// written by that sidecar, as a whole, and is at most 4,096 bytes of JSON; the sidecar's
// termination message holds the same. One of next, redo, waiting and result is set.
//
// +structType=atomic
type RunOutcome struct {
	// entry that the Pod was for: prepare, recover, or an invocation's step and index,
	// such as 3-0.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	Entry string `json:"entry"`

	// attempt of that entry, from 1: with entry it names the Pod.
	// +required
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt"`

	// next is the invocation that the run stopped before. The one that the Pod was for
	// asks for another attempt.
	// +optional
	Next *NextInvocation `json:"next,omitempty"`

	// redo asks for the same Pod with other properties; nothing has been done.
	// +optional
	Redo *PodRedo `json:"redo,omitempty"`

	// waiting is the gate that the run stopped at.
	// +optional
	Waiting *GateStatus `json:"waiting,omitempty"`

	// result of the run, which has ended.
	// +optional
	Result RunResult `json:"result,omitempty"`

	// reason of a failure, one of those of condition Succeeded.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`

	// message says what happened and what to do.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// failedStep is the index of the step that failed, from 0.
	// +optional
	FailedStep *int32 `json:"failedStep,omitempty"`

	// changed is how many files each step changed, as far as steps were begun.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	Changed []int64 `json:"changed,omitempty"`

	// revision of the source that was checked out.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Revision string `json:"revision,omitempty"`

	// accounting of the run, once it has ended.
	// +optional
	Accounting *Accounting `json:"accounting,omitempty"`

	// report as it was written last.
	// +optional
	Report *ReportReference `json:"report,omitempty"`
}

// NextInvocation is the invocation that a run stopped before, because a Pod of its own
// serves it.
type NextInvocation struct {
	// step is its index in the plan, from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Step int32 `json:"step"`

	// index among the step's invocations, from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	Index int32 `json:"index"`

	// engine that it belongs to; none for a run step.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Engine string `json:"engine,omitempty"`

	// kind of the capability.
	// +required
	Kind CapabilityKind `json:"kind"`

	// capability is its index in the engine's list of that kind.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Capability int32 `json:"capability,omitempty"`

	// readOnly says that the tool sees the tree read-only.
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`
}

// CapabilityKind is a kind of capability, or a run step.
//
// +kubebuilder:validation:Enum=format;lint;check;run
type CapabilityKind string

// The values of CapabilityKind.
const (
	CapabilityFormat CapabilityKind = "format"
	CapabilityLint   CapabilityKind = "lint"
	CapabilityCheck  CapabilityKind = "check"
	CapabilityRun    CapabilityKind = "run"
)

// PodRedo says what a Pod needs that it hasn't got.
type PodRedo struct {
	// runAs is whose the files of the source's claim are.
	// +optional
	RunAs *RunAs `json:"runAs,omitempty"`

	// folders says that the run's own claim can't be written to as it is mounted: its
	// folders have to be made by a Pod that mounts nothing else.
	// +optional
	Folders bool `json:"folders,omitempty"`
}

// RunPodStatus is the Pod of a run that is at work, or was last. The controller records
// what it is about to do with it before it does it.
type RunPodStatus struct {
	// name of the Pod.
	// +required
	Name ObjectName `json:"name"`

	// uid of the Pod, once it has been created.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`

	// entry that the Pod is for: prepare, folders, recover, or an invocation's step and
	// index, such as 3-0.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	Entry string `json:"entry"`

	// attempt of that entry, from 1.
	// +required
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt"`

	// charged is how many attempts of the entry count against the pipeline's retry
	// limit.
	// +optional
	Charged int32 `json:"charged,omitempty"`

	// invocation that the Pod is for.
	// +optional
	Invocation *NextInvocation `json:"invocation,omitempty"`

	// since when this attempt is wanted.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`

	// near is the node that the Pod should be on: the volume was used there last.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Near string `json:"near,omitempty"`

	// node that the Pod was bound to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// started says that the fixer, or the sidecar of a Pod without one, was seen to run.
	// +optional
	Started bool `json:"started,omitempty"`

	// idle says that the sidecar hadn't run when the controller decided to end the Pod.
	// +optional
	Idle bool `json:"idle,omitempty"`

	// ending says that the controller ends the Pod.
	// +optional
	Ending bool `json:"ending,omitempty"`

	// reason for which the Pod is ended; of recover, for which it is needed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`

	// message goes with reason.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// notBefore is when this attempt may be created.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`

	// missingSince is when the Pod was first found to be gone without a word.
	// +optional
	MissingSince *metav1.Time `json:"missingSince,omitempty"`
}
