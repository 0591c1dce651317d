package strictfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

func TestOpenRefusesWhatIsNoRoot(t *testing.T) {
	dir := t.TempDir()
	s := subject{t: t, dir: dir}
	s.File("file", "x", 0o644)
	s.Dir("dir")
	s.Link("link", "dir")
	s.Link("dangling", "nowhere")
	s.FIFO("fifo")
	for root, want := range map[string]fault.Reason{
		"dir": fault.ReasonType, "": fault.ReasonType, ".": fault.ReasonType,
		dir + "/": fault.ReasonType, dir + "/./dir": fault.ReasonType, dir + "/dir/../dir": fault.ReasonType,
		dir + "/link/": fault.ReasonType, dir + "/link": fault.ClassLink, dir + "/dangling": fault.ClassLink,
		dir + "/absent": fault.ReasonAbsent, dir + "/file/x": fault.ReasonAbsent,
		dir + "/file": fault.ReasonType, dir + "/fifo": fault.ReasonType,
	} {
		r, err := Open(root)
		if !fault.Is(err, fault.BadArgument, want) {
			t.Errorf("open %q = %v, %v; want a refusal with reason %q", root, r, err, want)
			continue
		}
		if e := fault.As(err); !strings.Contains(e.Message, root) || e.Hint == "" || e.Path != "" {
			t.Errorf("open %q: error %q, want the root in the message, a hint, and no workspace path", root, err)
		}
	}
}

func TestOpenAcceptsALinkAboveTheRoot(t *testing.T) {
	s := newSubject(t)
	s.File("real/root/f", "x", 0o644)
	s.Link("link", "real")
	r, err := Open(s.at("link/root"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, _, err := r.ReadFile("f", 10, nil); err != nil || string(data) != "x" {
		t.Errorf("read = %q, %v", data, err)
	}
}

func TestOpenLeavesNothingBehind(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenIn(dir, scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, d := range []string{dir, scratch} {
		if entries, err := os.ReadDir(d); err != nil || len(entries) != 0 {
			t.Errorf("in %s: %v, %v; want nothing", d, entries, err)
		}
	}
	if after, err := os.Stat(dir); err != nil || after.ModTime() != before.ModTime() {
		t.Errorf("root was changed at %v, %v; want no change since %v", after.ModTime(), err, before.ModTime())
	}
}

func TestOpenWithoutAScratchDirectoryIsRefused(t *testing.T) {
	_, err := OpenIn(t.TempDir(), filepath.Join(t.TempDir(), "absent"))
	if !fault.Is(err, fault.StepUnavailable, fault.ReasonIO) || fault.As(err).Hint == "" {
		t.Errorf("open = %v, want a refusal with a hint", err)
	}
}

func TestReopenFollowsThePath(t *testing.T) {
	s := newSubject(t)
	s.File("root/f", "old", 0o644)
	s.File("next/f", "new", 0o644)
	r, err := Open(s.at("root"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s.must(unix.Renameat2(unix.AT_FDCWD, s.at("root"), unix.AT_FDCWD, s.at("next"), unix.RENAME_EXCHANGE))
	read := func(want string) {
		t.Helper()
		if data, _, err := r.ReadFile("f", 10, nil); err != nil || string(data) != want {
			t.Errorf("read = %q, %v, want %q", data, err, want)
		}
	}
	read("old")
	s.must(r.Reopen())
	read("new")
	if got := r.Dir(); got != s.at("root") {
		t.Errorf("directory = %q, want %q", got, s.at("root"))
	}
	s.must(os.Rename(s.at("root"), s.at("gone")))
	s.Link("root", "gone")
	if err := r.Reopen(); !fault.Is(err, fault.BadArgument, fault.ClassLink) {
		t.Errorf("reopen of a link = %v, want it refused", err)
	}
	read("new")
}

// naive is a tree that does one thing as os would.
type naive struct {
	*Root
	read, write, stat, rename bool
}

func (n naive) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	if !n.read || path == "fifo" {
		return n.Root.ReadFile(path, limit, buf)
	}
	data, err := os.ReadFile(filepath.Join(n.Dir(), path))
	return data, tree.Identity{}, err
}

func (n naive) WriteNew(path string, data []byte, attr tree.Attr) (tree.Identity, bool, error) {
	if !n.write {
		return n.Root.WriteNew(path, data, attr)
	}
	return tree.Identity{}, true, os.WriteFile(filepath.Join(n.Dir(), path), data, 0o600)
}

func (n naive) Stat(path string) (tree.Identity, error) {
	if !n.stat {
		return n.Root.Stat(path)
	}
	_, err := os.Lstat(filepath.Join(n.Dir(), path))
	return tree.Identity{}, err
}

func (n naive) Rename(from, to string) error {
	if !n.rename {
		return n.Root.Rename(from, to)
	}
	return os.Rename(filepath.Join(n.Dir(), from), filepath.Join(n.Dir(), to))
}

func TestTheSelfTestFindsEachWayOfFollowingLinks(t *testing.T) {
	for name, n := range map[string]naive{
		"none": {}, "read": {read: true}, "write": {write: true}, "stat": {stat: true}, "rename": {rename: true},
	} {
		s := newSubject(t)
		s.must(plant(s.dir))
		n.Root = s.root
		err := errors.Join(judgeTree(n), judgeRenames(n))
		if wantErr := name != "none"; (err != nil) != wantErr {
			t.Errorf("naive %s: judged as %v, want an error %v", name, err, wantErr)
		}
	}
}

func TestUnsupportedCallsSayWhatToDo(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.ENOSYS: "Linux 5.6", unix.EPERM: "seccomp", unix.EINVAL: "report",
	} {
		err := unsupported("openat2", errno)
		e := fault.As(err)
		if !fault.Is(err, fault.StepUnavailable, fault.ReasonMissing) || !strings.Contains(e.Hint, want) || !errors.Is(err, errno) {
			t.Errorf("%v: error = %v, want a refusal whose hint has %q", errno, err, want)
		}
	}
}
