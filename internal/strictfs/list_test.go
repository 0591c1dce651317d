package strictfs

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// dirent lays an entry out as the kernel does.
func dirent(name string, typ byte) []byte {
	length := (entryHeader + len(name) + 1 + 7) &^ 7
	buf := make([]byte, length)
	binary.NativeEndian.PutUint64(buf, 42)
	binary.NativeEndian.PutUint16(buf[16:], uint16(length))
	buf[18] = typ
	copy(buf[entryHeader:], name)
	return buf
}

func TestAnUnknownKindIsLookedUp(t *testing.T) {
	s := newSubject(t)
	s.File("f", "x", 0o644)
	s.Dir("d")
	s.Link("l", "d")
	s.FIFO("p")
	var buf []byte
	for _, name := range []string{".", "..", "f", "d", "l", "p", "gone"} {
		buf = append(buf, dirent(name, unix.DT_UNKNOWN)...)
	}
	dir, err := os.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	got := make(map[string]tree.Kind)
	more, err := visitEntries(int(dir.Fd()), buf, func(name []byte, kind tree.Kind) bool {
		got[string(name)] = kind
		return true
	})
	want := map[string]tree.Kind{"f": tree.Regular, "d": tree.Directory, "l": tree.Link, "p": tree.Other}
	if err != nil || !more || !maps.Equal(got, want) {
		t.Errorf("entries = %v, more %v, %v; want %v", got, more, err, want)
	}
}

func TestEveryKindTheKernelTellsIsKnown(t *testing.T) {
	for typ, want := range map[uint8]tree.Kind{
		unix.DT_REG: tree.Regular, unix.DT_DIR: tree.Directory, unix.DT_LNK: tree.Link,
		unix.DT_FIFO: tree.Other, unix.DT_SOCK: tree.Other, unix.DT_CHR: tree.Other, unix.DT_BLK: tree.Other, unix.DT_WHT: tree.Other,
	} {
		if got, err := (entry{name: []byte("x\x00"), typ: typ}).kind(-1); got != want || err != nil {
			t.Errorf("kind of type %d = %d, %v, want %d", typ, got, err, want)
		}
	}
}

func TestEntriesThatMakeNoSenseAreAnError(t *testing.T) {
	long := dirent("f", unix.DT_REG)
	binary.NativeEndian.PutUint16(long[16:], 1000)
	zero := dirent("f", unix.DT_REG)
	binary.NativeEndian.PutUint16(zero[16:], 0)
	unended := dirent("1234", unix.DT_REG)
	unended[23] = 'x'
	for name, buf := range map[string][]byte{
		"short": make([]byte, 5), "longer than the buffer": long, "of no length": zero,
		"without a name": dirent("", unix.DT_REG), "without an end": unended,
	} {
		if _, err := visitEntries(-1, buf, func([]byte, tree.Kind) bool { return true }); !errors.Is(err, errMalformed) {
			t.Errorf("%s: error = %v, want %v", name, err, errMalformed)
		}
	}
}

func FuzzEntries(f *testing.F) {
	f.Add(append(dirent("a", unix.DT_REG), dirent("longer name", unix.DT_DIR)...))
	f.Add([]byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, buf []byte) {
		total := 0
		_, err := visitEntries(-1, buf, func(name []byte, kind tree.Kind) bool {
			if len(name) == 0 || kind == 0 {
				t.Errorf("entry %q of kind %d", name, kind)
			}
			total += len(name)
			return true
		})
		if err == nil && total > len(buf) {
			t.Errorf("%d bytes of names from %d", total, len(buf))
		}
	})
}

func TestADirectoryThatIsRemovedWhileListedIsAbsent(t *testing.T) {
	s := newSubject(t)
	s.Dir("d")
	fd, err := s.root.open("d", listable)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	s.must(os.Remove(s.at("d")))
	if err := s.root.list(fd, func([]byte, tree.Kind) bool { return true }); !errors.Is(err, tree.ErrAbsent) {
		t.Errorf("list = %v, want %v", err, tree.ErrAbsent)
	}
}
