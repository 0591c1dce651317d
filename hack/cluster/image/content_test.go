package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// archived returns the headers of the tree's archive by name, and the contents of its files.
func archived(t *testing.T, c *Content) (names []string, headers map[string]*tar.Header, texts map[string]string) {
	t.Helper()
	var data bytes.Buffer
	if err := c.Archive(&data); err != nil {
		t.Fatal(err)
	}
	headers, texts = map[string]*tar.Header{}, map[string]string{}
	for reader := tar.NewReader(&data); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return names, headers, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		headers[header.Name], texts[header.Name] = header, string(text)
	}
}

func TestADirectoryComesBeforeWhatIsInIt(t *testing.T) {
	c := NewContent()
	c.Text("/opt/a/b/c", "text")
	names, headers, texts := archived(t, c)
	for _, name := range names {
		trimmed := strings.TrimSuffix(name, "/")
		slash := strings.LastIndex(trimmed, "/")
		if slash > 0 && !slices.Contains(names[:slices.Index(names, name)], trimmed[:slash+1]) {
			t.Errorf("%s comes before its directory", name)
		}
		if h := headers[name]; h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%s: got owner %d:%d and time %v, want root and none", name, h.Uid, h.Gid, h.ModTime)
		}
	}
	if texts["opt/a/b/c"] != "text" {
		t.Errorf("got %q, want text", texts["opt/a/b/c"])
	}
	if mode := headers["tmp/"].Mode; mode != 0o1777 {
		t.Errorf("tmp: got mode %o, want 1777", mode)
	}
}

func TestATreeKeepsLinksAndModesAndLeavesOutWhatItIsTold(t *testing.T) {
	from := t.TempDir()
	writeFile(t, filepath.Join(from, "bin", "tool.js"), "#!", 0o755)
	writeFile(t, filepath.Join(from, "skipped", "file"), "", 0o644)
	if err := os.Symlink("../bin/tool.js", filepath.Join(from, "bin", "tool")); err != nil {
		t.Fatal(err)
	}
	c := NewContent()
	c.Tree("/node_modules", from, "skipped")
	_, headers, _ := archived(t, c)
	if h := headers["node_modules/bin/tool.js"]; h == nil || h.Mode != 0o755 {
		t.Errorf("tool.js: got %+v, want mode 755", h)
	}
	if h := headers["node_modules/bin/tool"]; h == nil || h.Linkname != "../bin/tool.js" {
		t.Errorf("tool: got %+v, want a link to ../bin/tool.js", h)
	}
	if headers["node_modules/skipped/"] != nil || headers["node_modules/skipped/file"] != nil {
		t.Error("got what is to be skipped, want it left out")
	}
}

func TestWhatDoesntBelongInAnImageIsAnError(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "tree", "fifo")
	writeFile(t, filepath.Join(dir, "tree", "file"), "", 0o644)
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		add  func(*Content)
		want string
	}{
		{"a file that isn't there", func(c *Content) { c.File("/a", filepath.Join(dir, "none")) }, "none"},
		{"a directory as a file", func(c *Content) { c.File("/a", dir) }, "not a regular file"},
		{"a FIFO in a tree", func(c *Content) { c.Tree("/a", filepath.Join(dir, "tree")) }, "doesn't belong"},
		{"a program that isn't there", func(c *Content) { c.host("no-such-program") }, "no-such-program"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewContent()
			tt.add(c)
			for _, err := range []error{c.Err(), c.Archive(io.Discard)} {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want one with %q", err, tt.want)
				}
			}
		})
	}
}

func TestPathsFollowTheMergeOfUsr(t *testing.T) {
	for from, want := range map[string]string{
		"/lib/x86_64-linux-gnu/libc.so.6": "usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/libz.so":                "usr/lib/libz.so",
		"/bin/sh":                         "usr/bin/sh",
		"/bin":                            "bin",
		"/library/x":                      "library/x",
		"/../etc/passwd":                  "etc/passwd",
	} {
		if got := place(from); got != want {
			t.Errorf("%s: got %s, want %s", from, got, want)
		}
	}
}

func TestAProgramComesWithItsLoaderAndLibraries(t *testing.T) {
	needs, err := libraries("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"libc.so", "ld-linux"} {
		if !slices.ContainsFunc(needs, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("got %q, want one with %s", needs, want)
		}
	}
	script := filepath.Join(t.TempDir(), "script")
	writeFile(t, script, "#!/bin/sh\n", 0o755)
	if needs, err := libraries(script); err != nil || len(needs) > 0 {
		t.Errorf("script: got %q, %v, want none", needs, err)
	}
}
