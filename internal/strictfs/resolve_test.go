package strictfs

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// revisitErr is Revisit with the first error of a path.
func revisitErr(r *Root, paths ...string) error {
	var first error
	err := r.Revisit(context.Background(), paths, func(_ int, _ tree.Identity, err error) bool {
		first = err
		return err == nil
	})
	return errors.Join(err, first)
}

func TestWhatIsThereDecidesNotTheErrorNumber(t *testing.T) {
	s := newSubject(t)
	s.File("d/f", "x", 0o644)
	s.Link("d/l", "f")
	s.FIFO("d/p")
	for _, tc := range []struct {
		path  string
		flags uint64
		errno unix.Errno
		want  error // nil: it may be another answer now
	}{
		{"d/f", readable, unix.ELOOP, nil},
		{"d/f", readable, unix.ENOTDIR, nil},
		{"d/f", readable, unix.EACCES, unix.EACCES},
		{"d/f", readable, unix.EIO, unix.EIO},
		{"d/f", listable, unix.ENOTDIR, tree.ErrNotDirectory},
		{"d", listable, unix.ENOTDIR, nil},
		{"d/l", readable, unix.ELOOP, tree.ErrLink},
		{"d/l", listable, unix.ENOTDIR, tree.ErrLink},
		{"d/l", handle, unix.ELOOP, nil},
		{"d/l/x", handle, unix.ELOOP, tree.ErrLink},
		{"d/f/x", handle, unix.ELOOP, tree.ErrAbsent},
		{"d/no/x", handle, unix.ELOOP, tree.ErrAbsent},
		{"d/p", readable, unix.ENXIO, tree.ErrNotRegular},
		{"d", readable, unix.EACCES, tree.ErrNotRegular},
		{"d/no", handle, unix.ENOENT, tree.ErrAbsent},
		{"d/no", handle, unix.EXDEV, tree.ErrUnlookable},
	} {
		got := s.root.explain(tc.path, tc.flags, tc.errno)
		if tc.want == nil && got != nil || !errors.Is(got, tc.want) {
			t.Errorf("%v of %q: explained as %v, want %v", tc.errno, tc.path, got, tc.want)
		}
	}
}

func TestTheKernelKeepsPathsBeneathTheRoot(t *testing.T) {
	s := newSubject(t)
	s.Dir("d")
	for _, path := range []string{"..", "d/../..", "/", "/etc", s.dir} {
		fd, err := openat2(s.root.fd, path, handle, 0)
		if err != unix.EXDEV {
			t.Errorf("openat2 of %q = %d, %v, want %v", path, fd, err, unix.EXDEV)
		}
	}
}

func TestErrorsNameTheComponentThatDecided(t *testing.T) {
	s := newSubject(t)
	s.Dir("d/real")
	s.Link("d/l", "real")
	_, err := s.root.Stat("d/l/x/y")
	if want := `stat "d/l/x/y": "d/l" is, or runs through, a symbolic link`; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// TestABindMountOfTheSameFileSystemCannotBeLookedAt tells what no device number does.
// Where mounting isn't permitted, the test below stands for it.
func TestABindMountOfTheSameFileSystemCannotBeLookedAt(t *testing.T) {
	s := newSubject(t)
	s.File("real/f", "x", 0o644)
	s.Dir("dir")
	s.File("file", "y", 0o644)
	for from, to := range map[string]string{"real": "dir", "real/f": "file"} {
		err := unix.Mount(s.at(from), s.at(to), "", unix.MS_BIND, "")
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Logf("mounting isn't permitted: %v", err)
			return
		}
		s.must(err)
		t.Cleanup(func() { s.must(unix.Unmount(s.at(to), unix.MNT_DETACH)) })
	}
	for _, path := range []string{"dir", "dir/f", "file"} {
		_, errStat := s.root.Stat(path)
		_, _, errRead := s.root.ReadFile(path, 10, nil)
		for what, err := range map[string]error{"stat": errStat, "read": errRead, "revisit": revisitErr(s.root, path)} {
			if !errors.Is(err, tree.ErrUnlookable) {
				t.Errorf("%s %q: error = %v, want %v", what, path, err, tree.ErrUnlookable)
			}
		}
	}
}

func TestWhatIsMountedInTheTreeCannotBeLookedAt(t *testing.T) {
	r, err := Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	listed := false
	if err := r.ReadDir(".", func(name []byte, kind tree.Kind) bool {
		listed = listed || string(name) == "proc" && kind == tree.Directory
		return !listed
	}); err != nil || !listed {
		t.Errorf("list of the root: %v, proc in it %v", err, listed)
	}
	_, errStat := r.Stat("proc")
	_, errStatBelow := r.Stat("proc/version")
	_, errStatAbsent := r.Stat("proc/absent")
	_, errDir := r.StatDir("proc")
	_, _, errRead := r.ReadFile("proc/version", 1000, nil)
	_, errAttr := r.SetAttr("proc/version", tree.Attr{})
	for what, err := range map[string]error{
		"stat": errStat, "stat below": errStatBelow, "stat of nothing below": errStatAbsent,
		"stat directory": errDir, "read": errRead, "set attributes": errAttr,
		"list":     r.ReadDir("proc", func([]byte, tree.Kind) bool { return true }),
		"revisit":  revisitErr(r, "proc"),
		"below":    revisitErr(r, "proc/version"),
		"nothing":  revisitErr(r, "proc/absent"),
		"both":     revisitErr(r, "proc/absent/x"),
		"mkdir":    r.Mkdir("proc/x"),
		"rename":   r.Rename("proc/version", "proc/x"),
		"exchange": r.Exchange("proc/version", "proc/stat"),
		"remove":   r.Remove("proc/version"),
		"sync":     r.Sync([]string{"proc/version"}, nil),
	} {
		if !errors.Is(err, tree.ErrUnlookable) {
			t.Errorf("%s: error = %v, want %v", what, err, tree.ErrUnlookable)
		}
	}
}
