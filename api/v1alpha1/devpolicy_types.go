package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevPolicy is a guard rail that a platform team puts around the pipelines of the
// namespaces it selects. All policies that select a namespace apply, each as a layer.
// Changing or deleting one cancels the runs that hold a copy of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=dpol,categories=fettle
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Gates",type=string,JSONPath=`.spec.gates.mode`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a policy has at most 63 characters"
type DevPolicy struct {
	metav1.TypeMeta `json:",inline"`

	// metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what it allows.
	// +required
	Spec DevPolicySpec `json:"spec"`

	// status says whether it is in force.
	// +optional
	Status DevPolicyStatus `json:"status,omitzero"`
}

// DevPolicyList is a list of policies.
//
// +kubebuilder:object:root=true
type DevPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DevPolicy `json:"items"`
}

// DevPolicySpec is what a policy allows.
type DevPolicySpec struct {
	// namespaceSelector selects namespaces by their labels; all if it is not given.
	// +optional
	// +kubebuilder:default={}
	NamespaceSelector NamespaceSelector `json:"namespaceSelector,omitzero"`

	PolicyRules `json:",inline"`

	// allowedImages lists the images that engines, run steps and dependencies may use.
	// "*" matches any run of characters, so "registry.example.com/fixers/*" is
	// everything below fixers. Without it every image is allowed, an empty list allows
	// none.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +listType=atomic
	AllowedImages []Image `json:"allowedImages,omitzero"`

	// limits that a pipeline may not exceed.
	// +optional
	Limits *PolicyLimits `json:"limits,omitempty"`

	// gates that a pipeline must have at least.
	// +optional
	Gates *Gates `json:"gates,omitempty"`
}

// NamespaceSelector selects namespaces by their labels. All requirements must hold.
type NamespaceSelector struct {
	// matchLabels lists labels and their values.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions lists requirements.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty"`
}

// LabelRequirement is a requirement on a label.
//
// +kubebuilder:validation:XValidation:rule="(self.operator in ['In', 'NotIn']) == has(self.values)",message="operators In and NotIn need values, Exists and DoesNotExist take none"
type LabelRequirement struct {
	// key of the label.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`

	// operator In, NotIn, Exists or DoesNotExist.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`

	// values for In and NotIn.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	Values []LabelValue `json:"values,omitempty"`
}

// PolicyLimits are limits that a pipeline may not exceed.
type PolicyLimits struct {
	// maxFiles of a workspace.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	MaxFiles *int32 `json:"maxFiles,omitempty"`

	// maxBytesPerFile of a workspace.
	// +optional
	MaxBytesPerFile *ByteQuantity `json:"maxBytesPerFile,omitempty"`

	// maxTotalBytes of a workspace.
	// +optional
	MaxTotalBytes *ByteQuantity `json:"maxTotalBytes,omitempty"`

	// maxDepth of a workspace.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=512
	MaxDepth *int32 `json:"maxDepth,omitempty"`

	// timeout of a run.
	// +optional
	Timeout Duration `json:"timeout,omitzero"`

	// invocationDeadline of one invocation.
	// +optional
	InvocationDeadline Duration `json:"invocationDeadline,omitzero"`

	// volumeSize of the claim of a run.
	// +optional
	VolumeSize *ByteQuantity `json:"volumeSize,omitempty"`

	// resources that the limits of one container may not exceed.
	// +optional
	Resources ResourceAmounts `json:"resources,omitzero"`
}

// DevPolicyStatus says whether a policy is in force.
type DevPolicyStatus struct {
	// observedGeneration is the generation that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
