package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// details writes what the screen of a run leaves out.
func (p *printer) details(r Report) {
	p.line("")
	p.line("  run %s, started %s, took %s", Printable(r.Run), Printable(r.StartedAt), Duration(r.DurationMillis))
	p.section("written", r.Written)
	p.section("withheld from tools, being changed in memory", r.Withheld)
	p.section("unreadable", r.Unreadable)
	p.section("identity", noted(r.Identity))
	p.section("changed on disk outside every step", strayed(r.Strays))
	p.section("what tools claim and the disk doesn't confirm", claimed(r.Discrepancies))
	for _, s := range r.Steps {
		p.section(fmt.Sprintf("skipped by step %d, %s", s.Index+1, s.Action), skippedBy(s))
	}
	for _, in := range r.Invocations {
		p.invocation(in)
	}
	for _, label := range slices.Sorted(maps.Keys(r.Reads)) {
		p.content("read as "+Printable(label), r.Reads[label])
	}
}

// section writes a list with a title, if there is one.
func (p *printer) section(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("  %s", title)
	for _, entry := range list {
		p.line("    %s", Printable(entry))
	}
}

// content writes a text that nobody has looked at, line by line.
func (p *printer) content(title, text string) {
	if text == "" {
		return
	}
	p.line("")
	p.line("  %s", title)
	for line := range strings.Lines(text) {
		p.line("    | %s", visible(strings.TrimRight(line, "\r\n")))
	}
}

func (p *printer) invocation(in Invocation) {
	p.line("")
	p.line("  step %d, %s %s", in.Step+1, in.Kind, Printable(in.Engine))
	facts := []string{in.Ended}
	if in.ExitCode != nil {
		facts = append(facts, fmt.Sprintf("exit code %d", *in.ExitCode))
	}
	if in.Signal != "" {
		facts = append(facts, in.Signal)
	}
	if in.Attempts > 1 {
		facts = append(facts, fmt.Sprintf("%d attempts", in.Attempts))
	}
	if in.LeftProcesses > 0 {
		facts = append(facts, fmt.Sprintf("%d of its processes outlived it and were ended", in.LeftProcesses))
	}
	if u := in.Usage; u != nil {
		facts = append(facts, fmt.Sprintf("%s of processor, %d MiB of memory", Duration(u.UserMillis+u.SystemMillis), u.MaxRSSKiB>>10))
	}
	p.line("    %s", strings.Join(facts, ", "))
	if in.Version != "" {
		p.line("    version %s", Printable(in.Version))
	}
	if c := in.Containment; c != nil {
		p.line("    contained by %s", c.whole())
	}
	for _, stream := range []struct {
		name string
		tail *Tail
	}{{"standard output", in.Stdout}, {"standard error", in.Stderr}} {
		if stream.tail != nil {
			p.content(stream.tail.title(stream.name), stream.tail.Text)
		}
	}
}

func (t *Tail) title(stream string) string {
	if t.Dropped > 0 {
		return fmt.Sprintf("the end of %s, after %d bytes", stream, t.Dropped)
	}
	return stream
}

func (c *Containment) whole() string {
	text := c.Kind
	if len(c.Roots) > 0 {
		text += " on " + Printable(strings.Join(c.Roots, ", "))
	}
	if c.Exceeds {
		text += ", wider than scope"
	}
	return text
}

func noted(notes []Note) []string {
	var list []string
	for _, n := range notes {
		list = append(list, fmt.Sprintf("%s: %s was %s, is %s", n.Path, n.Kind, n.Before, n.After))
	}
	return list
}

func strayed(strays []Stray) []string {
	var list []string
	for _, s := range strays {
		list = append(list, s.Path+": "+s.Kind)
	}
	return list
}

func claimed(all []Discrepancy) []string {
	var list []string
	for _, d := range all {
		for _, set := range []struct {
			says  string
			paths []string
		}{
			{"claims %s, which is unchanged", d.ClaimedUnchanged},
			{"doesn't claim %s, which is changed", d.ChangedUnclaimed},
			{"claims %s, which isn't its business", d.ClaimedUnauthorized},
			{"claims %s, which makes no sense", d.Unparseable},
		} {
			for _, path := range set.paths {
				list = append(list, d.Engine+" "+fmt.Sprintf(set.says, path))
			}
		}
	}
	return list
}

func skippedBy(s Step) []string {
	var list []string
	for _, skip := range s.Skips {
		what := plural(skip.Files, "file")
		switch {
		case skip.Engine != "":
			what = skip.Engine + " with " + what
		case skip.Group != "":
			what += " ." + skip.Group
		}
		list = append(list, what+": "+skip.Reason)
	}
	return list
}

// visible returns a line of text with what could steer a terminal written out.
func visible(line string) string {
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			quoted := fmt.Sprintf("%+q", string(r))
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
