package strictfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// look describes everything below dir: path to kind, mode, and bytes or target.
func look(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return nil // told by its mode
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				data = []byte(errors.Unwrap(err).Error())
			}
			text += " " + string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + target
		}
		found[strings.TrimPrefix(path, dir)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (s subject) copyTo(retarget func(string) string) (string, Copied) {
	s.t.Helper()
	dst := filepath.Join(s.t.TempDir(), "copy")
	copied, err := s.root.CopyTo(s.t.Context(), dst, retarget)
	if err != nil {
		s.t.Fatal(err)
	}
	return dst, copied
}

func TestACopyHasEverythingThatTheTreeHas(t *testing.T) {
	s := newSubject(t)
	s.File("a/b/c.txt", "text\n", 0o640)
	s.File("run.sh", "#!/bin/sh\n", 0o755)
	s.File("empty", "", 0o444)
	s.File("a/line\nfeed \xff\xfe", "odd", 0o600)
	s.File(".git/objects/pack", strings.Repeat("x", copyBuffer+1), 0o444)
	s.File("node_modules/.bin/tool", "t", 0o755)
	s.Dir("hollow")
	s.must(os.Chmod(s.at("hollow"), 0o555))
	s.must(os.Symlink("../run.sh", s.at("a/link")))
	s.must(os.Symlink("nowhere", s.at("dangling")))
	s.must(os.Symlink(".", s.at("loop")))
	s.must(os.Symlink("/etc/passwd", s.at("outside")))
	s.must(unix.Mkfifo(s.at("fifo"), 0o600))
	dst, copied := s.copyTo(nil)
	if diff := cmp.Diff(look(t, s.dir), look(t, dst)); diff != "" {
		t.Errorf("the copy differs (-tree +copy):\n%s", diff)
	}
	want := Copied{Files: 6, Directories: 8, Links: 4, Specials: 1, Bytes: 5 + 10 + 3 + copyBuffer + 1 + 1}
	if copied != want {
		t.Errorf("copied %+v, want %+v", copied, want)
	}
}

func TestWhatHappensToACopyLeavesTheTreeAlone(t *testing.T) {
	s := newSubject(t)
	s.File("f", "ours", 0o644)
	s.must(os.Link(s.at("f"), s.at("g")))
	dst, _ := s.copyTo(nil)
	s.must(os.WriteFile(dst+"/f", []byte("changed"), 0o644))
	if _, data, _ := s.Find("f"); data != "ours" {
		t.Errorf("the tree's file has %q, want what it had", data)
	}
}

func TestAbsoluteLinksArePutWhereTheCallerSays(t *testing.T) {
	s := newSubject(t)
	s.must(os.Symlink(s.at("f"), s.at("absolute")))
	s.must(os.Symlink("f", s.at("relative")))
	dst, _ := s.copyTo(func(target string) string { return "/moved" + strings.TrimPrefix(target, s.dir) })
	for name, want := range map[string]string{"absolute": "/moved/f", "relative": "f"} {
		if got, err := os.Readlink(filepath.Join(dst, name)); got != want || err != nil {
			t.Errorf("%s points to %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestACopyGoesIntoWhatIsMountedInTheTree(t *testing.T) {
	s := newSubject(t)
	s.Dir("node_modules")
	if err := unix.Mount("none", s.at("node_modules"), "tmpfs", 0, "size=64k"); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Logf("mounting isn't permitted: %v", err)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.must(unix.Unmount(s.at("node_modules"), unix.MNT_DETACH)) })
	s.File("node_modules/f", "mounted", 0o644)
	dst, _ := s.copyTo(nil)
	if data, err := os.ReadFile(dst + "/node_modules/f"); string(data) != "mounted" || err != nil {
		t.Errorf("the copy has %q, %v, want what is mounted", data, err)
	}
}

func TestBytesAreCopiedWhereTheKernelCopiesNone(t *testing.T) {
	s := newSubject(t)
	want := strings.Repeat("0123456789", copyBuffer/5)
	s.File("from", want, 0o644)
	from, err := os.Open(s.at("from"))
	s.must(err)
	defer from.Close()
	to, err := os.Create(s.at("to"))
	s.must(err)
	defer to.Close()
	c := copier{buf: make([]byte, copyBuffer)}
	s.must(c.through(int(from.Fd()), int(to.Fd())))
	if _, data, _ := s.Find("to"); data != want || c.Bytes != int64(len(want)) {
		t.Errorf("%d bytes, counted as %d, want %d", len(data), c.Bytes, len(want))
	}
}

func TestACopyOfAnEntryThatChangesIsOfWhatItIsNow(t *testing.T) {
	s := newSubject(t)
	s.File("f", "file", 0o644)
	s.File("d/x", "x", 0o644)
	s.must(os.Symlink("f", s.at("l")))
	from, err := os.Open(s.dir)
	s.must(err)
	defer from.Close()
	dst := t.TempDir()
	to, err := os.Open(dst)
	s.must(err)
	defer to.Close()
	c := copier{ctx: t.Context(), root: s.root, buf: make([]byte, copyBuffer)}
	// Each is listed as what another is, as if it had changed since.
	for name, listedAs := range map[string]string{"f": "d", "d": "l", "l": "f", "gone": "f"} {
		s.must(c.entry(held{int(from.Fd()), int(to.Fd())}, name, s.kindOf(listedAs)))
	}
	if diff := cmp.Diff(look(t, s.dir), look(t, dst)); diff != "" {
		t.Errorf("the copy differs (-tree +copy):\n%s", diff)
	}
}

func (s subject) kindOf(path string) tree.Kind {
	s.t.Helper()
	id, err := s.root.Stat(path)
	s.must(err)
	return id.Kind
}

func TestWhatMayNotBeReadIsClosedInTheCopyToo(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), true)
		return
	}
	s := newSubject(t)
	s.File("secret", "s", 0)
	s.File("closed/f", "x", 0o644)
	s.File("readonly/f", "x", 0o644)
	s.must(os.Chmod(s.at("closed"), 0o311))
	s.must(os.Chmod(s.at("readonly"), 0o555))
	dst, _ := s.copyTo(nil)
	defer func() {
		for _, dir := range []string{s.at("closed"), s.at("readonly"), dst + "/closed", dst + "/readonly"} {
			s.must(os.Chmod(dir, 0o755))
		}
	}()
	if diff := cmp.Diff(look(t, s.dir), look(t, dst)); diff != "" {
		t.Errorf("the copy differs (-tree +copy):\n%s", diff)
	}
}

func TestACopyKeepsOwnersWherePermitted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("owners take privileges")
		return
	}
	s := newSubject(t)
	s.File("d/f", "x", 0o600)
	for _, path := range []string{"d", "d/f"} {
		s.must(os.Chown(s.at(path), nobody, otherGroup))
	}
	dst, _ := s.copyTo(nil)
	for _, path := range []string{"d", "d/f"} {
		info, err := os.Lstat(filepath.Join(dst, path))
		s.must(err)
		if st := info.Sys().(*syscall.Stat_t); st.Uid != nobody || st.Gid != otherGroup {
			t.Errorf("%s belongs to %d:%d, want %d:%d", path, st.Uid, st.Gid, nobody, otherGroup)
		}
	}
}

func TestACopyEndsWhereThereIsNoRoom(t *testing.T) {
	dir := t.TempDir()
	err := unix.Mount("none", dir, "tmpfs", 0, "size=128k")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Logf("mounting isn't permitted: %v", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := newSubject(t)
	s.File("big", strings.Repeat("x", 1<<20), 0o644)
	if _, err := s.root.CopyTo(t.Context(), dir+"/copy", nil); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("copy = %v, want %v", err, unix.ENOSPC)
	}
}

func TestACopyEndsWithItsContext(t *testing.T) {
	s := newSubject(t)
	s.File("f", "x", 0o644)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.root.CopyTo(ctx, filepath.Join(t.TempDir(), "copy"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("copy = %v, want %v", err, context.Canceled)
	}
}

func TestACopyReplacesNothing(t *testing.T) {
	s := newSubject(t)
	if _, err := s.root.CopyTo(t.Context(), t.TempDir(), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("copy = %v, want %v", err, fs.ErrExist)
	}
}
