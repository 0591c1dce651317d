package adapter

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/pathdoor"
)

// Place is where a tool ran, as far as its findings need it.
type Place struct {
	// Roots are the absolute paths that the root goes by: as it was given, and with its
	// links resolved, which is how tools see it.
	Roots    []string
	MaxDepth int                    // of workspace paths (runtime spec §1.3)
	Known    func(path string) bool // is it a workspace path after the step?
}

// Diagnostics returns the findings of an engine as the workspace sees them (spec §15),
// and the runtime's own notes on what it trimmed or left out, at most one of each kind.
func (r Reading) Diagnostics(engine string, p Place) (found, notes []diagnostic.Diagnostic) {
	trimmed := 0
	for _, f := range r.Findings {
		f, whole := f.trim()
		if !whole {
			trimmed++
		}
		d := diagnostic.Diagnostic{
			Severity:  f.Severity,
			Message:   p.redact(f.Message),
			Rule:      f.Rule,
			Line:      f.Line,
			Column:    f.Column,
			EndLine:   f.EndLine,
			EndColumn: f.EndColumn,
			EngineID:  engine,
		}
		if f.Path != "" {
			d.Path = p.locate(f.Path)
			d.OutOfScope = d.Path == "" || !p.Known(d.Path)
		}
		found = append(found, d)
	}
	return found, r.notes(engine, trimmed)
}

func (r Reading) notes(engine string, trimmed int) []diagnostic.Diagnostic {
	var notes []diagnostic.Diagnostic
	note := func(severity diagnostic.Severity, count int, format string, args ...any) {
		notes = append(notes, diagnostic.Diagnostic{Severity: severity, Count: count, Message: fmt.Sprintf(format, args...)})
	}
	if trimmed > 0 {
		note(diagnostic.Warning, trimmed, "coordinates of %d diagnostics of %s made no sense and were trimmed", trimmed, engine)
	}
	if r.Dropped > 0 {
		note(graver(diagnostic.Warning, r.WorstDropped), r.Dropped, "%d more diagnostics of %s aren't shown: %d is the limit", r.Dropped, engine, MaxFindings)
	}
	if r.Cut {
		severity := diagnostic.Warning
		if r.Graver {
			severity = diagnostic.Error
		}
		note(severity, 0, "%s printed more than is kept: diagnostics beyond that are missing", engine)
	}
	return notes
}

// trim drops coordinates that make no sense (spec §15) and reports whether all stayed.
func (f Finding) trim() (Finding, bool) {
	before := f
	if f.Line < 1 {
		f.Line, f.Column, f.EndLine, f.EndColumn = 0, 0, 0, 0
	}
	if f.Column < 1 {
		f.Column = 0
	}
	if f.EndLine != 0 && f.EndLine < f.Line {
		// An end column without its line would stand on the wrong one.
		f.EndLine, f.EndColumn = 0, 0
	}
	sameLine := f.EndLine == 0 || f.EndLine == f.Line
	if f.EndColumn < 1 || f.Column == 0 || sameLine && f.EndColumn < f.Column {
		f.EndColumn = 0
	}
	return f, f == before
}

// locate returns the workspace path that a tool's path means, "" if it lies outside or is
// refused: where that is isn't the report's business.
func (p Place) locate(path string) string {
	if len(path) > maxPath {
		return ""
	}
	for _, root := range p.Roots {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(root, "/")+"/"); ok {
			path = strings.TrimLeft(rest, "/")
			break
		}
	}
	located, err := pathdoor.Facade(path, p.MaxDepth)
	if err != nil {
		return ""
	}
	return located
}

// redact takes the root out of a message, so that it reads the same wherever the root is.
func (p Place) redact(message string) string {
	for _, root := range p.Roots {
		root = strings.TrimSuffix(root, "/")
		if root != "" {
			message = replaceRoot(message, root)
		}
	}
	return message
}

// replaceRoot makes paths below root relative, and root itself ".".
func replaceRoot(message, root string) string {
	var b strings.Builder
	for {
		i := strings.Index(message, root)
		if i < 0 {
			return b.String() + message
		}
		before, after := message[:i], message[i+len(root):]
		b.WriteString(before)
		message = after
		switch {
		case endsInPath(b.String()):
			b.WriteString(root) // the end of a longer path
		case len(after) > 1 && after[0] == '/' && !strings.ContainsRune("\"'`)]>,;: \t\n", rune(after[1])):
			message = after[1:]
		case continues(after):
			b.WriteString(root) // the start of a longer name
		default:
			b.WriteString(".")
		}
	}
}

// endsInPath reports whether a path that follows s would go on one; a file URL is none.
func endsInPath(s string) bool {
	return s != "" && isPathByte(s[len(s)-1]) && !strings.HasSuffix(s, "file://")
}

// continues reports whether s goes on a name: a full stop may also end a sentence.
func continues(s string) bool {
	rest := strings.TrimLeft(s, ".")
	return rest != "" && rest[0] != '/' && isPathByte(rest[0])
}

func isPathByte(c byte) bool {
	return c == '/' || c == '-' || c == '_' || c == '.' || c >= 0x80 ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
