package v1alpha1

// Step is one step of a plan. Steps run one after the other; a failing step ends the run.
//
// +kubebuilder:validation:ExactlyOneOf=readLines;edit;applyPatch;blocks;write;format;lint;check;run
type Step struct {
	// name of the step, unique in the pipeline.
	// +required
	Name StepName `json:"name"`

	// gates overrides the pipeline's gates for this step.
	// +optional
	Gates *Gates `json:"gates,omitempty"`

	// readLines reads lines of a file into the result.
	// +optional
	ReadLines *ReadLinesStep `json:"readLines,omitempty"`

	// edit replaces texts in a file.
	// +optional
	Edit *EditStep `json:"edit,omitempty"`

	// applyPatch applies a patch of several files, all or nothing.
	// +optional
	ApplyPatch *ApplyPatchStep `json:"applyPatch,omitempty"`

	// blocks applies the file blocks of a message, all or nothing.
	// +optional
	Blocks *BlocksStep `json:"blocks,omitempty"`

	// write saves what was changed in memory: steps that work on disk see it only
	// afterwards.
	// +optional
	Write *WriteStep `json:"write,omitempty"`

	// format formats files with the engines' formats.
	// +optional
	Format *FormatStep `json:"format,omitempty"`

	// lint finds, and with fix: true fixes, problems with the engines' lints.
	// +optional
	Lint *LintStep `json:"lint,omitempty"`

	// check judges the workspace with the engines' checks and changes nothing.
	// +optional
	Check *CheckStep `json:"check,omitempty"`

	// run runs a command over the tree, such as a codemod.
	// +optional
	Run *RunStep `json:"run,omitempty"`
}

// StepName is the name of a step: a DNS label.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
type StepName string

// ReadLinesStep reads lines of a file.
//
// +kubebuilder:validation:XValidation:rule="!has(self.end) || self.end >= self.start",message="end is before start"
type ReadLinesStep struct {
	// path of a file of the workspace.
	// +required
	Path Path `json:"path"`

	// start is the first line, from 1.
	// +required
	// +kubebuilder:validation:Minimum=1
	Start int64 `json:"start"`

	// end is the last line; the end of the file if it is not given or beyond it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	End int64 `json:"end,omitempty"`

	// label under which the result holds the text; by default the path.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Label string `json:"label,omitempty"`
}

// EditStep replaces texts in a file; if one edit fails none is applied.
type EditStep struct {
	// path of a file of the workspace.
	// +required
	Path Path `json:"path"`

	// edits apply one after the other, each to the result of those before.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +listType=atomic
	Edits []Edit `json:"edits"`
}

// Edit replaces one text, which must occur exactly once: as whole lines, else as a part of
// the text. Line ends needn't agree with the file's.
type Edit struct {
	// find is the text to replace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Find string `json:"find"`

	// replace is the new text; it may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=65536
	Replace string `json:"replace"`
}

// ApplyPatchStep applies a patch.
type ApplyPatchStep struct {
	// patch runs from "*** Begin Patch" to "*** End Patch" and holds sections
	// "*** Add File: p", "*** Delete File: p" and "*** Update File: p".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=524288
	Patch string `json:"patch"`
}

// BlocksStep applies the file blocks of a message.
//
// +kubebuilder:validation:ExactlyOneOf=message;messageFrom
type BlocksStep struct {
	// message with the blocks.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=524288
	Message string `json:"message,omitempty"`

	// messageFrom says where the message is.
	// +optional
	MessageFrom *MessageSource `json:"messageFrom,omitempty"`

	// observations say which version of a file the message's author had read; without
	// one it is the file as the step finds it.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +listType=map
	// +listMapKey=path
	Observations []Observation `json:"observations,omitempty"`

	// editFormat is the one dialect of edits that is accepted: git_diff, replace or
	// none.
	// +optional
	// +kubebuilder:default=git_diff
	EditFormat EditFormat `json:"editFormat,omitempty"`

	// newline says which line ends written files get: preserve, lf or crlf.
	// +optional
	// +kubebuilder:default=preserve
	Newline Newline `json:"newline,omitempty"`

	// limits of the message.
	// +optional
	// +kubebuilder:default={}
	Limits BlockLimits `json:"limits,omitzero"`
}

// MessageSource says where a message is. It is mounted into the Pod that applies it.
//
// +kubebuilder:validation:ExactlyOneOf=configMapKeyRef;secretKeyRef
type MessageSource struct {
	// configMapKeyRef names a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeyReference `json:"configMapKeyRef,omitempty"`

	// secretKeyRef names a key of a Secret.
	// +optional
	SecretKeyRef *KeyReference `json:"secretKeyRef,omitempty"`
}

// Observation is a version of a file that somebody has read.
type Observation struct {
	// path of the file.
	// +required
	Path Path `json:"path"`

	// version is the SHA-256 of the file's bytes in hexadecimal digits.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`

	// revision of the workspace at that time.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Revision string `json:"revision,omitempty"`
}

// EditFormat is a dialect of edits in blocks.
//
// +kubebuilder:validation:Enum=git_diff;replace;none
type EditFormat string

// The values of EditFormat.
const (
	EditFormatGitDiff EditFormat = "git_diff"
	EditFormatReplace EditFormat = "replace"
	EditFormatNone    EditFormat = "none"
)

// Newline says which line ends written files get.
//
// +kubebuilder:validation:Enum=preserve;lf;crlf
type Newline string

// The values of Newline.
const (
	NewlinePreserve Newline = "preserve"
	NewlineLF       Newline = "lf"
	NewlineCRLF     Newline = "crlf"
)

// BlockLimits limit a message of file blocks.
//
// +kubebuilder:validation:XValidation:rule="self.?maxTotalSize.orValue(2097152) >= self.?maxFileSize.orValue(1048576)",message="maxTotalSize is at least maxFileSize"
type BlockLimits struct {
	// maxFileSize is how many bytes one file may get.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=1048576
	MaxFileSize int64 `json:"maxFileSize,omitempty"`

	// maxTotalSize is how many bytes all files together may get.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=2097152
	MaxTotalSize int64 `json:"maxTotalSize,omitempty"`

	// maxFilesPerMessage is how many files a message may concern.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +kubebuilder:default=16
	MaxFilesPerMessage int32 `json:"maxFilesPerMessage,omitempty"`
}

// WriteStep saves what was changed in memory.
type WriteStep struct {
	// paths narrows it to what these literals and patterns select.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Paths Globs `json:"paths,omitempty"`
}

// FormatStep formats files.
type FormatStep struct {
	// paths selects files by literals and patterns; without paths all files of the
	// workspace.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Paths Globs `json:"paths,omitempty"`
}

// LintStep finds and perhaps fixes problems.
type LintStep struct {
	// paths selects files by literals and patterns; without paths all files of the
	// workspace.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Paths Globs `json:"paths,omitempty"`

	// fix asks fixable lints to fix what they find. Without it the step changes
	// nothing.
	// +optional
	// +kubebuilder:default=false
	Fix bool `json:"fix,omitempty"`
}

// CheckStep judges the whole workspace as it is on disk. It has no arguments.
type CheckStep struct{}

// RunStep runs a command over the tree.
//
// +kubebuilder:validation:AtLeastOneOf=image;command
// +kubebuilder:validation:XValidation:rule="!has(self.writes) || !has(self.access) || self.access == 'Mount'",message="writes is for access Mount only"
type RunStep struct {
	// image that holds the command. "fettle run" doesn't use it: there the command is
	// looked up in the project's node_modules/.bin and in PATH.
	// +optional
	Image Image `json:"image,omitempty"`

	// command to run; the image's own if it is not given, which "fettle run" can't do.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Command Arguments `json:"command,omitempty"`

	// args follow the command.
	// +optional
	Args Arguments `json:"args,omitempty"`

	// scope lists what it may touch.
	// +required
	// +kubebuilder:validation:MinItems=1
	Scope Globs `json:"scope"`

	// paths selects files by literals and patterns; without paths all files of the
	// workspace.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Paths Globs `json:"paths,omitempty"`

	// passPaths says how the command is told which files to work on.
	// +optional
	// +kubebuilder:default={}
	PassPaths PathPassing `json:"passPaths,omitzero"`

	// network says whether the command may use the network: Denied or Allowed.
	// +optional
	// +kubebuilder:default=Denied
	Network Network `json:"network,omitempty"`

	InPlace    `json:",inline"`
	Invocation `json:",inline"`
}
