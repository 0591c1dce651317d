package adapter

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

func place() Place {
	return Place{
		Roots:    []string{"/r/repo", "/private/r/repo"},
		MaxDepth: 4,
		Known:    func(p string) bool { return p == "src/a.ts" },
	}
}

// TestCoordinates of spec §15.
func TestCoordinates(t *testing.T) {
	type c struct{ line, column, endLine, endColumn int }
	for _, tt := range []struct {
		name        string
		in, want    c
		wantTrimmed bool
	}{
		{"none", c{}, c{}, false},
		{"all in order", c{3, 4, 5, 1}, c{3, 4, 5, 1}, false},
		{"a line alone", c{3, 0, 0, 0}, c{3, 0, 0, 0}, false},
		{"without a line all go", c{0, 4, 5, 6}, c{}, true},
		{"with a bad line all go", c{-1, 4, 5, 6}, c{}, true},
		{"a bad column goes, and the end column with it", c{3, -1, 4, 2}, c{3, 0, 4, 0}, true},
		{"an end column needs a column", c{3, 0, 4, 2}, c{3, 0, 4, 0}, true},
		{"an end line before the line goes", c{3, 4, 2, 9}, c{3, 4, 0, 0}, true},
		{"an end line on the line stays", c{3, 4, 3, 4}, c{3, 4, 3, 4}, false},
		{"an end column before the column goes on the same line", c{3, 4, 3, 3}, c{3, 4, 3, 0}, true},
		{"an end column before the column stays on a later line", c{3, 4, 4, 3}, c{3, 4, 4, 3}, false},
		{"an end column without end line is on the line", c{3, 4, 0, 5}, c{3, 4, 0, 5}, false},
		{"and may not be before the column", c{3, 4, 0, 3}, c{3, 4, 0, 0}, true},
		{"a bad end column goes", c{3, 4, 5, -1}, c{3, 4, 5, 0}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := diagnostic.Diagnostic{Path: "src/a.ts", Message: "m", Line: tt.in.line, Column: tt.in.column, EndLine: tt.in.endLine, EndColumn: tt.in.endColumn}
			found, notes := Normalise([]diagnostic.Diagnostic{in}, "tool", place())
			got := c{found[0].Line, found[0].Column, found[0].EndLine, found[0].EndColumn}
			if got != tt.want || (len(notes) == 1) != tt.wantTrimmed {
				t.Errorf("coordinates = %+v with %d notes, want %+v, trimmed %v", got, len(notes), tt.want, tt.wantTrimmed)
			}
		})
	}
}

func TestTrimmedCoordinatesGiveOneWarningThatCounts(t *testing.T) {
	bad := diagnostic.Diagnostic{Message: "m", Line: -1}
	_, notes := Normalise([]diagnostic.Diagnostic{bad, {Message: "m"}, bad}, "tool", place())
	want := []diagnostic.Diagnostic{{Severity: diagnostic.Warning, Count: 2, Message: "coordinates of 2 diagnostics of tool made no sense and were trimmed"}}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// TestPaths of spec §15.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		wantOut        bool
	}{
		{"a workspace path", "src/a.ts", "src/a.ts", false},
		{"no path", "", "", false},
		{"one to normalise", "./src//x/../a.ts", "src/a.ts", false},
		{"absolute below the root", "/r/repo/src/a.ts", "src/a.ts", false},
		{"absolute below the root's other name", "/private/r/repo//src/a.ts", "src/a.ts", false},
		{"not of the workspace", "src/b.ts", "src/b.ts", true},
		{"absolute elsewhere", "/etc/passwd", "", true},
		{"beside the root by name", "/r/repo2/src/a.ts", "", true},
		{"the root itself", "/r/repo", "", true},
		{"escaping", "../x.ts", "", true},
		{"escaping below the root", "/r/repo/../x.ts", "", true},
		{"a home directory", "~/x", "", true},
		{"too deep", "a/b/c/d/e", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := Normalise([]diagnostic.Diagnostic{{Path: tt.in, Message: "m"}}, "tool", place())
			if d := found[0]; d.Path != tt.want || d.OutOfScope != tt.wantOut || d.EngineID != "tool" {
				t.Errorf("path %q = %q, out of scope %v, engine %q; want %q, %v, tool", tt.in, d.Path, d.OutOfScope, d.EngineID, tt.want, tt.wantOut)
			}
		})
	}
}

func TestMessagesDontTellWhereTheRootIs(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a file below", "in /r/repo/src/[id].ts: x", "in src/[id].ts: x"},
		{"a file below with an odd name", "in /r/repo/[id].ts", "in [id].ts"},
		{"the root", "cannot find /r/repo.", "cannot find .."},
		{"the root in quotes", `"/r/repo" and '/r/repo/'`, `"." and './'`},
		{"a longer name", "/r/repo2/x and /r/repo.old/x", "/r/repo2/x and /r/repo.old/x"},
		{"a longer path", "/mnt/r/repo/x", "/mnt/r/repo/x"},
		{"a file URL", "file:///r/repo/x.js:1", "file://x.js:1"},
		{"the other name", "/private/r/repo/a", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := Normalise([]diagnostic.Diagnostic{{Message: tt.in}}, "tool", place())
			if got := found[0].Message; got != tt.want {
				t.Errorf("message = %q, want %q", got, tt.want)
			}
		})
	}
}
