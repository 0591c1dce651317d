package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevEngine is a tool that a platform team publishes to the pipelines of all namespaces.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=deng,categories=fettle
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of an engine has at most 63 characters"
type DevEngine struct {
	metav1.TypeMeta `json:",inline"`

	// metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec describes the tool and what it can do.
	// +required
	Spec EngineSpec `json:"spec"`

	// status says whether it can be used.
	// +optional
	Status DevEngineStatus `json:"status,omitzero"`
}

// DevEngineList is a list of engines.
//
// +kubebuilder:object:root=true
type DevEngineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DevEngine `json:"items"`
}

// DevEngineStatus says whether an engine can be used.
type DevEngineStatus struct {
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
