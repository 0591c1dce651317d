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

// Normalise returns what an engine found as the workspace sees it (spec §15), stamped with
// the engine, and the runtime's own note on coordinates that it trimmed, if it did.
func Normalise(found []diagnostic.Diagnostic, engine string, p Place) (normal, notes []diagnostic.Diagnostic) {
	trimmed := 0
	for _, d := range found {
		d, whole := trim(d)
		if !whole {
			trimmed++
		}
		d.EngineID = engine
		d.Message = p.redact(d.Message)
		if d.Path != "" {
			d.Path = p.locate(d.Path)
			d.OutOfScope = d.Path == "" || !p.Known(d.Path)
		}
		normal = append(normal, d)
	}
	if trimmed > 0 {
		notes = append(notes, diagnostic.Diagnostic{
			Severity: diagnostic.Warning,
			Message:  fmt.Sprintf("coordinates of %d diagnostics of %s made no sense and were trimmed", trimmed, engine),
			Count:    trimmed,
		})
	}
	return normal, notes
}

// trim drops coordinates that make no sense (spec §15) and reports whether all stayed.
func trim(d diagnostic.Diagnostic) (diagnostic.Diagnostic, bool) {
	type coordinates struct{ line, column, endLine, endColumn int }
	before := coordinates{d.Line, d.Column, d.EndLine, d.EndColumn}
	if d.Line < 1 {
		d.Line, d.Column, d.EndLine, d.EndColumn = 0, 0, 0, 0
	}
	if d.Column < 1 {
		d.Column = 0
	}
	if d.EndLine != 0 && d.EndLine < d.Line {
		// An end column without its line would stand on the wrong one.
		d.EndLine, d.EndColumn = 0, 0
	}
	sameLine := d.EndLine == 0 || d.EndLine == d.Line
	if d.EndColumn < 1 || d.Column == 0 || sameLine && d.EndColumn < d.Column {
		d.EndColumn = 0
	}
	return d, before == coordinates{d.Line, d.Column, d.EndLine, d.EndColumn}
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
