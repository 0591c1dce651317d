package strictfs

import (
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

func TestAFileWhoseSizeChangedSinceItWasStattedIsReadToItsEnd(t *testing.T) {
	s := newSubject(t)
	large := strings.Repeat("0123456789", 1000)
	for _, tc := range []struct {
		name    string
		data    string
		size    int64 // as fstat told
		limit   int64
		wantErr error
	}{
		{"the same", "12345", 5, 5, nil},
		{"grown by one", "12345", 4, 5, nil},
		{"grown from nothing", large, 0, 10_000, nil},
		{"grown to the limit", large, 9, 10_000, nil},
		{"grown beyond the limit", large, 9, 9_999, tree.ErrTooLarge},
		{"grown beyond the limit by one", "12345", 4, 4, tree.ErrTooLarge},
		{"shrunk", "12345", 100, 1000, nil},
		{"shrunk to nothing", "", 100, 1000, nil},
	} {
		s.File("f", tc.data, 0o644)
		f, err := os.Open(s.at("f"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(int(f.Fd()), tc.size, tc.limit, nil)
		f.Close()
		if !errors.Is(err, tc.wantErr) || err == nil && string(got) != tc.data {
			t.Errorf("%s: read %d bytes, %v; want %d bytes, %v", tc.name, len(got), err, len(tc.data), tc.wantErr)
		}
	}
}

func TestAFileThatGrowsWhileItIsReadStaysWithinTheLimit(t *testing.T) {
	s := newSubject(t)
	s.File("f", "", 0o644)
	f, err := os.OpenFile(s.at("f"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const limit = 1 << 20
	var wg sync.WaitGroup
	wg.Go(func() {
		chunk := make([]byte, 999)
		for range 2 * limit / len(chunk) {
			if _, err := f.Write(chunk); err != nil {
				t.Error(err)
			}
		}
	})
	for tooLarge := false; !tooLarge; {
		data, id, err := s.root.ReadFile("f", limit, nil)
		tooLarge = errors.Is(err, tree.ErrTooLarge)
		if err != nil && !tooLarge {
			t.Fatal(err)
		}
		if len(data) > limit || int64(len(data)) < id.Size {
			t.Fatalf("read %d bytes, want %d to %d", len(data), id.Size, limit)
		}
	}
	wg.Wait()
}

func TestASocketIsNoFile(t *testing.T) {
	s := newSubject(t)
	l, err := net.Listen("unix", s.at("sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, _, err := s.root.ReadFile("sock", 10, nil); !errors.Is(err, tree.ErrNotRegular) {
		t.Errorf("read of a socket = %v, want %v", err, tree.ErrNotRegular)
	}
	if id, err := s.root.Stat("sock"); err != nil || id.Kind != tree.Other {
		t.Errorf("stat of a socket = %+v, %v", id, err)
	}
}

func TestReadingOpensNoDevice(t *testing.T) {
	s := newSubject(t)
	err := unix.Mknod(s.at("null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3)))
	if err != nil && !errors.Is(err, unix.EPERM) {
		t.Fatal(err)
	}
	want := tree.ErrNotRegular
	if err != nil { // only root makes devices
		want = tree.ErrAbsent
	}
	if _, _, err := s.root.ReadFile("null", 10, nil); !errors.Is(err, want) {
		t.Errorf("read of a device = %v, want %v", err, want)
	}
}

func TestNamesAndPathsThatAreTooLongArePlainErrors(t *testing.T) {
	s := newSubject(t)
	name := strings.Repeat("n", 255)
	deep := name + strings.Repeat("/"+name, 4)
	s.File(deep, "deep", 0o644)
	if data, _, err := s.root.ReadFile(deep, 10, nil); err != nil || string(data) != "deep" {
		t.Errorf("read of a path of %d bytes = %q, %v", len(deep), data, err)
	}
	if err := revisitErr(s.root, deep); err != nil {
		t.Errorf("revisit of a path of %d bytes = %v", len(deep), err)
	}
	for _, path := range []string{name + "n", deep + "/" + name + "n", name + strings.Repeat("/"+name, 20)} {
		_, errStat := s.root.Stat(path)
		_, _, errWrite := s.root.WriteNew(path, nil, tree.Attr{})
		_, _, errRead := s.root.ReadFile(path, 10, nil)
		for what, err := range map[string]error{
			"stat": errStat, "write": errWrite, "read": errRead, "revisit": revisitErr(s.root, path),
			"mkdir": s.root.Mkdir(path), "remove": s.root.Remove(path), "rename": s.root.Rename(name, path),
		} {
			if long := len(path) > 4095 || !strings.Contains(path, "/"); long && !errors.Is(err, unix.ENAMETOOLONG) {
				t.Errorf("%s of a path of %d bytes = %v, want %v", what, len(path), err, unix.ENAMETOOLONG)
			}
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	s := newSubject(t)
	s.File("a/b/f", "x", 0o644)
	buf := make([]byte, 0, 100)
	paths := []string{"a/b/f"}
	for what, use := range map[string]func() error{
		"read": func() error { _, _, err := s.root.ReadFile("a/b/f", 10, buf); return err },
		"stat": func() error { _, err := s.root.Stat("a/b/f"); return err },
		"list": func() error { return s.root.ReadDir("a/b", func([]byte, tree.Kind) bool { return true }) },
	} {
		got := testing.AllocsPerRun(200, func() {
			if err := use(); err != nil {
				t.Fatal(err)
			}
		})
		if got > 0 {
			t.Errorf("%s: %v allocations, want none", what, got)
		}
	}
	for len(paths) < 1000 {
		paths = append(paths, "a/b/f")
	}
	if got := testing.AllocsPerRun(10, func() { s.must(revisitErr(s.root, paths...)) }); got > 20 {
		t.Errorf("revisit of %d paths: %v allocations, want a few for all", len(paths), got)
	}
}

func TestCallsAreMadeAgainABoundedNumberOfTimes(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EAGAIN, unix.EINTR} {
		calls := 0
		_, err := retry(func() (int, error) { calls++; return -1, errno })
		if err != errno || calls != retries {
			t.Errorf("%v for ever: %d calls, %v; want %d", errno, calls, err, retries)
		}
		calls = 0
		n, err := retry(func() (int, error) {
			if calls++; calls < 3 {
				return -1, errno
			}
			return 7, nil
		})
		if err != nil || n != 7 || calls != 3 {
			t.Errorf("%v twice: %d calls, %d, %v", errno, calls, n, err)
		}
	}
	calls := 0
	if _, err := retry(func() (int, error) { calls++; return -1, unix.EIO }); err != unix.EIO || calls != 1 {
		t.Errorf("another error: %d calls, %v; want one", calls, err)
	}
}

// TestALeaseMakesAReadFailRatherThanWait runs where the file system has leases; the test
// above stands for it elsewhere.
func TestALeaseMakesAReadFailRatherThanWait(t *testing.T) {
	s := newSubject(t)
	s.File("f", "x", 0o644)
	f, err := os.Open(s.at("f"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Logf("no lease to be had: %v", err)
		f.Close()
		return
	}
	if _, _, err := s.root.ReadFile("f", 10, nil); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("read under a lease = %v, want %v", err, unix.EAGAIN)
	}
	f.Close()
	if _, _, err := s.root.ReadFile("f", 10, nil); err != nil {
		t.Errorf("read after the lease = %v, want none", err)
	}
}
