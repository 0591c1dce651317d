package strictfs

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func rawOpen(b *testing.B, dir int, name []byte, flags uintptr) int {
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&name[0])), flags, 0, 0, 0)
	runtime.KeepAlive(name)
	if errno != 0 {
		b.Fatal(errno)
	}
	return int(fd)
}

func closeFD(b *testing.B, fd int) { must(b, unix.Close(fd)) }

// floor walks a tree by the fewest calls that it can be walked by.
type floor struct {
	b    *testing.B
	free [][]byte // buffers of directories that are done
}

// walk returns the number of files below a directory.
func (f *floor) walk(parent int, name []byte) int {
	return f.list(parent, name, func(fd int, e entry) int {
		if e.typ == unix.DT_DIR {
			return f.walk(fd, e.name)
		}
		return 1
	})
}

// walkStat is walk with a look at each entry.
func (f *floor) walkStat(parent int, name []byte) int {
	return f.list(parent, name, func(fd int, e entry) int {
		var stat unix.Statx_t
		must(f.b, statx(fd, e.name, &stat))
		if e.typ == unix.DT_DIR {
			return f.walkStat(fd, e.name)
		}
		return 1
	})
}

// list sums what count says of each entry of a directory.
func (f *floor) list(parent int, name []byte, count func(fd int, e entry) int) (n int) {
	fd := rawOpen(f.b, parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	defer closeFD(f.b, fd)
	buf := f.buffer()
	defer func() { f.free = append(f.free, buf) }()
	for {
		got, err := unix.Getdents(fd, buf)
		must(f.b, err)
		if got == 0 {
			return n
		}
		for rest := buf[:got]; len(rest) > 0; {
			var e entry
			e, rest, err = cutEntry(rest)
			must(f.b, err)
			if e.name[0] != '.' {
				n += count(fd, e)
			}
		}
	}
}

func (f *floor) buffer() []byte {
	n := len(f.free)
	if n == 0 {
		return make([]byte, listBuffer)
	}
	buf := f.free[n-1]
	f.free = f.free[:n-1]
	return buf
}
