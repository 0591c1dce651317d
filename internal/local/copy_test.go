package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// messy makes a root with surroundings and opens it.
func messy(t *testing.T) (Root, *strictfs.Root) {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{"work/tree/src", "work/tree/.git", "work/node_modules/plugin", "work/.git"} {
		must(t, os.MkdirAll(filepath.Join(dir, path), 0o755))
	}
	for path, text := range map[string]string{"work/tree/src/a.ts": "a", "work/tsconfig.base.json": "{}", "work/node_modules/plugin/index.js": "p"} {
		must(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644))
	}
	must(t, os.Symlink(filepath.Join(dir, "work/tree/src"), filepath.Join(dir, "work/tree/absolute")))
	must(t, os.Symlink("../tsconfig.base.json", filepath.Join(dir, "work/tree/base.json")))
	root, err := FindRoot(filepath.Join(dir, "work/tree"))
	must(t, err)
	opened, err := strictfs.Open(root.Path)
	must(t, err)
	t.Cleanup(func() { must(t, opened.Close()) })
	return root, opened
}

func TestToolsFindAroundACopyWhatIsAroundTheRoot(t *testing.T) {
	root, opened := messy(t)
	c, err := copyTree(t.Context(), opened, root, filepath.Join(t.TempDir(), "copy"))
	must(t, err)
	for _, path := range []string{"src/a.ts", ".git", "base.json", "../tsconfig.base.json", "../node_modules/plugin/index.js"} {
		if _, err := os.Stat(filepath.Join(c.path, path)); err != nil {
			t.Errorf("%s isn't there: %v", path, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(c.path, "../.git")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the repository around the root is around the copy: %v", err)
	}
}

func TestNoLinkOfACopyLeadsBackIntoTheRoot(t *testing.T) {
	root, opened := messy(t)
	c, err := copyTree(t.Context(), opened, root, filepath.Join(t.TempDir(), "copy"))
	must(t, err)
	got, err := filepath.EvalSymlinks(filepath.Join(c.path, "absolute"))
	must(t, err)
	if want := filepath.Join(c.path, "src"); got != want {
		t.Errorf("the link leads to %s, want %s", got, want)
	}
}

func TestRemovingACopyLeavesWhatItsLinksLeadTo(t *testing.T) {
	root, opened := messy(t)
	base := filepath.Join(t.TempDir(), "copy")
	c, err := copyTree(t.Context(), opened, root, base)
	must(t, err)
	must(t, os.Chmod(filepath.Join(c.path, "src"), 0o555))
	must(t, c.remove())
	if _, err := os.Lstat(base); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
	for _, path := range []string{"src/a.ts", "../node_modules/plugin/index.js"} {
		if _, err := os.Stat(filepath.Join(root.Path, path)); err != nil {
			t.Errorf("%s has gone with the copy: %v", path, err)
		}
	}
}

func TestACopyReplacesWhatAKilledRunLeft(t *testing.T) {
	root, opened := messy(t)
	base := filepath.Join(t.TempDir(), "copy")
	must(t, os.MkdirAll(filepath.Join(base, root.Path, "left"), 0o755))
	c, err := copyTree(t.Context(), opened, root, base)
	must(t, err)
	if _, err := os.Lstat(filepath.Join(c.path, "left")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left is in the copy: %v", err)
	}
}

func TestWithoutRoomThereIsNoCopyAndAClearError(t *testing.T) {
	root, opened := messy(t)
	must(t, os.WriteFile(filepath.Join(root.Path, "big"), make([]byte, 1<<20), 0o644))
	full := t.TempDir()
	if err := unix.Mount("none", full, "tmpfs", 0, "size=256k"); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Logf("mounting isn't permitted: %v", err)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(full, unix.MNT_DETACH)) })
	_, err := copyTree(t.Context(), opened, root, filepath.Join(full, "copy"))
	if !fault.Is(err, fault.StepFailed, fault.ReasonIO) || !errors.Is(err, unix.ENOSPC) || fault.As(err).Hint == "" {
		t.Errorf("error = %v, want StepFailed io that says what to do", err)
	}
	if entries, err := os.ReadDir(full); err != nil || len(entries) != 0 {
		t.Errorf("left there: %v, %v, want nothing", entries, err)
	}
}

func TestACopyOfTheTopOfAFileSystemHasNothingAroundIt(t *testing.T) {
	base := filepath.Join(t.TempDir(), "copy")
	must(t, surround("/only", base))
	if _, err := os.Lstat(filepath.Join(base, "only")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is something in the root's place: %v", err)
	}
	if _, err := os.Stat(filepath.Join(base, "etc")); err != nil {
		t.Errorf("what is beside the root isn't there: %v", err)
	}
}
