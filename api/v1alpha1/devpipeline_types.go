package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevPipeline puts a declared set of files in order: where they come from, which tools
// run over them in which steps, and what becomes of the result. Annotate it with
// fettle.dev/requestedAt to ask for a run.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=dp,categories=fettle
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether the pipeline can run and its latest run succeeded."
// +kubebuilder:printcolumn:name="Last Run",type=date,JSONPath=`.status.latestRun.startTime`,description="How long ago the latest run started."
// +kubebuilder:printcolumn:name="Changed",type=integer,JSONPath=`.status.latestRun.accounting.changed.files`,description="How many files the latest run changed."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Run",type=string,priority=1,JSONPath=`.status.latestRun.name`,description="The latest run."
// +kubebuilder:printcolumn:name="Status",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,description="What the pipeline is up to."
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="the name of a pipeline has at most 52 characters: its runs are named after it"
type DevPipeline struct {
	metav1.TypeMeta `json:",inline"`

	// metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the pipeline is to do.
	// +required
	Spec DevPipelineSpec `json:"spec"`

	// status is what became of it.
	// +optional
	Status DevPipelineStatus `json:"status,omitzero"`
}

// DevPipelineList is a list of pipelines.
//
// +kubebuilder:object:root=true
type DevPipelineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DevPipeline `json:"items"`
}

// DevPipelineSpec is what a pipeline is to do.
type DevPipelineSpec struct {
	Plan `json:",inline"`

	// policy says what may be read and written, together with the DevPolicies of the
	// namespace. The default allows everything but the mandatory denies, below at most
	// two hidden directories.
	// +optional
	// +kubebuilder:default={read: {}, write: {allow: {"**", "**/.*/**", "**/.*/**/.*/**"}}}
	Policy PolicyRules `json:"policy,omitzero"`

	// engines lists the tools of the format, lint and check steps. Where several can
	// format a file, the first one does.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, (has(a.name) ? a.name : has(a.ref) ? a.ref : '') == (has(b.name) ? b.name : has(b.ref) ? b.ref : '')))",message="two engines have the same name: give one of them another name"
	// +listType=atomic
	Engines []PipelineEngine `json:"engines,omitempty"`

	// triggers start runs beside a change of the spec and a request by annotation.
	// +optional
	Triggers *Triggers `json:"triggers,omitempty"`

	// history says which ended runs are kept.
	// +optional
	// +kubebuilder:default={}
	History History `json:"history,omitzero"`

	// suspend stops new runs; one that runs goes on.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"`
}

// PipelineEngine names a published engine or declares one, and may narrow it.
//
// +kubebuilder:validation:ExactlyOneOf=ref;inline
// +kubebuilder:validation:XValidation:rule="!has(self.inline) || has(self.name)",message="an inline engine needs a name"
type PipelineEngine struct {
	// name of the engine in this pipeline, in reports and diagnostics; ref if it is
	// not given.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// ref is the name of a DevEngine.
	// +optional
	Ref ObjectName `json:"ref,omitempty"`

	// inline declares an engine of this pipeline.
	// +optional
	Inline *EngineSpec `json:"inline,omitempty"`

	EngineNarrowing `json:",inline"`
}

// EngineNarrowing is what a pipeline may say about an engine that it uses.
type EngineNarrowing struct {
	// scope narrows what each capability may touch: a file must match it and the
	// capability's own scope.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Scope Globs `json:"scope,omitempty"`

	// args are added to the command of each capability.
	// +optional
	Args Arguments `json:"args,omitempty"`

	// resources in place of those of each capability.
	// +optional
	Resources Resources `json:"resources,omitzero"`
}

// Triggers start runs.
type Triggers struct {
	// schedule starts runs by the clock.
	// +optional
	Schedule *ScheduleTrigger `json:"schedule,omitempty"`

	// onSourceChange starts a run when the source has changed.
	// +optional
	OnSourceChange *SourceChangeTrigger `json:"onSourceChange,omitempty"`
}

// ScheduleTrigger starts runs by the clock.
type ScheduleTrigger struct {
	// cron is a schedule of five fields: minute, hour, day of month, month, day of week.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|\S+(\s+\S+){4})$`
	Cron string `json:"cron"`

	// timeZone is the name of a time zone, such as Europe/Berlin.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:default="Etc/UTC"
	TimeZone string `json:"timeZone,omitempty"`

	// concurrencyPolicy says what happens when the previous run hasn't ended: Forbid
	// skips this one, Replace cancels the previous one.
	// +optional
	// +kubebuilder:default=Forbid
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
}

// ConcurrencyPolicy says what happens when the previous run hasn't ended.
//
// +kubebuilder:validation:Enum=Forbid;Replace
type ConcurrencyPolicy string

// The values of ConcurrencyPolicy.
const (
	ConcurrencyForbid  ConcurrencyPolicy = "Forbid"
	ConcurrencyReplace ConcurrencyPolicy = "Replace"
)

// SourceChangeTrigger starts a run when the source has changed.
type SourceChangeTrigger struct {
	// interval between two looks at the source.
	// +required
	Interval Duration `json:"interval"`
}

// History says which ended runs are kept.
type History struct {
	// successfulRuns that are kept, the latest ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=3
	SuccessfulRuns *int32 `json:"successfulRuns,omitempty"`

	// failedRuns that are kept, the latest ones; cancelled ones are among them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=3
	FailedRuns *int32 `json:"failedRuns,omitempty"`

	// ttl after which an ended run is deleted, however few there are.
	// +optional
	TTL Duration `json:"ttl,omitzero"`
}

// DevPipelineStatus is what became of a pipeline.
type DevPipelineStatus struct {
	// observedGeneration is the generation that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, and Reconciling or Stalled while they are so.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastHandledRequest is the value of the annotation fettle.dev/requestedAt that was
	// answered last.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	LastHandledRequest string `json:"lastHandledRequest,omitempty"`

	// lastHandledSpec is the digest of what a run does by the spec that was run last:
	// of all of it but triggers, history and suspend.
	// +optional
	LastHandledSpec Digest `json:"lastHandledSpec,omitempty"`

	// lastScheduleTime is the time that the schedule asked for last.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`

	// lastHandledRevision is the revision of the source that was run last.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	LastHandledRevision string `json:"lastHandledRevision,omitempty"`

	// latestRun is the run that was started last.
	// +optional
	LatestRun *RunSummary `json:"latestRun,omitempty"`
}

// RunSummary tells of a run.
type RunSummary struct {
	// name of the DevPipelineRun.
	// +required
	Name ObjectName `json:"name"`

	// uid of the DevPipelineRun.
	// +required
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid"`

	// generation of the pipeline that it copied.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// startTime of the run.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime of the run.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// result of the run.
	// +optional
	Result RunResult `json:"result,omitempty"`

	// reason is that of the run's condition Succeeded.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`

	// accounting is what the run changed.
	// +optional
	Accounting *Accounting `json:"accounting,omitempty"`
}
