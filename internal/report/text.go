package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// Style decides how text looks on the medium.
type Style struct {
	Color bool
	// Findings is how many diagnostics are listed; the rest is counted.
	Findings int
	// Details adds everything else that the report holds, but the diff.
	Details bool
}

// All is the number of findings that leaves none out.
const All = math.MaxInt

// Text writes what a person sees of a run: one line a step, one a changed file, then
// what deserves attention. Names and messages that could steer a terminal are quoted.
func (r Report) Text(w io.Writer, style Style) error {
	p := &printer{w: w, style: style}
	p.head(r)
	p.steps(r)
	p.changes(r)
	p.findings(r)
	p.totals(r)
	if style.Details {
		p.details(r)
	}
	return p.err
}

type printer struct {
	w     io.Writer
	style Style
	err   error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
}

func (p *printer) head(r Report) {
	text := plural(r.Acquisition.Files, "file") + " acquired"
	var skipped []string
	total := 0
	for _, s := range r.Acquisition.Skipped {
		skipped = append(skipped, fmt.Sprintf("%d %s", s.Count, s.Reason))
		total += s.Count
	}
	if total > 0 {
		text += fmt.Sprintf(", %d skipped (%s)", total, strings.Join(skipped, ", "))
	}
	for _, left := range []struct {
		Counts
		word string
	}{{r.Acquisition.Excluded, "excluded"}, {r.Acquisition.Gitignored, "gitignored"}} {
		if n := left.Files + left.Directories; n > 0 {
			text += fmt.Sprintf(", %d %s", n, left.word)
		}
	}
	p.line("%-10s %-65s  %8s", Printable(r.Pipeline), text, Duration(r.Acquisition.DurationMillis))
	p.line("")
}

func (p *printer) steps(r Report) {
	for _, s := range r.Steps {
		p.step(s, r.invocationsOf(s.Index))
	}
}

func (r Report) invocationsOf(step int) []Invocation {
	var out []Invocation
	for _, in := range r.Invocations {
		if in.Step == step {
			out = append(out, in)
		}
	}
	return out
}

func (p *printer) step(s Step, invocations []Invocation) {
	if s.State == StepSkipped {
		return // the caller asked for another step, and sees that one
	}
	label := fmt.Sprintf("%3d  %-10s ", s.Index+1, s.Action)
	if s.State == StepNotRun {
		p.line("%s%s", label, p.dim("not run"))
		return
	}
	if len(invocations) == 0 {
		p.line("%s%-23s%-38s  %8s", label, Printable(s.Target), s.did(), Duration(s.DurationMillis))
		return
	}
	for i, in := range invocations {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		p.line("%s%-23s%-38s  %8s", label, in.what(), in.did(), Duration(in.DurationMillis))
	}
}

func (s Step) did() string {
	var parts []string
	if s.Changed > 0 {
		parts = append(parts, plural(s.Changed, "changed"))
	}
	if s.Written > 0 {
		parts = append(parts, plural(s.Written, "written"))
	}
	if s.State == StepFailed {
		parts = append(parts, "failed")
	}
	for _, skip := range s.Skips {
		parts = append(parts, fmt.Sprintf("%d skipped: %s", skip.Files, skip.Reason))
	}
	return strings.Join(parts, "   ")
}

func (in Invocation) what() string {
	if in.Files == 0 {
		return Printable(in.Engine)
	}
	return fmt.Sprintf("%-10s %9s", Printable(in.Engine), plural(in.Files, "file"))
}

func (in Invocation) did() string {
	changed, findings := "", ""
	if in.Changed > 0 {
		changed = plural(in.Changed, "changed")
	}
	if in.Findings > 0 || in.ReadOnly {
		findings = plural(in.Findings, "finding") // none is what a check is for
	}
	last := in.Containment.label()
	if in.Ended != EndedOK {
		last = in.Ended
	}
	return fmt.Sprintf("%-12s %-12s %s", changed, findings, last)
}

// label is the one word that people read; the report has the roots.
func (c *Containment) label() string {
	if c == nil {
		return ""
	}
	label := map[string]string{"Facade": "facade", "LandlockFiles": "kernel", "LandlockDirectories": "kernel", "Declared": "declared"}[c.Kind]
	if c.Exceeds && c.Kind != "Declared" {
		label += ", wider than scope"
	}
	return label
}

var letters = map[string]string{"added": "A", "modified": "M", "renamed": "R", "deleted": "D"}

func (p *printer) changes(r Report) {
	if len(r.Changes) > 0 {
		p.line("")
	}
	for _, c := range r.Changes {
		path := Printable(c.Path)
		if c.From != "" {
			path = Printable(c.From) + " -> " + path
		}
		p.line("  %s  %-36s %5s %5s  %s", p.kind(c.Kind), path, signed("+", c.LinesAdded), signed("-", c.LinesRemoved), classes[c.Class])
	}
}

var classes = map[string]string{"eolOnly": " line ends only", "whitespaceOnly": " white space only"}

func (p *printer) findings(r Report) {
	listed, left := 0, 0
	for _, d := range r.Diagnostics {
		if d.Severity == diagnostic.Info && !p.style.Details {
			continue
		}
		if listed == p.style.Findings {
			left++
			continue
		}
		if listed == 0 {
			p.line("")
		}
		listed++
		p.line("  %s  %s", p.severity(d.Severity), describe(d))
	}
	if left > 0 {
		p.line("  … and %d more: see the full report", left)
	}
}

func describe(d diagnostic.Diagnostic) string {
	var b strings.Builder
	if d.Path != "" {
		b.WriteString(Printable(d.Path))
		if d.Line > 0 {
			fmt.Fprintf(&b, ":%d", d.Line)
		}
		if d.Column > 0 {
			fmt.Fprintf(&b, ":%d", d.Column)
		}
		b.WriteString("  ")
	}
	b.WriteString(Printable(d.Message))
	if d.Rule != "" {
		fmt.Fprintf(&b, "  %s", Printable(d.Rule))
	}
	if d.EngineID != "" {
		fmt.Fprintf(&b, "  (%s)", Printable(d.EngineID))
	}
	return b.String()
}

func (p *printer) totals(r Report) {
	t := r.Totals()
	text, changed := "no file changed", "changed"
	if r.DryRun {
		text, changed = "no file would change", "would change"
	}
	if t.Files > 0 {
		text = fmt.Sprintf("%s %s, %s, %s", plural(t.Files, "file"), changed, plural(t.Added, "insertion"), plural(t.Removed, "deletion"))
	}
	var notes []string
	if t.Errors > 0 {
		notes = append(notes, plural(t.Errors, "error"))
	}
	if t.Warnings > 0 {
		notes = append(notes, plural(t.Warnings, "warning"))
	}
	if len(notes) > 0 {
		text += "; " + strings.Join(notes, ", ")
	}
	p.line("")
	p.line("  %s", text)
	if r.DryRun {
		p.line("  this was a dry run on a copy: nothing is changed")
	}
	for _, cut := range r.Cut {
		p.line("  left out of this report: %s", cut)
	}
	if r.Waiting != nil {
		p.line("")
		p.line("  %s", p.paint(yellow, "the run waits for an approval of "+Printable(r.Waiting.Name)))
	}
	if r.Error != nil {
		p.line("")
		p.line("  %s", p.red(r.Error.Sentence()))
		if r.Error.Hint != "" {
			p.line("  %s", Printable(r.Error.Hint))
		}
	}
}

// Sentence says what failed, on one line.
func (f *Failure) Sentence() string {
	var b strings.Builder
	b.WriteString(f.Kind)
	if f.Reason != "" {
		fmt.Fprintf(&b, " (%s)", f.Reason)
	}
	b.WriteString(": ")
	if f.Step != nil {
		fmt.Fprintf(&b, "step %d: ", *f.Step+1)
	}
	if f.Engine != "" {
		fmt.Fprintf(&b, "engine %s: ", Printable(f.Engine))
	}
	if f.Path != "" {
		fmt.Fprintf(&b, "%s: ", Printable(f.Path))
	}
	b.WriteString(Printable(f.Message))
	if f.Cause != "" {
		fmt.Fprintf(&b, ": %s", Printable(f.Cause))
	}
	return b.String()
}

// Duration renders milliseconds as people read them: 42 ms, 1.9 s, 3 min 05 s.
func Duration(millis int64) string {
	switch d := time.Duration(millis) * time.Millisecond; {
	case d < time.Second:
		return fmt.Sprintf("%d ms", millis)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

// Printable returns s, quoted if any of it could steer a terminal or break a line.
func Printable(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(s)
		}
	}
	return s
}

func signed(sign string, n int) string {
	if n == 0 {
		return ""
	}
	return sign + strconv.Itoa(n)
}

// plural renders a count: participles (changed, written) stay as they are.
func plural(n int, word string) string {
	if n == 1 || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "en") {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
