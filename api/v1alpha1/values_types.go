package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Globs is a list of paths and patterns relative to the root. An entry with "*" is a
// pattern, any other a literal. "*" matches within one segment, "**" whole segments; a
// segment that starts with a dot is matched only by one that does. There is no "?", "[",
// "{", "!" and no escape.
//
// +kubebuilder:validation:MaxItems=256
// +kubebuilder:validation:items:MinLength=1
// +kubebuilder:validation:items:MaxLength=1024
// +listType=atomic
type Globs []string

// Arguments is a list of command-line arguments.
//
// +kubebuilder:validation:MaxItems=128
// +kubebuilder:validation:items:MaxLength=4096
// +listType=atomic
type Arguments []string

// Path is a path relative to the root, with "/" between its segments.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=1024
type Path string

// Image is the reference of a container image.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:Pattern=`^[^\s]+$`
type Image string

// ObjectName is the name of an object in the same namespace, or of a cluster-wide one.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
type ObjectName string

// LocalReference names an object in the same namespace.
//
// +structType=atomic
type LocalReference struct {
	// name of the object.
	// +required
	Name ObjectName `json:"name"`
}

// KeyReference names a key of a ConfigMap or Secret in the same namespace.
//
// +structType=atomic
type KeyReference struct {
	// name of the object.
	// +required
	Name ObjectName `json:"name"`

	// key in its data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue string

// AnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=4096
type AnnotationValue string

// Digest is a SHA-256 digest: "sha256:" and 64 hexadecimal digits.
//
// +kubebuilder:validation:MaxLength=71
// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
type Digest string

// Resources are requests and limits of a container, with the meaning they have in a Pod.
type Resources struct {
	// requests is what is reserved.
	// +optional
	Requests ResourceAmounts `json:"requests,omitzero"`

	// limits is what may not be exceeded.
	// +optional
	Limits ResourceAmounts `json:"limits,omitzero"`
}

// ResourceAmounts are amounts of what a container uses.
type ResourceAmounts struct {
	// cpu in cores, such as 500m.
	// +optional
	CPU *Quantity `json:"cpu,omitempty"`

	// memory in bytes, such as 512Mi.
	// +optional
	Memory *Quantity `json:"memory,omitempty"`

	// ephemeral-storage in bytes, such as 1Gi.
	// +optional
	EphemeralStorage *Quantity `json:"ephemeral-storage,omitempty"`
}

// Duration is a positive span of time in hours, minutes, seconds and milliseconds, such
// as 90s, 5m or 1h30m.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?(ms|s|m|h))+$') && duration(self) > duration('0s')",message="must be a positive duration such as 90s, 5m or 1h30m"
type Duration struct {
	metav1.Duration `json:",inline"`
}

// Quantity is an amount, such as 500m or 1Gi.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:Pattern=`^\+?([0-9]+([.][0-9]*)?|[.][0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+)?$`
type Quantity struct {
	resource.Quantity `json:",inline"`
}

// ByteQuantity is a number of bytes of at least 1, such as 1Mi.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="type(self) == int ? self > 0 : isQuantity(self) && quantity(self).isInteger() && quantity(self).isGreaterThan(quantity('0'))",message="must be a whole number of bytes of at least 1, such as 1Mi"
type ByteQuantity struct {
	resource.Quantity `json:",inline"`
}
