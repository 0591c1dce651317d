package image

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
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
