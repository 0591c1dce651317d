package v1alpha1

// EngineSpec describes a tool and what it can do.
//
// +kubebuilder:validation:XValidation:rule="has(self.formats) || has(self.lints) || has(self.checks)",message="an engine has at least one of formats, lints and checks"
type EngineSpec struct {
	// image that holds the tool. "fettle run" doesn't use it: there the command is
	// looked up in the project's node_modules/.bin and in PATH.
	// +required
	Image Image `json:"image"`

	// versionCommand prints the tool's version on its first line.
	// +optional
	// +kubebuilder:validation:MinItems=1
	VersionCommand Arguments `json:"versionCommand,omitempty"`

	// network says whether the tool may use the network: Denied or Allowed.
	// +optional
	// +kubebuilder:default=Denied
	Network Network `json:"network,omitempty"`

	// formats lists ways to format files. Per extension the first one wins.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Formats []FormatCapability `json:"formats,omitempty"`

	// lints lists ways to find, and perhaps fix, problems. All of them run.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Lints []LintCapability `json:"lints,omitempty"`

	// checks lists ways to judge the whole workspace without changing it. All of them
	// run.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Checks []CheckCapability `json:"checks,omitempty"`
}

// Network says whether a tool may use the network.
//
// +kubebuilder:validation:Enum=Denied;Allowed
type Network string

// The values of Network.
const (
	NetworkDenied  Network = "Denied"
	NetworkAllowed Network = "Allowed"
)

// FormatCapability is one way to format files.
//
// +kubebuilder:validation:XValidation:rule="self.mode != 'InPlace' || has(self.scope)",message="a capability with mode InPlace needs a scope: the globs it may touch"
// +kubebuilder:validation:XValidation:rule="!has(self.access) || self.mode == 'InPlace'",message="access is for mode InPlace only"
// +kubebuilder:validation:XValidation:rule="!has(self.writes) || (self.mode == 'InPlace' && (!has(self.access) || self.access == 'Mount'))",message="writes is for mode InPlace with access Mount only"
type FormatCapability struct {
	Capability `json:",inline"`
	Mutation   `json:",inline"`
}

// LintCapability is one way to find and perhaps fix problems.
//
// +kubebuilder:validation:XValidation:rule="self.mode != 'InPlace' || has(self.scope)",message="a capability with mode InPlace needs a scope: the globs it may touch"
// +kubebuilder:validation:XValidation:rule="!has(self.access) || self.mode == 'InPlace'",message="access is for mode InPlace only"
// +kubebuilder:validation:XValidation:rule="!has(self.writes) || (self.mode == 'InPlace' && (!has(self.access) || self.access == 'Mount'))",message="writes is for mode InPlace with access Mount only"
// +kubebuilder:validation:XValidation:rule="!has(self.fixArgs) || self.fixable",message="fixArgs needs fixable: true"
// +kubebuilder:validation:XValidation:rule="!self.generates || self.fixable",message="generates needs fixable: true"
type LintCapability struct {
	Capability `json:",inline"`
	Mutation   `json:",inline"`

	// fixable says that the tool can fix what it finds.
	// +optional
	// +kubebuilder:default=false
	Fixable bool `json:"fixable,omitempty"`

	// fixArgs are added to command when a step asks for fixes.
	// +optional
	// +kubebuilder:validation:MinItems=1
	FixArgs Arguments `json:"fixArgs,omitempty"`
}

// CheckCapability is one way to judge the whole workspace. It sees the tree read-only.
type CheckCapability struct {
	Capability `json:",inline"`
}

// Capability is what capabilities of every kind declare.
type Capability struct {
	// extensions of the files it is for: in lower case, without dot; "" is no
	// extension, "*" any.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:Pattern=`^(\*|[^.A-Z/*]*)$`
	// +listType=set
	Extensions []string `json:"extensions"`

	// command and its arguments; arguments of the pipeline, fixArgs and paths follow.
	// +required
	// +kubebuilder:validation:MinItems=1
	Command Arguments `json:"command"`

	// paths says how the command is told which files to work on.
	// +optional
	// +kubebuilder:default={}
	Paths PathPassing `json:"paths,omitzero"`

	Invocation `json:",inline"`
}

// Mutation is what capabilities declare that may change files.
type Mutation struct {
	// mode says how it changes files: InPlace on disk; Filter from standard input to
	// standard output, file by file; Delta by a JSON request and a JSON answer.
	// +required
	Mode Mode `json:"mode"`

	// scope lists what it may touch; required for InPlace. Without scope, a Filter
	// or Delta may touch every file of its extensions.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Scope Globs `json:"scope,omitempty"`

	InPlace `json:",inline"`

	// generates says that it makes files and so runs once, for all extensions, even
	// when no file is selected.
	// +optional
	// +kubebuilder:default=false
	Generates bool `json:"generates,omitempty"`
}

// InPlace is how a tool works on the tree itself.
type InPlace struct {
	// needs lists what it must be able to do beside rewriting files: delete, rename,
	// mkdir.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	// +listType=set
	Needs []Need `json:"needs,omitempty"`

	// access is how it reaches the files: through a mounted tree (Mount, the
	// default) or through the file API of the façade (Facade).
	// +optional
	Access Access `json:"access,omitempty"`

	// writes says how it saves a file on a mounted tree: where it is (InPlace), or by
	// a new file that is moved into place (Replace, the default). With InPlace the
	// kernel can confine it to exactly the files that it was given.
	// +optional
	Writes Writes `json:"writes,omitempty"`
}

// Invocation is how a command is started and how its end is read.
type Invocation struct {
	// exitCodes says what exit codes mean. 0 is success; what is not named is failure.
	// +optional
	ExitCodes *ExitCodes `json:"exitCodes,omitempty"`

	// diagnostics says how to read findings from its output.
	// +optional
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`

	// deadline of one invocation; the pipeline's invocationDeadline if it is not
	// given.
	// +optional
	Deadline Duration `json:"deadline,omitzero"`

	// resources of the container.
	// +optional
	Resources Resources `json:"resources,omitzero"`
}

// Mode is how a capability changes files.
//
// +kubebuilder:validation:Enum=InPlace;Filter;Delta
type Mode string

// The values of Mode.
const (
	ModeInPlace Mode = "InPlace"
	ModeFilter  Mode = "Filter"
	ModeDelta   Mode = "Delta"
)

// Access is how a tool reaches the files.
//
// +kubebuilder:validation:Enum=Mount;Facade
type Access string

// The values of Access.
const (
	AccessMount  Access = "Mount"
	AccessFacade Access = "Facade"
)

// Writes is how a tool saves a file.
//
// +kubebuilder:validation:Enum=InPlace;Replace
type Writes string

// The values of Writes.
const (
	WritesInPlace Writes = "InPlace"
	WritesReplace Writes = "Replace"
)

// Need is an operation beside rewriting files.
//
// +kubebuilder:validation:Enum=delete;rename;mkdir
type Need string

// The values of Need.
const (
	NeedDelete Need = "delete"
	NeedRename Need = "rename"
	NeedMkdir  Need = "mkdir"
)

// PathPassing is how a command is told which files to work on.
//
// +kubebuilder:validation:XValidation:rule="!has(self.separator) || self.as == 'Arguments'",message="separator is for as: Arguments only"
type PathPassing struct {
	// as Arguments at the end of the command, in batches where there are many; as a
	// File with one path a line, whose name is the last argument; as Stdin with a NUL
	// after each path; or None.
	// +optional
	// +kubebuilder:default=Arguments
	As PathsAs `json:"as,omitempty"`

	// separator is an argument before the first path, such as "--".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Separator string `json:"separator,omitempty"`
}

// PathsAs is a way to pass paths.
//
// +kubebuilder:validation:Enum=Arguments;File;Stdin;None
type PathsAs string

// The values of PathsAs.
const (
	PathsAsArguments PathsAs = "Arguments"
	PathsAsFile      PathsAs = "File"
	PathsAsStdin     PathsAs = "Stdin"
	PathsAsNone      PathsAs = "None"
)

// ExitCodes says what exit codes mean.
type ExitCodes struct {
	// findings lists codes that mean that the tool worked and found something.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=255
	// +listType=set
	Findings []int32 `json:"findings,omitempty"`
}

// Diagnostics says how to read findings from a tool's output.
//
// +kubebuilder:validation:XValidation:rule="(self.format == 'Pattern') == has(self.pattern)",message="format Pattern needs a pattern, and no other format takes one"
type Diagnostics struct {
	// format of the output.
	// +required
	Format DiagnosticsFormat `json:"format"`

	// pattern is a regular expression (RE2) that is tried on each line, with the named
	// groups path, line, column, severity, message and rule, of which message is
	// required: (?P<path>[^:]+):(?P<line>\d+): (?P<message>.*)
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Pattern string `json:"pattern,omitempty"`

	// stream is what is read: Stdout or Stderr.
	// +optional
	// +kubebuilder:default=Stdout
	Stream Stream `json:"stream,omitempty"`
}

// DiagnosticsFormat is a format of findings.
//
// +kubebuilder:validation:Enum=ESLintJSON;SARIF;GNU;TSC;Pattern
type DiagnosticsFormat string

// The values of DiagnosticsFormat.
const (
	DiagnosticsESLintJSON DiagnosticsFormat = "ESLintJSON"
	DiagnosticsSARIF      DiagnosticsFormat = "SARIF"
	DiagnosticsGNU        DiagnosticsFormat = "GNU"
	DiagnosticsTSC        DiagnosticsFormat = "TSC"
	DiagnosticsPattern    DiagnosticsFormat = "Pattern"
)

// Stream is an output of a process.
//
// +kubebuilder:validation:Enum=Stdout;Stderr
type Stream string

// The values of Stream.
const (
	StreamStdout Stream = "Stdout"
	StreamStderr Stream = "Stderr"
)
