package wire

import (
	"slices"
	"time"
)

// Result is the whole account of an invocation by the shim.
type Result struct {
	// Ended says how the tool ended; of several batches, the one that decided.
	Ended Ended `json:"ended"`
	// Started is false iff nothing was exec'ed, so that the tree is as it was.
	Started  bool     `json:"started"`
	ExitCode int      `json:"exitCode"`          // if Ended is Exited
	Signal   string   `json:"signal,omitempty"`  // if Ended is Signalled: SIGSEGV
	Failure  *Failure `json:"failure,omitempty"` // if Ended is NotStarted

	Batches []Batch       `json:"batches,omitempty"` // those that were exec'ed
	Planned int           `json:"planned"`           // how many batches there were to be
	Wall    time.Duration `json:"wall"`              // from the first exec to the last exit
	Usage   Usage         `json:"usage"`             // of all batches

	// Leftovers counts processes that were alive when the tool had ended and had to be
	// killed; Unkillable those that survived that, too.
	Leftovers  int `json:"leftovers,omitempty"`
	Unkillable int `json:"unkillable,omitempty"`
	// Unemptied says why a private directory could not be emptied.
	Unemptied   string      `json:"unemptied,omitempty"`
	Containment Containment `json:"containment"`
	// Version is what Request.Version printed on stdout, its first MaxVersion bytes; nil
	// if it failed.
	Version []byte `json:"version,omitempty"`
}

// MaxVersion is how much of a version command's output a result has.
const MaxVersion = 4 << 10

// Ended is how the tool ended.
type Ended string

// The ends of a tool.
const (
	Exited     Ended = "Exited"     // by itself, with ExitCode
	Signalled  Ended = "Signalled"  // by a signal that the shim didn't send
	Deadline   Ended = "Deadline"   // the shim ended it: too late
	Cancelled  Ended = "Cancelled"  // the shim ended it: it was told to
	NotStarted Ended = "NotStarted" // it, or a later batch of it, could not be exec'ed
)

// Batch is one run of the tool.
type Batch struct {
	Paths    int    `json:"paths"`
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	Stdout   Output `json:"stdout"`
	Stderr   Output `json:"stderr"`
}

// Output is what is left of a stream.
type Output struct {
	Head  []byte `json:"head,omitempty"` // from the start, up to the limit
	Tail  []byte `json:"tail,omitempty"` // the end of what doesn't fit Head
	Total int64  `json:"total"`          // bytes that were written
}

// Truncated reports whether Head isn't all.
func (o Output) Truncated() bool { return o.Total > int64(len(o.Head)) }

// Last returns the last n bytes, or as many of them as were kept, and how many bytes
// stood before those.
func (o Output) Last(n int) (last []byte, before int64) {
	last = o.Tail
	if o.Total == int64(len(o.Head))+int64(len(o.Tail)) {
		last = slices.Concat(o.Head, o.Tail)
	}
	if len(last) > n {
		last = last[len(last)-n:]
	}
	return last, o.Total - int64(len(last))
}

// Usage is what the tool and its waited-for children used.
type Usage struct {
	User   time.Duration `json:"user"`
	System time.Duration `json:"system"`
	MaxRSS int64         `json:"maxRSS"` // bytes, of the largest process
}

// Add adds v to u: times add up, memory is the larger.
func (u Usage) Add(v Usage) Usage {
	return Usage{User: u.User + v.User, System: u.System + v.System, MaxRSS: max(u.MaxRSS, v.MaxRSS)}
}

// Containment is what confined the tool (runtime spec §12.5).
type Containment struct {
	Kind  string   `json:"kind"`
	Roots []string `json:"roots,omitempty"`
}

// Declared is the containment of a tool that nothing confines.
const Declared = "Declared"

// Failure says why a program could not be exec'ed.
type Failure struct {
	Cause   Cause  `json:"cause"`
	Program string `json:"program"`         // as asked for, or as found
	Errno   string `json:"errno,omitempty"` // ENOENT, where the kernel said so
	Message string `json:"message"`         // one sentence, lower case
}

// Cause classifies a Failure.
type Cause string

// The causes of a Failure.
const (
	NotFound       Cause = "NotFound"
	NotExecutable  Cause = "NotExecutable"
	IsDirectory    Cause = "IsDirectory"
	NoInterpreter  Cause = "NoInterpreter" // the program its #! line names isn't there
	BadFormat      Cause = "BadFormat"     // neither a binary for this machine nor a #! script
	TooLong        Cause = "TooLong"       // an argument or the environment exceeds the system's limit
	BadDirectory   Cause = "BadDirectory"  // the working directory or a private one can't be had
	BadRequest     Cause = "BadRequest"
	ExecOtherwise  Cause = "Other"
	InternalFailed Cause = "Internal" // a pipe or list file could not be made
)
