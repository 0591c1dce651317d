package v1alpha1

// PolicyRules is one layer of a policy. A file may be read or written only if every
// layer allows it. Whatever is allowed, some paths are never written: .git, .vscode,
// .idea, .claude/commands, .claude/agents and what lies below them, .gitconfig,
// .gitmodules, .mcp.json and the start-up files of shells, at any depth.
type PolicyRules struct {
	// read rules. Without allow every file may be read.
	// +optional
	Read *AccessRules `json:"read,omitempty"`

	// write rules: what may be written, created, moved and removed. Without allow
	// nothing may.
	// +optional
	Write *AccessRules `json:"write,omitempty"`

	// onViolation says what happens to a change on disk that write doesn't allow: the
	// step fails and the change stays (Fail), or is put back (Restore).
	// +optional
	// +kubebuilder:default=Fail
	OnViolation OnViolation `json:"onViolation,omitempty"`
}

// AccessRules allow and deny paths. A rule with "*" is a pattern; a rule without covers
// the path and everything below it. A deny wins over an allow, and in it "*" also matches
// a leading dot.
type AccessRules struct {
	// allow lists what is allowed; an empty list allows nothing.
	// +optional
	Allow Globs `json:"allow,omitzero"`

	// deny lists what is denied.
	// +optional
	Deny Globs `json:"deny,omitzero"`
}

// OnViolation says what happens to a change that the policy doesn't allow.
//
// +kubebuilder:validation:Enum=Fail;Restore
type OnViolation string

// The values of OnViolation.
const (
	OnViolationFail    OnViolation = "Fail"
	OnViolationRestore OnViolation = "Restore"
)
