package blocks

import (
	"fmt"
	"strings"
)

// results writes one line for each result, then the diffs (§ 18.3).
func (f *feedback) results() {
	for _, r := range f.report.Results {
		f.line("%s", resultLine(r))
	}
	for _, r := range f.report.Results {
		f.diff(r)
	}
}

func resultLine(r Result) string {
	path := quotePath(r.Path)
	switch {
	case r.Status == Unchanged && r.Mode == ModeAppend:
		return "append skipped: " + path + " already ends with this block"
	case r.Status == Unchanged && r.Mode == ModeDelete:
		return "delete skipped: " + path + " does not exist"
	}
	var b strings.Builder
	b.WriteString(path + ": ")
	switch r.Status {
	case Created:
		fmt.Fprintf(&b, "created, %d lines", r.Lines)
	case Updated:
		fmt.Fprintf(&b, "updated, +%d -%d", r.Added, r.Removed)
	case Appended:
		fmt.Fprintf(&b, "appended, +%d, now %d lines", r.Added, r.Lines)
	case Deleted:
		fmt.Fprintf(&b, "deleted, -%d", r.Removed)
	default:
		b.WriteString(oneLine(string(r.Status)))
	}
	if r.EditFormat != "" {
		fmt.Fprintf(&b, " (%d edits, drift %d)", r.EditsApplied, r.Fuzz)
	}
	separator := "; "
	for _, n := range r.Notes {
		b.WriteString(separator + oneLine(string(n)))
		separator = ", "
	}
	return b.String()
}

// diff shows the diff of a result (§ 18.8).
func (f *feedback) diff(r Result) {
	if r.DiffText == "" {
		return
	}
	writeFence(&f.text, "diff "+pathLabel(r.Path), r.Path, []byte(r.DiffText))
	if r.DiffTruncatedTo > 0 {
		f.line("%s: the diff is cut at %d lines; in all +%d -%d", quotePath(r.Path), r.DiffTruncatedTo, r.Added, r.Removed)
	}
}

// files shows the files that explain a failure (§ 18.4).
func (f *feedback) files() {
	for _, s := range f.report.StaleFiles {
		f.line("%s: you read %s, now %s", quotePath(s.Path), short(s.ObservedVersion), short(s.FileVersion))
		for _, c := range s.ChangesSinceRead {
			f.change(c)
		}
		f.echo(s.Path, s.Content, s.FileVersion)
	}
	for _, s := range f.report.Files {
		f.line("%s: version %s", quotePath(s.Path), short(s.FileVersion))
		f.echo(s.Path, s.Content, s.FileVersion)
	}
	for _, d := range f.report.DirtyFiles {
		f.line("%s: on disk %s, last written %s, proposed %s",
			quotePath(d.Path), short(d.FileVersion), short(d.ExpectedVersion), short(d.TargetVersion))
		f.echo(d.Path, d.Content, d.FileVersion)
	}
}

func (f *feedback) change(c Change) {
	subject, _, _ := strings.Cut(c.Message, "\n")
	if c.Agent == "" {
		f.line("  %s: %s", short(c.Commit), oneLine(subject))
		return
	}
	f.line("  %s by %s: %s", short(c.Commit), oneLine(c.Agent), oneLine(subject))
}

// echo shows a content, or one line that says why it doesn't (§ 18.7).
func (f *feedback) echo(path string, content []byte, version string) {
	text, why := Echo(path, content, version, f.cfg)
	path, version = quotePath(path), short(version)
	switch why {
	case "":
		f.text.WriteString(text)
	case StandInAbsent:
		f.line("%s does not exist", path)
	case StandInNonFile:
		f.line("%s is no regular file", path)
	case StandInNotUTF8:
		f.line("%s is not UTF-8 and not shown: %d bytes, version %s", path, len(content), version)
	case StandInTooLarge:
		f.line("%s is too large to show: %d bytes, version %s", path, len(content), version)
	}
}
