package blocks

import (
	"fmt"
	"strings"
)

// tag begins every line of a feedback text that is not part of an echo, a diff or a
// numbered item (§ 18.1).
const tag = "[fettle] "

// Feedback renders a report for the model that wrote the message (§ 18). Its first line
// is a summary. Whatever the report holds, Parse finds no block, no error and no hint in
// the text.
func Feedback(r *Report, cfg Config) string {
	f := feedback{report: r, cfg: cfg}
	f.line("%s", f.summary())
	if len(r.Results) > 0 && r.Status != StatusFailed {
		f.results()
	}
	f.revision()
	f.errors()
	f.files()
	for _, p := range r.Publications {
		f.publication(p)
	}
	for _, d := range r.LocalDrift {
		f.line("local change left alone: %s is %s, last written %s, published %s",
			quotePath(d.Path), short(d.FileVersion), short(d.ExpectedVersion), short(d.TargetVersion))
	}
	for _, h := range r.Hints {
		f.line("line %d looks like a write but is none: %s; a write is a fence with file=PATH", h.Line, oneLine(strings.ReplaceAll(h.Info, "\t", " ")))
	}
	f.advice()
	return f.text.String()
}

type feedback struct {
	report *Report
	cfg    Config
	text   strings.Builder
}

// line writes one tagged line. Strings of foreign origin are made one line first.
func (f *feedback) line(format string, args ...any) {
	f.text.WriteString(tag)
	fmt.Fprintf(&f.text, format, args...)
	f.text.WriteByte('\n')
}

// summary returns the status phrase (§ 18.2).
func (f *feedback) summary() string {
	r := f.report
	switch r.Status {
	case StatusCommitted:
		unchanged := 0
		for _, res := range r.Results {
			if res.Status == Unchanged {
				unchanged++
			}
		}
		return fmt.Sprintf("committed %s: %d changed, %d unchanged", short(r.Commit), len(r.Results)-unchanged, unchanged)
	case StatusUnchanged:
		if r.RepoRevision == "" && len(r.Hints) > 0 {
			return fmt.Sprintf("nothing written: %d block(s) look like writes", len(r.Hints))
		}
		return "unchanged at " + short(r.RepoRevision)
	case StatusStale:
		return fmt.Sprintf("stale: nothing was written, %d file(s) changed since you read them", len(r.StaleFiles))
	case StatusPreconditionFailed:
		return "precondition failed: nothing was written"
	case StatusEditUnresolved:
		return "edit unresolved: nothing was written"
	case StatusWorktreeDirty:
		return "workspace has local changes: nothing was written"
	case StatusProjectionFailed:
		return fmt.Sprintf("committed %s but not projected: tools are blocked", short(r.Commit))
	case StatusPublicationFailed:
		return fmt.Sprintf("committed %s but not published: tools are blocked", short(either(r.Commit, r.RepoRevision)))
	}
	return fmt.Sprintf("failed: nothing was written, %d error(s)", len(r.Errors))
}

// revision names the revision that the files shown are of.
func (f *feedback) revision() {
	switch f.report.Status {
	case StatusStale, StatusPreconditionFailed, StatusEditUnresolved, StatusWorktreeDirty:
		f.line("at revision %s", short(f.report.RepoRevision))
	}
}

// errors writes the numbered list of § 18.4. The number keeps an item from opening a
// fence, the indentation of four its other lines.
func (f *feedback) errors() {
	for i, e := range f.report.Errors {
		file := ""
		if e.Path != "" {
			file = "file=" + quotePath(e.Path) + ": "
		}
		fmt.Fprintf(&f.text, "%d. %s%s\n", i+1, file, oneLine(string(e.Code)))
		hint := either(e.Hint, e.Code.Hint())
		if e.Token != "" {
			hint = fmt.Sprintf("%q: %s", e.Token, hint)
		}
		fmt.Fprintf(&f.text, "    %s\n", oneLine(hint))
		if e.Detail != "" {
			fmt.Fprintf(&f.text, "    %s\n", oneLine(e.Detail))
		}
	}
}

func (f *feedback) publication(p Publication) {
	done := "published"
	if p.NoOp {
		done = "nothing to publish"
	}
	f.line("%s: %s at %s", oneLine(p.Scope), done, short(p.Revision))
}

// advice says what to do with the files shown.
func (f *feedback) advice() {
	switch f.report.Status {
	case StatusStale, StatusPreconditionFailed, StatusEditUnresolved:
		f.line("send the whole message again, based on the content shown")
	case StatusWorktreeDirty:
		paths := make([]string, 0, len(f.report.DirtyFiles))
		for _, d := range f.report.DirtyFiles {
			paths = append(paths, quotePath(d.Path))
		}
		f.line("whoever keeps the workspace can take the local bytes with `fettle blocks absorb`: %s", strings.Join(paths, " "))
	}
}

// short abbreviates a Git object id; other names stand whole.
func short(name string) string {
	if (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:7]
	}
	return oneLine(name)
}
