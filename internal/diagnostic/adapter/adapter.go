// Package adapter reads what tools print and makes findings of it (runtime spec §15).
//
// It is pure: bytes in, values out. It refuses structured output that is malformed, as an
// error of the engine that printed it, and it never looks at a disk: whether a path is in
// the workspace is asked of the caller. What it returns is bounded, whatever came.
package adapter

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
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

// Adapter reads one format on one stream.
type Adapter struct {
	format engine.DiagnosticsFormat
	stderr bool
	read   func(*collector, stream) error
}

// stream is the output that is read, of one run.
type stream struct {
	text  []byte
	isCut bool // it went on
}

// New returns the adapter that an engine's declaration asks for. It refuses a bad pattern
// or an unknown format (InvalidPipeline bound, type or unknown-key), and a format that
// this build can't read yet (StepUnavailable).
func New(d engine.Diagnostics) (*Adapter, error) {
	const hint = "use ESLintJSON, TSC, GNU or Pattern"
	if d.Format != engine.FormatPattern && d.Pattern != "" {
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonUnknownKey, "", "diagnostics of format %q take no pattern", d.Format).
			WithHint("remove the pattern, or set the format to Pattern")
	}
	a := &Adapter{format: d.Format, stderr: d.Stream == engine.StreamStderr}
	switch d.Format {
	case "":
		a.read = func(*collector, stream) error { return nil }
	case engine.FormatESLintJSON:
		a.read = readESLint
	case engine.FormatTSC:
		a.read = byLine(newTSC)
	case engine.FormatGNU:
		a.read = byLine(newGNU)
	case engine.FormatPattern:
		p, err := engine.CompilePattern(d.Pattern)
		if err != nil {
			return nil, err
		}
		a.read = byLine(func(c *collector) lineReader { return &patternReader{pattern: p, collector: c} })
	case engine.FormatSARIF:
		return nil, fault.New(fault.StepUnavailable, fault.ReasonType, "", "this build doesn't read diagnostics of format SARIF").WithHint(hint)
	default:
		return nil, fault.New(fault.InvalidPipeline, fault.ReasonType, "", "there is no format %q of diagnostics", d.Format).WithHint(hint)
	}
	return a, nil
}

// Read returns what the outputs of a run say, with paths as the tool printed them, and
// coordinates that are 0 if absent and negative if they were there and no positive
// integers: Normalise makes diagnostics of the workspace of that. What is beyond the
// bounds is summed up at the end.
//
// An error is StepFailed engine-error and names the engine: its structured output is
// malformed, or its exit code means findings and its output holds none. The diagnostics
// are then what could be made out all the same.
func (a *Adapter) Read(r Run) ([]diagnostic.Diagnostic, error) {
	var c collector
	var malformed error
	isCut := false
	for _, o := range r.Outputs {
		s := a.stream(o)
		isCut = isCut || s.isCut && a.format != ""
		if err := a.read(&c, s); err != nil && malformed == nil {
			malformed = err
		}
	}
	if malformed != nil {
		return c.all(r, isCut), refuse(r.Engine, "its output is no %s: %s", a.format, malformed).
			WithHint("see that the engine's command prints %s and nothing else on standard output", a.format)
	}
	if r.Findings && len(c.found) == 0 {
		if a.format != "" {
			return c.all(r, isCut), refuse(r.Engine, "it exited with code %d, which means findings, and its output holds none", r.ExitCode).
				WithHint("what it printed last is in the report; if the code means failure, take it off the engine's exitCodes.findings")
		}
		c.add(diagnostic.Diagnostic{Severity: diagnostic.Error, Message: fmt.Sprintf("exited with code %d, which means findings", r.ExitCode)})
	}
	return c.all(r, isCut), nil
}

func (a *Adapter) stream(o Output) stream {
	if a.stderr {
		return stream{o.Stderr, o.StderrCut}
	}
	return stream{o.Stdout, o.StdoutCut}
}

func refuse(engine, format string, args ...any) *fault.Error {
	e := fault.New(fault.StepFailed, fault.ReasonEngineError, "", format, args...)
	e.Engine = engine
	return e
}

// collector gathers findings within the bounds.
type collector struct {
	found   []diagnostic.Diagnostic
	dropped int                 // beyond MaxFindings
	worst   diagnostic.Severity // the gravest of those
}

// add keeps a finding, its texts cleaned and cut, or counts it.
func (c *collector) add(d diagnostic.Diagnostic) {
	if len(c.found) == MaxFindings {
		c.dropped++
		c.worst = graver(c.worst, d.Severity)
		return
	}
	d.Message = cut(cleanText(d.Message), maxMessage)
	d.Rule = cut(cleanText(d.Rule), maxRule)
	c.found = append(c.found, d)
}

// all returns the findings and says what is missing. Where that may be an error, it is
// one: a result must not look better than it is.
func (c *collector) all(r Run, isCut bool) []diagnostic.Diagnostic {
	found := c.found
	if c.dropped > 0 {
		found = append(found, diagnostic.Diagnostic{
			Severity: graver(diagnostic.Warning, c.worst),
			Message:  fmt.Sprintf("%d more diagnostics aren't shown: %d is the limit", c.dropped, MaxFindings),
			Count:    c.dropped,
		})
	}
	if isCut {
		severity := diagnostic.Warning
		if r.Findings {
			severity = diagnostic.Error
		}
		found = append(found, diagnostic.Diagnostic{Severity: severity, Message: "the tool printed more than is kept: diagnostics beyond that are missing"})
	}
	return found
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
