// Package adapter reads what tools print and makes findings of it (runtime spec §15).
//
// It is pure: bytes in, values out. It refuses structured output that is malformed, as an
// error of the engine that printed it, and it never looks at a disk: whether a path is in
// the workspace is asked of the caller. What it returns is bounded, whatever came.
package adapter

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
)

// The formats of an engine's diagnostics. None reads nothing.
const (
	None       = ""
	ESLintJSON = "ESLintJSON"
	TSC        = "TSC"
	GNU        = "GNU"
	Pattern    = "Pattern"
	SARIF      = "SARIF"
)

// Bounds of what is kept of one invocation.
const (
	MaxFindings = 10_000 // the rest is counted
	maxMessage  = 4 << 10
	maxRule     = 256
	maxPath     = 4 << 10
)

// Output is what one run of a tool printed.
type Output struct {
	Stdout, Stderr []byte
	// StdoutCut and StderrCut say that the stream went on beyond what is here.
	StdoutCut, StderrCut bool
}

// Run is an invocation as far as its output needs it. Its outputs are those of its runs
// over batches of paths, in order.
type Run struct {
	Engine   string
	Outputs  []Output
	ExitCode int
	Findings bool // the exit code means that the tool ran and found something
}

// Finding is a diagnostic as the tool has it: the path as printed, and coordinates that
// are 0 if absent and negative if they were there and no positive integers.
type Finding struct {
	Path      string
	Severity  diagnostic.Severity
	Message   string
	Rule      string
	Line      int
	Column    int
	EndLine   int
	EndColumn int
}

// Reading is what a tool's output says.
type Reading struct {
	Findings []Finding
	// Dropped counts the findings beyond MaxFindings; WorstDropped is the gravest
	// severity among them.
	Dropped      int
	WorstDropped diagnostic.Severity
	// Cut says that output went on beyond what was kept, and Graver that findings of
	// severity error may be among what is missing.
	Cut    bool
	Graver bool
}

// Adapter reads one format.
type Adapter struct {
	format string
	read   func(*collector, Output) error
}

// New returns the adapter of a format. pattern is the expression of Pattern and empty
// for the others. It refuses a bad pattern or unknown format (InvalidPipeline type,
// unknown-key), and a format that this build can't read yet (StepUnavailable).
func New(format, pattern string) (*Adapter, error) {
	if format != Pattern && pattern != "" {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonUnknownKey, "", "diagnostics of format %q take no pattern", format).
			WithHint("remove the pattern, or set the format to Pattern")
	}
	a := &Adapter{format: format}
	switch format {
	case None:
		a.read = func(*collector, Output) error { return nil }
	case ESLintJSON:
		a.read = readESLint
	case TSC:
		a.read = byLine(newTSC)
	case GNU:
		a.read = byLine(newGNU)
	case Pattern:
		p, err := compile(pattern)
		if err != nil {
			return nil, err
		}
		a.read = byLine(func(c *collector) lineReader { return &patternReader{pattern: p, collector: c} })
	case SARIF:
		return nil, fault.New(fault.StepUnavailable, fault.ReasonType, "", "this build doesn't read diagnostics of format SARIF").
			WithHint("use ESLintJSON, TSC, GNU or Pattern")
	default:
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "there is no format %q of diagnostics", format).
			WithHint("use ESLintJSON, TSC, GNU or Pattern")
	}
	return a, nil
}

// Read returns what the outputs of a run say. An error is StepFailed engine-error and
// names the engine: its structured output is malformed, or its exit code means findings
// and its output holds none. The reading is then what could be made out all the same.
func (a *Adapter) Read(r Run) (Reading, error) {
	var c collector
	var malformed error
	for _, o := range r.Outputs {
		c.Cut = c.Cut || (o.StdoutCut && a.format != None) || (o.StderrCut && a.format != None && a.format != ESLintJSON)
		if err := a.read(&c, o); err != nil && malformed == nil {
			malformed = err
		}
	}
	c.Graver = c.Cut && r.Findings
	if malformed != nil {
		return c.Reading, refuse(r.Engine, "its output is no %s: %s", a.format, malformed).
			WithHint("see that the engine's command prints %s and nothing else on standard output", a.format)
	}
	if r.Findings && len(c.Findings) == 0 {
		if a.format != None {
			return c.Reading, refuse(r.Engine, "it exited with code %d, which means findings, and its output holds none", r.ExitCode).
				WithHint("what it printed last is in the report; if the code means failure, take it off the engine's exitCodes.findings")
		}
		c.add(Finding{Severity: diagnostic.Error, Message: fmt.Sprintf("exited with code %d, which means findings", r.ExitCode)})
	}
	return c.Reading, nil
}

func refuse(engine, format string, args ...any) *fault.Error {
	e := fault.New(fault.StepFailed, fault.ReasonEngineError, "", format, args...)
	e.Engine = engine
	return e
}

// collector gathers findings within the bounds.
type collector struct {
	Reading
}

// add keeps a finding, its texts cleaned and cut, or counts it.
func (c *collector) add(f Finding) {
	if len(c.Findings) == MaxFindings {
		c.Dropped++
		c.WorstDropped = graver(c.WorstDropped, f.Severity)
		return
	}
	f.Message = cut(cleanText(f.Message), maxMessage)
	f.Rule = cut(cleanText(f.Rule), maxRule)
	c.Findings = append(c.Findings, f)
}

func graver(a, b diagnostic.Severity) diagnostic.Severity {
	rank := func(s diagnostic.Severity) int {
		switch s {
		case diagnostic.Error:
			return 3
		case diagnostic.Warning:
			return 2
		case diagnostic.Info:
			return 1
		default:
			return 0
		}
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
