package adapter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/pathdoor"
)

func FuzzESLintJSON(f *testing.F) {
	f.Add([]byte(`[{"filePath":"/r/a","messages":[{"ruleId":"x","severity":1,"message":"m","line":1,"column":2,"endLine":3,"endColumn":4}]}]`), false)
	f.Add([]byte("[x\n[{\"filePath\":\"a\",\"messages\":[{\"line\":-1}]},"), true)
	fuzz(f, engine.FormatESLintJSON, "")
}

func FuzzTSC(f *testing.F) {
	f.Add([]byte("a.ts(1,2): error TS1: m\n  more\nerror TS2: g\na.ts:1:2 - error TS1: m\n"), false)
	fuzz(f, engine.FormatTSC, "")
}

func FuzzGNU(f *testing.F) {
	f.Add([]byte("a:1:2: warning: m\nb:1.2-3.4: n\n\x1b[1mc\x1b]0;t\x07:9: m"), false)
	fuzz(f, engine.FormatGNU, "")
}

func FuzzPattern(f *testing.F) {
	f.Add([]byte("warn a b.ts:1:2-3:4 my/rule all of it\n"), true)
	fuzz(f, engine.FormatPattern, genericPattern)
}

// fuzz holds a format to what every reading promises.
func fuzz(f *testing.F, format engine.DiagnosticsFormat, pattern string) {
	a, err := New(engine.Diagnostics{Format: format, Pattern: pattern})
	if err != nil {
		f.Fatal(err)
	}
	place := Place{Roots: []string{"/r"}, MaxDepth: 8, Known: func(p string) bool { return p == "a" }}
	f.Fuzz(func(t *testing.T, out []byte, isCut bool) {
		r, _ := a.Read(Run{Engine: "tool", Outputs: []Output{{Stdout: out, Stderr: out, StdoutCut: isCut}}})
		if len(r) > MaxFindings+2 {
			t.Fatalf("%d diagnostics exceed the limit", len(r))
		}
		found, notes := Normalise(r, "tool", place)
		if len(found) != len(r) || len(notes) > 1 {
			t.Fatalf("%d diagnostics, %d notes of %d", len(found), len(notes), len(r))
		}
		for _, d := range found {
			if !utf8.ValidString(d.Message) || strings.ContainsAny(d.Message, "\x1b\x00\x07\r") || len(d.Message) > maxMessage {
				t.Errorf("message %q isn't clean", d.Message)
			}
			if d.Path != "" {
				if p, err := pathdoor.Facade(d.Path, 8); err != nil || p != d.Path {
					t.Errorf("path %q is no workspace path", d.Path)
				}
				if d.OutOfScope != (d.Path != "a") {
					t.Errorf("path %q: out of scope is %v", d.Path, d.OutOfScope)
				}
			}
			ok := d.Line >= 0 && d.Column >= 0 && d.EndLine >= 0 && d.EndColumn >= 0 &&
				(d.Line > 0 || d.Column == 0 && d.EndLine == 0) &&
				(d.EndLine == 0 || d.EndLine >= d.Line) &&
				(d.EndColumn == 0 || d.Column > 0) &&
				(d.EndColumn == 0 || d.EndLine > d.Line || d.EndColumn >= d.Column)
			if !ok {
				t.Errorf("coordinates of %+v make no sense", d)
			}
		}
	})
}

func FuzzStripEscapes(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b(B"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := stripEscapes(b); strings.ContainsRune(string(got), esc) || len(got) > len(b) {
			t.Errorf("stripEscapes(%q) = %q", b, got)
		}
	})
}
