package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevPipelineRun is one execution of a pipeline. It holds copies of the plan, the engines
// and the policy as they were when it was created, and can't be changed but for
// spec.desiredState.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=dpr,categories=fettle
// +kubebuilder:printcolumn:name="Succeeded",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].status`,description="Unknown while it runs."
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Changed",type=integer,JSONPath=`.status.accounting.changed.files`,description="How many files it changed."
// +kubebuilder:printcolumn:name="Errors",type=integer,JSONPath=`.status.accounting.diagnostics.errors`,description="How many findings of severity error there are."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Pipeline",type=string,priority=1,JSONPath=`.spec.pipelineRef.name`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Succeeded")].message`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a run has at most 63 characters"
type DevPipelineRun struct {
	metav1.TypeMeta `json:",inline"`

	// metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the run is to do.
	// +required
	Spec DevPipelineRunSpec `json:"spec"`

	// status is what became of it.
	// +optional
	Status DevPipelineRunStatus `json:"status,omitzero"`
}

// DevPipelineRunList is a list of runs.
//
// +kubebuilder:object:root=true
type DevPipelineRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DevPipelineRun `json:"items"`
}

// DevPipelineRunSpec is what a run is to do.
//
// +kubebuilder:validation:XValidation:rule="self.pipelineRef == oldSelf.pipelineRef",message="a run can't be changed but for desiredState: pipelineRef differs"
// +kubebuilder:validation:XValidation:rule="self.cause == oldSelf.cause",message="a run can't be changed but for desiredState: cause differs"
// +kubebuilder:validation:XValidation:rule="self.plan == oldSelf.plan",message="a run can't be changed but for desiredState: plan differs"
// +kubebuilder:validation:XValidation:rule="has(self.engines) == has(oldSelf.engines) && (!has(self.engines) || self.engines == oldSelf.engines)",message="a run can't be changed but for desiredState: engines differ"
// +kubebuilder:validation:XValidation:rule="self.policies == oldSelf.policies",message="a run can't be changed but for desiredState: policies differ"
// +kubebuilder:validation:XValidation:rule="oldSelf.desiredState != 'Cancelled' || self.desiredState == 'Cancelled'",message="a run that is cancelled stays so: start another one"
type DevPipelineRunSpec struct {
	// desiredState of the run: Running; Paused, before the next invocation; Cancelled,
	// which is final.
	// +optional
	// +kubebuilder:default=Running
	DesiredState DesiredState `json:"desiredState,omitempty"`

	// pipelineRef is the pipeline that was copied.
	// +required
	PipelineRef PipelineReference `json:"pipelineRef"`

	// cause says why the run was started.
	// +optional
	// +kubebuilder:default={type: Manual}
	Cause Cause `json:"cause,omitzero"`

	// plan is copied from the pipeline.
	// +required
	Plan Plan `json:"plan"`

	// engines are copied from the pipeline and the DevEngines it refers to, in the
	// pipeline's order.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Engines []ResolvedEngine `json:"engines,omitempty"`

	// policies are copied from the DevPolicies of the namespace, by name, and last the
	// pipeline's own.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=33
	// +listType=atomic
	Policies []PolicyLayer `json:"policies"`
}

// DesiredState is what a run is wanted to be.
//
// +kubebuilder:validation:Enum=Running;Paused;Cancelled
type DesiredState string

// The values of DesiredState.
const (
	DesiredRunning   DesiredState = "Running"
	DesiredPaused    DesiredState = "Paused"
	DesiredCancelled DesiredState = "Cancelled"
)

// ObjectVersion is one generation of one object.
type ObjectVersion struct {
	// uid of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid"`

	// generation that was copied.
	// +required
	Generation int64 `json:"generation"`
}

// PipelineReference is the pipeline that a run copied.
type PipelineReference struct {
	// name of the DevPipeline.
	// +required
	Name ObjectName `json:"name"`

	ObjectVersion `json:",inline"`
}

// Cause says why a run was started.
type Cause struct {
	// type of the cause.
	// +required
	Type CauseType `json:"type"`

	// value that goes with it: of the annotation, the scheduled time, the revision, or
	// the name of the sweep.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value,omitempty"`
}

// CauseType is a reason for starting a run.
//
// +kubebuilder:validation:Enum=Manual;SpecChange;Schedule;SourceChange;Sweep
type CauseType string

// The values of CauseType.
const (
	CauseManual       CauseType = "Manual"
	CauseSpecChange   CauseType = "SpecChange"
	CauseSchedule     CauseType = "Schedule"
	CauseSourceChange CauseType = "SourceChange"
	CauseSweep        CauseType = "Sweep"
)

// ResolvedEngine is a copy of an engine as the pipeline uses it.
type ResolvedEngine struct {
	// name of the engine in the pipeline.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// ref is the DevEngine that was copied, if it isn't an inline one.
	// +optional
	Ref *EngineReference `json:"ref,omitempty"`

	EngineNarrowing `json:",inline"`

	// spec of the engine.
	// +required
	Spec EngineSpec `json:"spec"`
}

// EngineReference is a DevEngine that a run copied.
type EngineReference struct {
	// name of the DevEngine.
	// +required
	Name ObjectName `json:"name"`

	ObjectVersion `json:",inline"`
}

// PolicyLayer is a copy of one layer of the policy.
type PolicyLayer struct {
	// ref is the DevPolicy that was copied; none for the pipeline's own layer.
	// +optional
	Ref *PolicyReference `json:"ref,omitempty"`

	PolicyRules `json:",inline"`
}

// PolicyReference is a DevPolicy that a run copied.
type PolicyReference struct {
	// name of the DevPolicy.
	// +required
	Name ObjectName `json:"name"`

	ObjectVersion `json:",inline"`
}
