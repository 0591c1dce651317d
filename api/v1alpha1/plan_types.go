package v1alpha1

// Plan is what a run executes: the part of a pipeline that a run copies.
//
// +kubebuilder:validation:XValidation:rule="!has(self.publish) || !has(self.publish.git) || has(self.source.git)",message="publish.git needs source.git: it pushes to the repository that the files came from"
type Plan struct {
	// mode Apply changes files and publishes; Check works on a copy, publishes
	// nothing, and says ChangesFound or Clean.
	// +optional
	// +kubebuilder:default=Apply
	Mode PipelineMode `json:"mode,omitempty"`

	// source says where the files come from. "fettle run --root" replaces it.
	// +required
	Source Source `json:"source"`

	// dependencies says how to make what the project's own plugins and configurations
	// need.
	// +optional
	Dependencies *Dependencies `json:"dependencies,omitempty"`

	// workspace declares which files are managed.
	// +required
	Workspace Workspace `json:"workspace"`

	// steps run in this order.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Steps []Step `json:"steps"`

	// gates says which steps wait for an approval.
	// +optional
	// +kubebuilder:default={mode: Never}
	Gates Gates `json:"gates,omitzero"`

	// containment says how tools are confined by the kernel: Require fails an
	// invocation that can't be confined to what it may touch, Prefer confines where it
	// can, "Off" (in quotes, or YAML takes it for false) doesn't.
	// +optional
	// +kubebuilder:default=Prefer
	Containment Containment `json:"containment,omitempty"`

	// publish says what to do with the result.
	// +optional
	Publish *Publish `json:"publish,omitempty"`

	// timeout of a run.
	// +optional
	// +kubebuilder:default="1h"
	Timeout Duration `json:"timeout,omitzero"`

	// invocationDeadline is the deadline of one invocation of a tool, unless the tool's
	// capability has its own.
	// +optional
	// +kubebuilder:default="5m"
	InvocationDeadline Duration `json:"invocationDeadline,omitzero"`

	// retry says how often a tool that failed is started again. Failures of the
	// infrastructure before it started aren't counted.
	// +optional
	// +kubebuilder:default={}
	Retry Retry `json:"retry,omitzero"`

	// pod sets properties of the Pods of a run.
	// +optional
	Pod *PodSettings `json:"pod,omitempty"`
}

// PipelineMode says whether a pipeline changes anything.
//
// +kubebuilder:validation:Enum=Apply;Check
type PipelineMode string

// The values of PipelineMode.
const (
	PipelineModeApply PipelineMode = "Apply"
	PipelineModeCheck PipelineMode = "Check"
)

// Containment says how tools are confined by the kernel.
//
// +kubebuilder:validation:Enum=Require;Prefer;Off
type Containment string

// The values of Containment.
const (
	ContainmentRequire Containment = "Require"
	ContainmentPrefer  Containment = "Prefer"
	ContainmentOff     Containment = "Off"
)

// Retry says how often a tool that failed is started again.
type Retry struct {
	// limit of further attempts of one invocation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	// +kubebuilder:default=0
	Limit int32 `json:"limit,omitempty"`
}

// Publish says what to do with the result of a run that succeeded and changed something.
type Publish struct {
	// git commits it and pushes it to a branch.
	// +optional
	Git *GitPublish `json:"git,omitempty"`
}

// GitPublish is a commit on a branch of the source's repository.
type GitPublish struct {
	// branch that is pushed to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^-\s][^\s]*$`
	Branch string `json:"branch"`

	// commit that is made.
	// +optional
	// +kubebuilder:default={}
	Commit GitCommit `json:"commit,omitzero"`

	// signing signs the commit.
	// +optional
	Signing *GitSigning `json:"signing,omitempty"`
}

// GitCommit is how a commit is made.
type GitCommit struct {
	// message of the commit.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:default="style: apply fixers"
	Message string `json:"message,omitempty"`
}

// GitSigning is the key that signs a commit.
type GitSigning struct {
	// secretRef names a Secret with the private key.
	// +required
	SecretRef LocalReference `json:"secretRef"`
}

// PodSettings sets properties of the Pods of a run. What the Pods need to be safe is not
// among them.
type PodSettings struct {
	// nodeSelector restricts the nodes.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// tolerations of taints of nodes.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// imagePullSecrets are added to those of the namespace's ServiceAccount.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	ImagePullSecrets []LocalReference `json:"imagePullSecrets,omitempty"`

	// resources of tools that don't say their own.
	// +optional
	Resources Resources `json:"resources,omitzero"`

	// labels are added to the Pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(key, !key.startsWith('fettle.dev/'))",message="labels of fettle.dev are set by the controllers"
	Labels map[string]LabelValue `json:"labels,omitempty"`

	// annotations are added to the Pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(key, !key.startsWith('fettle.dev/'))",message="annotations of fettle.dev are set by the controllers"
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`

	// priorityClassName of the Pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// runtimeClassName of the Pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
}

// Toleration of a taint, with the meaning it has in a Pod.
type Toleration struct {
	// key of the taint; every taint if it is not given, with operator Exists.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key,omitempty"`

	// operator Exists or Equal.
	// +optional
	// +kubebuilder:validation:Enum=Exists;Equal
	// +kubebuilder:default=Equal
	Operator string `json:"operator,omitempty"`

	// value of the taint.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`

	// effect of the taint; every effect if it is not given.
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect string `json:"effect,omitempty"`

	// tolerationSeconds is how long a NoExecute taint is tolerated.
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}
