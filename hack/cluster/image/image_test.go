package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
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

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
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

// small returns an image of one file, and the file.
func small(t *testing.T) (Image, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "one", 0o644)
	return Image{Ref: "docker.io/fettle/small:dev", Path: "/bin", Content: content(file)}, file
}

func content(file string) *Content {
	c := NewContent()
	c.File("/file", file)
	return c
}

func TestTheKeyChangesWithWhatIsInTheImageOnly(t *testing.T) {
	image, file := small(t)
	key := func() string {
		t.Helper()
		image.Content = content(file)
		k, err := image.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key()
	if again := key(); again != first {
		t.Errorf("unchanged: got %s, want %s", again, first)
	}
	seen := map[string]string{first: "nothing"}
	for _, change := range []struct {
		what string
		make func()
	}{
		{"size", func() { writeFile(t, file, "three", 0o644) }},
		{"time", func() {
			if err := os.Chtimes(file, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}},
		{"mode", func() {
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"environment", func() { image.Path = "/usr/bin" }},
		{"entrypoint", func() { image.Entrypoint = []string{"/file"} }},
	} {
		change.make()
		k := key()
		if other, taken := seen[k]; taken {
			t.Errorf("%s changed: got the key as after the change of %s, want another", change.what, other)
		}
		seen[k] = change.what
	}
}

func TestAnArchiveSaysHowToRunTheImage(t *testing.T) {
	image, _ := small(t)
	image.Entrypoint = []string{"/file"}
	var archive bytes.Buffer
	if err := image.Write(&archive); err != nil {
		t.Fatal(err)
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	tag, err := name.NewTag(image.Ref)
	if err != nil {
		t.Fatal(err)
	}
	read, err := tarball.Image(opener, &tag)
	if err != nil {
		t.Fatal(err)
	}
	file, err := read.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(image.config(), file.Config); diff != "" {
		t.Errorf("got what differs from want (-want +got):\n%s", diff)
	}
	if file.Config.User != "65532:65532" || file.OS != "linux" {
		t.Errorf("got user %q and system %q, want 65532:65532 and linux", file.Config.User, file.OS)
	}
}

// A fake ctr counts imports and keeps what it reads.
func TestAnImageIsLoadedOnceUntilItChanges(t *testing.T) {
	image, file := small(t)
	dir := t.TempDir()
	ctr := filepath.Join(dir, "ctr")
	writeFile(t, ctr, "#!/bin/sh\ncat > \""+dir+"/archive\"\necho \"$@\" >> \""+dir+"/calls\"\n", 0o755)
	loader := Loader{Ctr: ctr, Socket: "/sock", Marks: filepath.Join(dir, "marks")}
	for i, want := range []bool{true, false} {
		loaded, err := loader.Load(context.Background(), image)
		if err != nil || loaded != want {
			t.Fatalf("load %d: got %v, %v, want %v", i+1, loaded, err, want)
		}
	}
	writeFile(t, file, "other", 0o644)
	image.Content = content(file)
	if loaded, err := loader.Load(context.Background(), image); err != nil || !loaded {
		t.Fatalf("changed: got %v, %v, want loaded", loaded, err)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	want := strings.Repeat("--address=/sock --namespace=k8s.io images import -\n", 2)
	if err != nil || string(calls) != want {
		t.Errorf("got calls %q, %v, want %q", calls, err, want)
	}
	if _, err := tarball.ImageFromPath(filepath.Join(dir, "archive"), nil); err != nil {
		t.Errorf("what ctr read: %v", err)
	}
}

func TestAFailedImportSaysWhyAndIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	ctr := filepath.Join(dir, "ctr")
	writeFile(t, ctr, "#!/bin/sh\necho no such daemon >&2\nexit 1\n", 0o755)
	loader := Loader{Ctr: ctr, Socket: "/sock", Marks: filepath.Join(dir, "marks")}
	image, file := small(t)
	for range 2 {
		loaded, err := loader.Load(context.Background(), image)
		if loaded || err == nil || !strings.Contains(err.Error(), "no such daemon") {
			t.Errorf("got %v, %v, want an error that quotes ctr", loaded, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := loader.Load(context.Background(), image); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("file gone: got %v, want %v", err, fs.ErrNotExist)
	}
}
