package reread_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// onDisk is a run over a real directory.
func onDisk(t *testing.T, files map[string]string) (*world, string) {
	t.Helper()
	root := t.TempDir()
	for path, data := range files {
		mustWrite(t, root, path, data)
	}
	disk, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	x := newWorld(t, disk, parsePolicy(t, nil), workspace.DefaultBounds(), glob.DefaultExclude(), "**")
	x.env.Now = disk.Now
	return x, root
}

func mustWrite(t *testing.T, root, path, data string) {
	t.Helper()
	file := filepath.Join(root, path)
	do(t, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(data), 0o644))
}

// What a tool can leave in the place of a file between snapshot and re-read.
func TestHostileReplacementsOfAFile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.ts")
	do(t, os.WriteFile(outside, []byte("secret\n"), 0o644))
	tests := []struct {
		name       string
		tool       func(t *testing.T, root string)
		want       reread.OutcomeKind
		wantReason string
	}{
		{"a link inside the root", func(t *testing.T, root string) { relink(t, "b.ts", filepath.Join(root, "d/a.ts")) }, reread.Unreadable, "link"},
		{"a link out of the root", func(t *testing.T, root string) { relink(t, outside, filepath.Join(root, "d/a.ts")) }, reread.Unreadable, "link"},
		{"a dangling link", func(t *testing.T, root string) { relink(t, "nowhere", filepath.Join(root, "d/a.ts")) }, reread.Unreadable, "link"},
		{"a link to itself", func(t *testing.T, root string) { relink(t, "a.ts", filepath.Join(root, "d/a.ts")) }, reread.Unreadable, "link"},
		{"a link in place of its directory", func(t *testing.T, root string) {
			do(t, os.Rename(filepath.Join(root, "d"), filepath.Join(root, "e")), os.Symlink("e", filepath.Join(root, "d")))
		}, reread.Unreadable, "link"},
		{"a pipe", func(t *testing.T, root string) {
			do(t, os.Remove(filepath.Join(root, "d/a.ts")), unix.Mkfifo(filepath.Join(root, "d/a.ts"), 0o644))
		}, reread.Unreadable, "not-regular"},
		{"a directory", func(t *testing.T, root string) {
			do(t, os.Remove(filepath.Join(root, "d/a.ts")), os.Mkdir(filepath.Join(root, "d/a.ts"), 0o755))
		}, reread.Unreadable, "not-regular"},
		{"a file in place of its directory", func(t *testing.T, root string) {
			do(t, os.RemoveAll(filepath.Join(root, "d")), os.WriteFile(filepath.Join(root, "d"), nil, 0o644))
		}, reread.DroppedAbsent, ""},
		{"nothing, its directory gone", func(t *testing.T, root string) { do(t, os.RemoveAll(filepath.Join(root, "d"))) }, reread.DroppedAbsent, ""},
		{"another file of the same bytes", func(t *testing.T, root string) {
			do(t, os.WriteFile(filepath.Join(root, "t"), []byte("a\n"), 0o644), os.Rename(filepath.Join(root, "t"), filepath.Join(root, "d/a.ts")))
		}, reread.Unchanged, ""},
		{"a hard link of another file", func(t *testing.T, root string) {
			do(t, os.Remove(filepath.Join(root, "d/a.ts")), os.Link(filepath.Join(root, "b.ts"), filepath.Join(root, "d/a.ts")))
		}, reread.Updated, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, root := onDisk(t, map[string]string{"d/a.ts": "a\n", "b.ts": "b\n"})
			_, _, res := x.invoke(everything, func() reread.End { tt.tool(t, root); return reread.End{} })
			wantOutcome(t, res, "d/a.ts", tt.want)
			i := slices.IndexFunc(res.Errors, func(d diagnostic.Diagnostic) bool { return d.Path == "d/a.ts" })
			if tt.wantReason == "" && i >= 0 || tt.wantReason != "" && (i < 0 || res.Errors[i].Reason != tt.wantReason) {
				t.Errorf("errors %+v, want reason %q", res.Errors, tt.wantReason)
			}
			for path, f := range x.w.All() {
				if data, err := x.env.Store.Get(f.Content, nil); err != nil || strings.Contains(string(data), "secret") {
					t.Errorf("%s holds %q (%v)", path, data, err)
				}
			}
			if data, err := os.ReadFile(outside); err != nil || string(data) != "secret\n" {
				t.Errorf("the file outside holds %q, %v", data, err)
			}
		})
	}
}

func relink(t *testing.T, target, path string) {
	t.Helper()
	do(t, os.Remove(path), os.Symlink(target, path))
}

func TestHostileNewEntriesAreIgnoredOrRefused(t *testing.T) {
	x, root := onDisk(t, map[string]string{"d/a.ts": "a\n"})
	_, _, res := x.invoke(everything, func() reread.End {
		mustWrite(t, root, "new\nline.ts", "n\n")
		mustWrite(t, root, "bad\xff.ts", "b\n")
		mustWrite(t, root, `back\slash.ts`, "b\n")
		mustWrite(t, root, strings.Repeat("n", 252)+".ts", "long\n")
		do(t, os.Symlink("d/a.ts", filepath.Join(root, "link.ts")), os.Symlink("d", filepath.Join(root, "linked")),
			unix.Mkfifo(filepath.Join(root, "pipe.ts"), 0o644), os.Symlink("/", filepath.Join(root, "slash")))
		return reread.End{}
	})
	want := []string{"new\nline.ts", strings.Repeat("n", 252) + ".ts"}
	slices.Sort(want)
	if !slices.Equal(res.Changed, want) {
		t.Errorf("changed %q, want %q", res.Changed, want)
	}
	if len(res.Errors) != 2 || res.Errors[0].Reason != "unaddressable" || res.Errors[1].Reason != "unaddressable" {
		t.Errorf("errors %+v, want the two names that can't be written", res.Errors)
	}
}

func TestAFileBeyondTheBoundIsNotRead(t *testing.T) {
	const size = 200 << 20
	x, root := onDisk(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	var before uint64
	_, _, res := x.invoke(everything, func() reread.End {
		for _, path := range []string{"a.ts", "new.ts", "new.png"} {
			f, err := os.OpenFile(filepath.Join(root, path), os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			do(t, f.Truncate(size), f.Close())
		}
		mustWrite(t, root, "small.png", strings.Repeat("x", 3<<19)) // within the bound, and no text by its name
		before = bytesRead(t)
		return reread.End{}
	})
	if read := bytesRead(t) - before; read > 1<<20 {
		t.Errorf("%d bytes were read for files of %d", read, size)
	}
	wantOutcome(t, res, "a.ts", reread.Unreadable)
	wantOutcome(t, res, "new.ts", reread.NotAdmitted)
	wantOutcome(t, res, "new.png", reread.NotAdmitted)
	var reasons []string
	for _, d := range res.Errors {
		reasons = append(reasons, d.Path+" "+d.Reason)
	}
	if want := []string{"a.ts maxBytesPerFile", "new.png non-text", "new.ts maxBytesPerFile", "small.png non-text"}; !slices.Equal(reasons, want) {
		t.Errorf("errors %q, want %q", reasons, want)
	}
}

// bytesRead is how many bytes this process has read from files so far.
func bytesRead(t *testing.T) uint64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	n, err := strconv.ParseUint(strings.TrimPrefix(first, "rchar: "), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestModeAndOwnerOnDiskAreNotedAndRecorded(t *testing.T) {
	x, root := onDisk(t, map[string]string{"a.ts": "a\n"})
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, os.Chmod(filepath.Join(root, "a.ts"), 0o755))
		return reread.End{}
	})
	want := []reread.Note{{Path: "a.ts", Kind: "mode", Before: "0644", After: "0755"}}
	if !slices.Equal(res.Notes, want) || len(res.Changed) > 0 {
		t.Errorf("notes %+v, changed %q; want %+v and nothing", res.Notes, res.Changed, want)
	}
	if f, _ := x.w.File("a.ts"); f.Mode != 0o755 {
		t.Errorf("mode is %o, want 755", f.Mode)
	}
	_, _, res = x.invoke(everything, func() reread.End { return reread.End{} })
	if len(res.Notes) > 0 {
		t.Errorf("noted again: %+v", res.Notes)
	}
}

// The same things happen to a real directory as to one in memory.
func TestTheKernelAndMemoryAgree(t *testing.T) {
	files := map[string]string{"a.ts": "a\n", "d/b.ts": "b\n", "d/e/c.ts": "c\n", "x.png": "x"}
	x, root := onDisk(t, files)
	m, disk := memory(t, files)
	_, _, kernel := x.invoke(everything, func() reread.End {
		mustWrite(t, root, "a.ts", "A\n")
		mustWrite(t, root, "n/n.ts", "n\n")
		mustWrite(t, root, "d/bin.ts", "\x00")
		do(t, os.Remove(filepath.Join(root, "d/b.ts")), os.Rename(filepath.Join(root, "d/e"), filepath.Join(root, "f")))
		return reread.End{}
	})
	_, _, memory := m.invoke(everything, func() reread.End {
		do(t, disk.Write("a.ts", "A\n"), disk.Write("n/n.ts", "n\n"), disk.Write("d/bin.ts", "\x00"), disk.Delete("d/b.ts"), disk.Move("d/e", "f"))
		return reread.End{}
	})
	if got, want := fmt.Sprint(kernel.Outcomes, kernel.Changed, kernel.Errors), fmt.Sprint(memory.Outcomes, memory.Changed, memory.Errors); got != want {
		t.Errorf("the kernel gives\n%s\nmemory\n%s", got, want)
	}
}
