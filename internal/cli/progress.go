package cli

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// progress tells on stderr how a run is getting on: on a terminal by one line that comes
// and goes, elsewhere by lines that stay.
type progress struct {
	*app
	plan    plan.Plan
	tools   bool // the present step has started some, which say themselves what they did
	showing bool // a line that has to go
}

var _ runtime.Observer = (*progress)(nil)

func (c *app) newProgress(p plan.Plan) *progress { return &progress{app: c, plan: p} }

// Acquired implements runtime.Observer.
func (p *progress) Acquired(a report.Acquisition) {
	p.stay("acquired " + counted(a.Files, "file"))
}

// StepStarted implements runtime.Observer.
func (p *progress) StepStarted(index int) {
	p.tools = false
	p.transient(p.name(index))
}

// InvocationStarted implements runtime.Observer.
func (p *progress) InvocationStarted(step int, engine string, paths int) {
	p.tools = true
	text := fmt.Sprintf("%s: %s", p.name(step), report.Printable(engine))
	if paths > 0 {
		text += fmt.Sprintf(" over %s", counted(paths, "file"))
	}
	p.stay(text)
}

// InvocationEnded implements runtime.Observer.
func (p *progress) InvocationEnded(in report.Invocation) {
	text := fmt.Sprintf("%s: %s: %d changed", p.name(in.Step), report.Printable(in.Engine), in.Changed)
	if in.Findings > 0 {
		text += ", " + counted(in.Findings, "finding")
	}
	if in.Ended != report.EndedOK {
		text += ", " + in.Ended
	}
	p.stay(text + " (" + report.Duration(in.DurationMillis) + ")")
}

// StepEnded implements runtime.Observer.
func (p *progress) StepEnded(s report.Step) {
	if s.State == report.StepFailed {
		p.stay(p.name(s.Index) + ": failed")
		return
	}
	if p.tools {
		return
	}
	what := "done"
	if s.Changed > 0 {
		what = fmt.Sprintf("%d changed", s.Changed)
	}
	if s.Written > 0 {
		what = fmt.Sprintf("%d written", s.Written)
	}
	p.stay(p.name(s.Index) + ": " + what)
}

func (p *progress) name(index int) string {
	if index < 0 || index >= len(p.plan.Steps) {
		return "acquire"
	}
	s := p.plan.Steps[index]
	name := fmt.Sprintf("step %d/%d %s", index+1, len(p.plan.Steps), s.Kind())
	if s.Name != string(s.Kind()) {
		name += " " + report.Printable(s.Name)
	}
	return name
}

// note tells something that stays on the screen whatever it is.
func (p *progress) note(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.Stderr, "%s\n", safe(fmt.Sprintf(format, args...)))
}

// stay is a line of its own, which a terminal doesn't need: the table says it, too.
func (p *progress) stay(text string) {
	if p.Terminal.Err {
		p.transient(text)
		return
	}
	fmt.Fprintln(p.Stderr, text)
}

// transient shows a line until the next one; only a terminal can.
func (p *progress) transient(text string) {
	if !p.Terminal.Err {
		return
	}
	fmt.Fprint(p.Stderr, erase+text)
	p.showing = true
}

// clear takes the transient line away.
func (p *progress) clear() {
	if p.showing {
		fmt.Fprint(p.Stderr, erase)
		p.showing = false
	}
}

// end leaves the screen to the report.
func (p *progress) end() { p.clear() }

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
