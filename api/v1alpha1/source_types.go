package v1alpha1

// Source says where the files come from.
//
// +kubebuilder:validation:ExactlyOneOf=git;persistentVolumeClaim;configMap
type Source struct {
	// git clones a repository.
	// +optional
	Git *GitSource `json:"git,omitempty"`

	// persistentVolumeClaim edits the files of a claim in place.
	// +optional
	PersistentVolumeClaim *ClaimSource `json:"persistentVolumeClaim,omitempty"`

	// configMap copies keys of a ConfigMap.
	// +optional
	ConfigMap *ConfigMapSource `json:"configMap,omitempty"`
}

// GitSource is a repository and what to check out of it.
//
// +kubebuilder:validation:XValidation:rule="!self.url.matches('^https?://[^/]*@')",message="url must not hold credentials: put them into a Secret and name it in secretRef"
type GitSource struct {
	// url of the repository: https, http or ssh.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^(https?|ssh)://[^\s]+$`
	URL string `json:"url"`

	// ref to check out; the default branch of the remote if it is not given.
	// +optional
	Ref *GitRef `json:"ref,omitempty"`

	// secretRef names a Secret with the credentials: username and password, or
	// identity and known_hosts for ssh; ca.crt for a private authority.
	// +optional
	SecretRef *LocalReference `json:"secretRef,omitempty"`
}

// GitRef names a commit.
//
// +kubebuilder:validation:ExactlyOneOf=branch;tag;commit
type GitRef struct {
	// branch whose head is taken.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^-\s][^\s]*$`
	Branch string `json:"branch,omitempty"`

	// tag that is taken.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^-\s][^\s]*$`
	Tag string `json:"tag,omitempty"`

	// commit is a full commit id.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^([0-9a-f]{40}|[0-9a-f]{64})$`
	Commit string `json:"commit,omitempty"`
}

// ClaimSource is a claim whose files are edited in place.
type ClaimSource struct {
	// claimName of the PersistentVolumeClaim.
	// +required
	ClaimName ObjectName `json:"claimName"`

	// path of the root in the volume; the whole volume if it is not given.
	// +optional
	Path Path `json:"path,omitempty"`

	// runAs says whose the files are; by default the owner of the path.
	// +optional
	RunAs *RunAs `json:"runAs,omitempty"`
}

// RunAs is a numeric identity.
type RunAs struct {
	// user is the user id.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967294
	User int64 `json:"user"`

	// group is the group id; that of the path if it is not given.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967294
	Group *int64 `json:"group,omitempty"`
}

// ConfigMapSource copies keys of a ConfigMap into files.
type ConfigMapSource struct {
	// name of the ConfigMap.
	// +required
	Name ObjectName `json:"name"`

	// items say which key becomes which file; without items each key is a file of
	// that name in the root.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +listType=map
	// +listMapKey=path
	Items []ConfigMapItem `json:"items,omitempty"`
}

// ConfigMapItem makes a file of a key.
type ConfigMapItem struct {
	// key in the ConfigMap's data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`

	// path of the file: relative, with no empty, "." or ".." segment.
	// +required
	// +kubebuilder:validation:Pattern=`^([^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+)(/([^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+))*$`
	Path Path `json:"path"`
}

// Dependencies says how to make what the project's own plugins and configurations need.
// It runs once, before the first step, beside a copy of its inputs; fixers see the result
// read-only at /workspace/node_modules and in $FETTLE_DEPS.
type Dependencies struct {
	// image to run.
	// +required
	Image Image `json:"image"`

	// command and its arguments.
	// +required
	// +kubebuilder:validation:MinItems=1
	Command Arguments `json:"command"`

	// inputs are the files that the command is given and that its result depends on.
	// +optional
	Inputs Globs `json:"inputs,omitempty"`

	// deadline of the command.
	// +optional
	// +kubebuilder:default="10m"
	Deadline Duration `json:"deadline,omitzero"`

	// resources of the container.
	// +optional
	Resources Resources `json:"resources,omitzero"`
}
