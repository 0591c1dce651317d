package strictfs

import (
	"errors"
	"os"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// wantNothingWritten fails the test unless writing more than there is room for fails
// as the kernel says and leaves nothing, while less still fits.
func wantNothingWritten(t *testing.T, s subject, data []byte, want error) {
	t.Helper()
	for range 3 { // what is left behind once would fill the disk
		_, _, err := s.root.WriteNew("d/f", data, tree.Attr{Mode: 0o644})
		if !errors.Is(err, want) {
			t.Errorf("write of %d bytes = %v, want %v", len(data), err, want)
		}
		if entries, err := os.ReadDir(s.at("d")); err != nil || len(entries) != 0 {
			t.Errorf("after the write: %v, %v; want nothing there", entries, err)
		}
		if _, _, err := s.root.WriteNew("d/small", []byte("fits"), tree.Attr{Mode: 0o644}); err != nil {
			t.Errorf("write of a few bytes = %v, want none", err)
		}
		s.must(s.root.Remove("d/small"))
	}
}

func TestAWriteThatExceedsALimitLeavesNothing(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), true)
		return
	}
	s := newSubject(t)
	s.Dir("d")
	signal.Ignore(unix.SIGXFSZ)
	const limit = 64 << 10
	s.must(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}))
	wantNothingWritten(t, s, make([]byte, 2*limit), unix.EFBIG)
}

// TestAWriteToAFullDiskLeavesNothing fills a disk of its own where mounting is
// permitted; where it isn't, the limit of the test above stands for it.
func TestAWriteToAFullDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	err := unix.Mount("none", dir, "tmpfs", 0, "size=256k")
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
	r, err := OpenIn(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := subject{t, dir, r}
	s.Dir("d")
	wantNothingWritten(t, s, make([]byte, 1<<20), unix.ENOSPC)
}

func TestUndoLeavesWhatSomebodyElsePutThere(t *testing.T) {
	s := newSubject(t)
	p := parent{fd: s.root.fd}
	fd, err := p.create("f")
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	s.File("other", "theirs", 0o644)
	s.must(os.Rename(s.at("other"), s.at("f")))
	p.undo("f", fd)
	if _, data, _ := s.Find("f"); data != "theirs" {
		t.Errorf("at f: %q, want what somebody else put there", data)
	}
	ours, err := p.create("g")
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ours)
	p.undo("g", ours)
	if _, _, ok := s.Find("g"); ok {
		t.Error("at g: a file, want it undone")
	}
}
