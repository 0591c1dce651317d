package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Workspace declares which files are managed, and the volume they live on in a cluster.
type Workspace struct {
	// acquire lists the files to manage: literals, which must be readable text files,
	// and patterns. An empty list is an empty workspace.
	// +required
	Acquire Globs `json:"acquire"`

	// exclude lists what no enumeration finds. Here "*" also matches a leading dot,
	// and an entry without "*" covers everything below it. A list given replaces the
	// default; an empty one excludes nothing.
	// +optional
	// +kubebuilder:default={"**/node_modules/**","**/.git/**"}
	Exclude Globs `json:"exclude,omitzero"`

	// respectGitignore also excludes untracked files that Git ignores.
	// +optional
	// +kubebuilder:default=false
	RespectGitignore bool `json:"respectGitignore,omitempty"`

	// onNoMatch says what a pattern of acquire that matches nothing does: Fail or
	// Ignore.
	// +optional
	// +kubebuilder:default=Fail
	OnNoMatch OnNoMatch `json:"onNoMatch,omitempty"`

	// onNonText says what a match that isn't text does: Skip or Fail.
	// +optional
	// +kubebuilder:default=Skip
	OnNonText OnNonText `json:"onNonText,omitempty"`

	// bounds limit the workspace. A value equal to a bound is allowed.
	// +optional
	// +kubebuilder:default={}
	Bounds Bounds `json:"bounds,omitzero"`

	// mimeTypes tells the types of files that Fettle doesn't know by name.
	// +optional
	MIMETypes *MIMETypes `json:"mimeTypes,omitempty"`

	// volume that a run in a cluster works on. Where a claim is edited in place, it holds
	// the run's state only. "fettle run" doesn't use it.
	// +optional
	// +kubebuilder:default={}
	Volume Volume `json:"volume,omitzero"`
}

// OnNoMatch says what a pattern without any match does.
//
// +kubebuilder:validation:Enum=Fail;Ignore
type OnNoMatch string

// The values of OnNoMatch.
const (
	OnNoMatchFail   OnNoMatch = "Fail"
	OnNoMatchIgnore OnNoMatch = "Ignore"
)

// OnNonText says what a match that isn't text does.
//
// +kubebuilder:validation:Enum=Skip;Fail
type OnNonText string

// The values of OnNonText.
const (
	OnNonTextSkip OnNonText = "Skip"
	OnNonTextFail OnNonText = "Fail"
)

// Bounds limit a workspace.
type Bounds struct {
	// maxFiles is how many files it may hold.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	// +kubebuilder:default=20000
	MaxFiles int32 `json:"maxFiles,omitempty"`

	// maxBytesPerFile is how large one file may be.
	// +optional
	// +kubebuilder:default="2Mi"
	MaxBytesPerFile *ByteQuantity `json:"maxBytesPerFile,omitempty"`

	// maxTotalBytes is how large all files together may be.
	// +optional
	// +kubebuilder:default="512Mi"
	MaxTotalBytes *ByteQuantity `json:"maxTotalBytes,omitempty"`

	// maxDepth is how many segments a path may have.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=512
	// +kubebuilder:default=32
	MaxDepth int32 `json:"maxDepth,omitempty"`
}

// MIMETypes maps names of files to types. A type is textual if it is text/*,
// application/json, application/yaml, application/xml, application/javascript,
// application/toml, or ends in +json, +xml or +yaml.
type MIMETypes struct {
	// filenames maps whole names, such as BUILD.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) > 0 && size(name) <= 255 && !name.contains('/'))",message="a file name has 1 to 255 characters and no slash"
	Filenames map[string]MIMEType `json:"filenames,omitempty"`

	// extensions maps extensions, in lower case and without dot, such as tmpl.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	// +kubebuilder:validation:XValidation:rule="self.all(ext, size(ext) > 0 && size(ext) <= 64 && !ext.matches('[./A-Z]'))",message="an extension has 1 to 64 characters, is in lower case and has no dot"
	Extensions map[string]MIMEType `json:"extensions,omitempty"`
}

// MIMEType is a type and subtype with optional parameters, such as text/plain.
//
// +kubebuilder:validation:MaxLength=255
// +kubebuilder:validation:Pattern=`^[^/;\s]+/[^/;\s]+\s*(;.*)?$`
type MIMEType string

// Volume describes the claim that a run creates.
type Volume struct {
	// size that is requested.
	// +optional
	// +kubebuilder:default="2Gi"
	Size *ByteQuantity `json:"size,omitempty"`

	// storageClassName of the claim; the cluster's default if it is not given.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// accessModes of the claim.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:Enum=ReadWriteOnce;ReadWriteMany;ReadWriteOncePod
	// +kubebuilder:default={ReadWriteOnce}
	// +listType=set
	AccessModes []corev1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`
}
