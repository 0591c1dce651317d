package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenMakesAPrivateDirectoryAndCloseRemovesIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(dir)
	if err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode = %v, %v, want a directory with 0700", info.Mode(), err)
	}
	fill(t, dir)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestOpenEmptiesWhatIsThereAndCloseLeavesItEmpty(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, dir)
	fill(t, dir)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, dir)
}

func TestNoLinkIsFollowed(t *testing.T) {
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Empty(dir); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := Empty(link); err == nil {
		t.Error("Empty took a link for the directory")
	}
	if _, err := Open(link); err == nil {
		t.Error("Open took a link for the directory")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a file behind a link is gone: %v", err)
	}
}

func TestAFileInPlaceOfTheDirectoryIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil {
		t.Error("Open took a file for the directory")
	}
}

func TestRemoveOfWhatIsNotThereIsDone(t *testing.T) {
	if err := Remove(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("Remove = %v, want nil", err)
	}
}

// fill leaves what tools leave: read-only and closed directories, odd names, sockets'
// likes and depth.
func fill(t *testing.T, dir string) {
	t.Helper()
	deep := filepath.Join(append([]string{dir}, strings.Split(strings.Repeat("deep/", 100), "/")...)...)
	for _, d := range []string{deep, filepath.Join(dir, "mod", "cache"), filepath.Join(dir, "closed")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"-rf", "new\nline", "\xff", "mod/cache/go.mod", "closed/x"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(dir, "root")); err != nil {
		t.Fatal(err)
	}
	for d, mode := range map[string]os.FileMode{"mod/cache": 0o555, "mod": 0o555, "closed": 0} {
		if err := os.Chmod(filepath.Join(dir, d), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("%s holds %v, %v, want nothing", dir, entries, err)
	}
}
