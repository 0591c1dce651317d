package engines_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/engines"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
)

func names(t *testing.T) []string {
	t.Helper()
	all, err := engines.Manifests()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range all {
		list = append(list, m.Name)
	}
	return list
}

func TestTheEnginesAreThose(t *testing.T) {
	want := []string{"eslint", "gofmt", "prettier", "tsc"}
	if diff := cmp.Diff(want, names(t)); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
}

// TestMessyInput: on the files of testdata/*.txtar below tree, a tool changes exactly
// those below after, to that, and finds what stands in diagnostics. Once more it changes
// nothing and finds the same.
func TestMessyInput(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			archive := archiveOf(t, name)
			tl := toolOf(t, name)
			tr := plant(t, archive.below("tree"))
			paths := tr.paths(tl.extensions)
			want := texts(tr.files())
			maps.Copy(want, archive.below("after"))
			for _, round := range []string{"first", "second"} {
				result, found, err := tr.run(tl, paths)
				if err != nil {
					t.Fatalf("%s run: %v\n%s", round, err, output(result.Outputs[0].Stderr.Last(2000)))
				}
				if !result.Findings || result.Leftovers != 0 {
					t.Errorf("%s run: findings %v, %d leftovers; want findings, no leftovers", round, result.Findings, result.Leftovers)
				}
				if diff := cmp.Diff(want, texts(tr.files())); diff != "" {
					t.Errorf("files after the %s run (-want +got):\n%s", round, diff)
				}
				if diff := cmp.Diff(archive.diagnostics(), render(found)); diff != "" {
					t.Errorf("diagnostics of the %s run (-want +got):\n%s", round, diff)
				}
				for _, d := range found {
					if d.EngineID != name || d.OutOfScope {
						t.Errorf("diagnostic %+v isn't one of %s in the workspace", d, name)
					}
				}
			}
		})
	}
}

func TestCleanInput(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			tl := toolOf(t, name)
			tr := plant(t, archiveOf(t, name).below("clean"))
			before := tr.files()
			result, found, err := tr.run(tl, tr.paths(tl.extensions))
			if err != nil || result.Findings || len(found) != 0 {
				t.Errorf("run: %v, findings %v, diagnostics %v; want none of it", err, result.Findings, found)
			}
			if after := tr.files(); !cmp.Equal(before, after, cmp.AllowUnexported(file{})) {
				t.Errorf("files after the run (-want +got):\n%s", cmp.Diff(texts(before), texts(after)))
			}
		})
	}
}

// TestWritesAsDeclared: what an engine says of how it writes (spec §12.5) is what the
// kernel sees: InPlace makes, moves and removes nothing, and keeps the inode.
func TestWritesAsDeclared(t *testing.T) {
	for _, name := range names(t) {
		tl := toolOf(t, name)
		if tl.writes == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := plant(t, archiveOf(t, name).below("tree"))
			before := tr.files()
			events := watch(t, tr)
			if _, _, err := tr.run(tl, tr.paths(tl.extensions)); err != nil {
				t.Fatal(err)
			}
			observed, made := v1alpha1.WritesInPlace, events()
			changed := 0
			for n, f := range tr.files() {
				if f.text != before[n].text {
					changed++
				}
				if f.inode != before[n].inode {
					made = append(made, n+" is another file")
				}
			}
			if len(made) > 0 {
				observed = v1alpha1.WritesReplace
			}
			if changed == 0 || observed != tl.writes {
				t.Errorf("%d files changed; writes is declared %s, observed %s: %v", changed, tl.writes, observed, made)
			}
		})
	}
}

func TestOddNamesReachTheTool(t *testing.T) {
	for _, tt := range []struct{ engine, extension, messy, clean string }{
		{"gofmt", ".go", "package a\nvar  x=1\n", "package a\n\nvar x = 1\n"},
		{"prettier", ".ts", "const  x=1\n", "const x = 1;\n"},
		{"eslint", ".js", "var x = 1;\n", "const x = 1;\n"},
	} {
		t.Run(tt.engine, func(t *testing.T) {
			tl := toolOf(t, tt.engine)
			tr := plant(t, nil)
			tr.write("eslint.config.mjs", `export default [{ rules: { "no-var": "error", "prefer-const": "error" } }];`)
			var paths []string
			for _, name := range []string{"-w", "--fix", "new\nline", "a b", "[id]", "(g)/[...all]", "{a,b}", "!not", "star*", "ünï", `back\slash`, "'quote\""} {
				tr.write(name+tt.extension, tt.messy)
				paths = append(paths, name+tt.extension)
			}
			result, _, err := tr.run(tl, paths)
			if err != nil {
				t.Fatalf("run: %v\n%s", err, output(result.Outputs[0].Stderr.Last(2000)))
			}
			files := tr.files()
			for _, p := range paths {
				if got := files[p].text; got != tt.clean {
					t.Errorf("%q = %q, want %q", p, got, tt.clean)
				}
			}
		})
	}
}

// TestBrokenConfigurationIsAFailure and not a clean run, nor a finding in some file.
func TestBrokenConfigurationIsAFailure(t *testing.T) {
	for _, tt := range []struct{ engine, config, text, file, content string }{
		{"prettier", ".prettierrc.json", `{ "semi": `, "a.ts", "const  x=1\n"},
		{"prettier", ".prettierrc.json", `{ "plugins": ["no-such-plugin"] }`, "a.ts", "const  x=1\n"},
		{"eslint", "eslint.config.mjs", `import "no-such-plugin";`, "a.js", "var x\n"},
		{"eslint", "README", "no configuration at all", "a.js", "var x\n"},
	} {
		t.Run(tt.engine+" "+tt.text, func(t *testing.T) {
			tr := plant(t, nil)
			tr.write(tt.config, tt.text)
			tr.write(tt.file, tt.content)
			_, found, err := tr.run(toolOf(t, tt.engine), []string{tt.file})
			if !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) || fault.As(err).Engine != tt.engine {
				t.Errorf("run: %v with %v, want an engine-error of %s", err, found, tt.engine)
			}
			if got := tr.files()[tt.file].text; got != tt.content {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestTscWithoutConfigurationSaysSo(t *testing.T) {
	tr := plant(t, nil)
	tr.write("a.ts", "export {}\n")
	_, found, err := tr.run(toolOf(t, "tsc"), nil)
	want := []string{"error TS5057: Cannot find a tsconfig.json file at the specified directory: '.'."}
	if diff := cmp.Diff(want, render(found)); err != nil || diff != "" {
		t.Errorf("run: %v, diagnostics (-want +got):\n%s", err, diff)
	}
}

func TestESLintWithoutPathsTouchesNothing(t *testing.T) {
	tr := plant(t, nil)
	tr.write("eslint.config.mjs", `export default [{ rules: { "no-var": "error" } }];`)
	tr.write("a.js", "var x = 1;\n")
	if _, found, err := tr.run(toolOf(t, "eslint"), nil); err != nil || len(found) != 0 {
		t.Errorf("run: %v, %v, want nothing", err, found)
	}
	if got := tr.files()["a.js"].text; got != "var x = 1;\n" {
		t.Errorf("a file that nobody named was changed to %q", got)
	}
}

func TestVersions(t *testing.T) {
	for name, want := range map[string]string{"gofmt": "go version go1.", "prettier": "3.10.1", "eslint": "v10.", "tsc": "Version 6."} {
		t.Run(name, func(t *testing.T) {
			tr := plant(t, nil)
			if got := tr.driver.Version(t.Context(), name, load(t, name).VersionCommand); !strings.HasPrefix(got, want) {
				t.Errorf("version = %q, want %s…", got, want)
			}
		})
	}
}

// render writes diagnostics as the archives have them, in order of production.
func render(found []diagnostic.Diagnostic) []string {
	var list []string
	for _, d := range found {
		var b strings.Builder
		b.WriteString(string(d.Severity) + " ")
		if d.Path != "" {
			fmt.Fprintf(&b, "%s:%d:%d", d.Path, d.Line, d.Column)
			if d.EndLine > 0 {
				fmt.Fprintf(&b, "-%d:%d", d.EndLine, d.EndColumn)
			}
			b.WriteString(": ")
		}
		if d.Rule != "" {
			b.WriteString(d.Rule + ": ")
		}
		list = append(list, b.String()+d.Message)
	}
	return list
}

func texts(files map[string]file) map[string]string {
	all := map[string]string{}
	for n, f := range files {
		all[n] = f.text
	}
	return all
}

func output(last []byte, _ int64) string { return string(last) }

// watch watches every directory of a tree. The function that it returns names what was
// made, moved or removed there since.
func watch(t *testing.T, tr *tree) func() []string {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	dirs := []string{tr.root}
	for n := range tr.files() {
		if d := filepath.Join(tr.root, filepath.Dir(n)); !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range dirs {
		if _, err := unix.InotifyAddWatch(fd, d, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE); err != nil {
			t.Fatal(os.NewSyscallError("inotify_add_watch", err))
		}
	}
	return func() []string {
		var made []string
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(fd, buf)
			if errors.Is(err, unix.EAGAIN) {
				return made
			}
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at < n; {
				e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
				at += unix.SizeofInotifyEvent
				name := strings.TrimRight(string(buf[at:at+int(e.Len)]), "\x00")
				at += int(e.Len)
				made = append(made, fmt.Sprintf("%s (%#x)", name, e.Mask))
			}
		}
	}
}
