package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/fault"
)

func TestToolsThatCantRunAreRefusedBeforeAnythingStarts(t *testing.T) {
	d := newDriver(t)
	script := filepath.Join(d.options.Root, "script")
	if err := os.WriteFile(script, []byte("#!/no/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		command  []string
		wantText string
		wantHint string
	}{
		{"one that isn't installed", []string{"no-such-tool"}, "no-such-tool is not installed", "install no-such-tool"},
		{"a file that isn't there", []string{"./none"}, "./none doesn't exist", "below the root"},
		{"a directory", []string{"/"}, "is a directory", "name a program"},
		{"a script without its interpreter", []string{"./script"}, "/no/interpreter", "install the interpreter"},
		{"no command", nil, "no command", "give the engine a command"},
		{"an argument beyond all limits", []string{"true", strings.Repeat("x", 200<<10)}, "exceeds what the system allows", "File or Stdin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := d.Run(context.Background(), driver.Request{Engine: "tool", Command: tt.command})
			wantError(t, err, driver.EngineError, tt.wantText)
			if r.Ended != driver.EngineError || r.Started || !strings.Contains(fault.As(err).Hint, tt.wantHint) {
				t.Errorf("result = %+v, hint %q; want engine-error, not started, %q", r, fault.As(err).Hint, tt.wantHint)
			}
		})
	}
	wantNoFolders(t, d)
}

func TestTheProjectsOwnToolComesBeforePATH(t *testing.T) {
	d := newDriver(t)
	path := filepath.Join(t.TempDir(), "bin")
	d.options.Path = path + ":" + d.options.Path
	write := func(dir, says string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fixer"), []byte("#!/bin/sh\necho "+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	says := func() string {
		t.Helper()
		r, err := d.Run(context.Background(), driver.Request{Engine: "fixer", Command: []string{"fixer"}})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Outputs[0].Stdout.Head)
	}
	write(path, "path")
	if got := says(); got != "path\n" {
		t.Errorf("without node_modules it is %q, want path", got)
	}
	write(filepath.Join(d.options.Root, "node_modules", ".bin"), "project")
	if got := says(); got != "project\n" {
		t.Errorf("with node_modules it is %q, want project", got)
	}
	modules := filepath.Join(d.options.Root, "node_modules")
	write(filepath.Join(d.options.Root, "real", ".bin"), "linked")
	if err := os.Rename(modules, modules+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", modules); err != nil {
		t.Fatal(err)
	}
	if got := says(); got != "linked\n" {
		t.Errorf("with node_modules a link it is %q, want linked", got)
	}
}

func TestFindShim(t *testing.T) {
	dir := t.TempDir()
	place := func(name string) string {
		t.Helper()
		full := filepath.Join(dir, name, shimName)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return full
	}
	explicit, beside, inPath := place("explicit"), place("beside"), place("path")
	fettle, path := filepath.Join(dir, "beside", "fettle"), filepath.Join(dir, "path")
	for _, tt := range []struct {
		name, explicit, executable, path, want, wantText string
	}{
		{"what is named", explicit, fettle, path, explicit, ""},
		{"what is named and isn't there, and nothing else", filepath.Join(dir, "none"), fettle, path, "", "doesn't exist"},
		{"beside fettle", "", fettle, path, beside, ""},
		{"in PATH", "", filepath.Join(dir, "fettle"), path, inPath, ""},
		{"nowhere", "", filepath.Join(dir, "fettle"), dir, "", "neither beside fettle nor in PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindShim(tt.explicit, tt.executable, tt.path)
			if got != tt.want || (err == nil) != (tt.wantText == "") || err != nil && (!strings.Contains(err.Error(), tt.wantText) || fault.As(err).Hint == "") {
				t.Errorf("FindShim = %q, %v, want %q, %q with a hint", got, err, tt.want, tt.wantText)
			}
		})
	}
}
