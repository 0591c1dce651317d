// Package engine knows the tools that a deployment supplies: what they declare, which
// of them a step selects, and which invocations follow (runtime spec §7.3, §8.6–8.9).
//
// It is pure: values in, values out. It refuses a declaration that breaks a rule before
// anything runs, and it never widens: whatever a pipeline or a selection stage adds to
// what an engine declared is dropped or refused. It never runs a tool, asks a disk or
// reads a file; policy is asked through an interface that the caller passes.
package engine

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/internal/glob"
)

// Kind says which of an engine's lists a capability stands in, or that an invocation
// belongs to a run step.
type Kind string

// The kinds of capability (spec §7.3), and run (spec §8.7).
const (
	Format Kind = "format"
	Lint   Kind = "lint"
	Check  Kind = "check"
	Run    Kind = "run"
)

// List returns the name of the list that declares capabilities of this kind, as errors
// name it: formats, lints or checks.
func (k Kind) List() string { return string(k) + "s" }

// Mode says how a capability takes files and gives them back (spec §8.10).
type Mode string

// The modes of spec §7.3. A check is InPlace, though it only reads.
const (
	InPlace Mode = "InPlace"
	Filter  Mode = "Filter"
	Delta   Mode = "Delta"
)

// Access says how an InPlace capability reaches the tree.
type Access string

// The accesses of spec §7.3; Mount is the default.
const (
	Mount  Access = "Mount"
	Facade Access = "Facade"
)

// Writes says what a mounted tool does to a file that it changes (spec §12.5).
type Writes string

// The ways of writing of spec §7.3; WritesReplace is the default.
const (
	WritesInPlace Writes = "InPlace" // the same inode
	WritesReplace Writes = "Replace" // files beside it, and renames
)

// Need is an operation beyond reading and rewriting that a capability declares.
type Need string

// The needs of spec §7.3, in sorted order.
const (
	NeedDelete Need = "delete"
	NeedMkdir  Need = "mkdir"
	NeedRename Need = "rename"
)

// Network says whether a tool may open connections.
type Network string

// The values of network; NetworkDenied is the default.
const (
	NetworkDenied  Network = "Denied"
	NetworkAllowed Network = "Allowed"
)

// Engine is a validated engine of a pipeline (spec §7.3), narrowed as the pipeline says.
// Values are shared between callers and never changed.
type Engine struct {
	ID             string   // unique in the pipeline
	Image          string   // in a cluster; unused locally
	VersionCommand []string // prints the version first (spec §18); empty is none
	Formats        []Capability
	Lints          []Capability
	Checks         []Capability
}

// Capabilities returns the list of a kind, in declaration order; holes included, so that
// an index names the same capability for everyone.
func (e Engine) Capabilities(k Kind) []Capability {
	switch k {
	case Format:
		return e.Formats
	case Lint:
		return e.Lints
	case Check:
		return e.Checks
	default:
		return nil
	}
}

// Capability is one validated declaration of an engine. Defaults are filled in.
type Capability struct {
	Extensions []string // as declared: lower-case without dot, "" for none, "*" for any
	Mode       Mode
	Access     Access       // Mount or Facade for InPlace, else ""
	Writes     Writes       // of InPlace with Mount, else ""
	Scope      glob.Entries // narrowed as the pipeline says; nil if none is declared
	Needs      []Need       // sorted
	Fixable    bool         // lints only
	Generates  bool         // may make files that no selected path asked for (spec §8.7)
	Exec       Exec

	// Hole says why this driver can't serve the capability; "" if it can. A hole is
	// never selected and keeps its index (spec §7.3).
	Hole string
}

// Handles reports whether the capability takes files of an extension group.
func (c Capability) Handles(group string) bool {
	return slices.Contains(c.Extensions, group) || slices.Contains(c.Extensions, "*")
}

// Exec says how a tool is invoked. The driver interprets it; selection doesn't.
type Exec struct {
	Image       string
	Command     []string // program and arguments; empty only for a run step: the image's own
	Args        []string // what the pipeline adds after Command
	FixArgs     []string // added after those where the invocation fixes
	Paths       PathArgs
	ExitCodes   ExitCodes
	Diagnostics Diagnostics
	Deadline    time.Duration // 0 is the pipeline's (spec §1.3)
	Network     Network
	Resources   json.RawMessage // opaque: the cluster driver's
}

// Argv returns the command line without paths.
func (x Exec) Argv(fix bool) []string {
	argv := slices.Concat(x.Command, x.Args)
	if fix {
		argv = append(argv, x.FixArgs...)
	}
	return argv
}

// PathArgs says how a tool is told its paths.
type PathArgs struct {
	As        PathsAs `json:"as,omitempty"`
	Separator string  `json:"separator,omitempty"` // stands before the paths where they are arguments; "" is none
}

// PathsAs is a way to hand over paths.
type PathsAs string

// The ways to hand over paths; PathsArguments is the default.
const (
	PathsArguments PathsAs = "Arguments" // batches below the limit of the system
	PathsFile      PathsAs = "File"      // a list in a file
	PathsStdin     PathsAs = "Stdin"     // NUL-separated on standard input
	PathsNone      PathsAs = "None"      // the tool finds its files
)

// ExitCodes interprets a tool's exit code: 0 is clean, one of Findings means that it ran
// and found something, every other is a failure.
type ExitCodes struct {
	Findings []int `json:"findings,omitempty"` // sorted, each 1 to 255
}

// Diagnostics says how a tool's output is read.
type Diagnostics struct {
	Format  DiagnosticsFormat `json:"format,omitempty"`
	Pattern string            `json:"pattern,omitempty"` // a regular expression with named groups, for FormatPattern
	Stream  Stream            `json:"stream,omitempty"`  // what is read
}

// Stream is an output of a process.
type Stream string

// The streams; StreamStdout is the default.
const (
	StreamStdout Stream = "Stdout"
	StreamStderr Stream = "Stderr"
)

// DiagnosticsFormat names an adapter of tool output; "" reads none.
type DiagnosticsFormat string

// The adapters that a capability can name.
const (
	FormatESLintJSON DiagnosticsFormat = "ESLintJSON"
	FormatSARIF      DiagnosticsFormat = "SARIF"
	FormatGNU        DiagnosticsFormat = "GNU"
	FormatTSC        DiagnosticsFormat = "TSC"
	FormatPattern    DiagnosticsFormat = "Pattern"
)
