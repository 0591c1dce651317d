package killtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callInfo is struct ptrace_syscall_info: the same on every architecture.
type callInfo struct {
	op                 uint8
	_                  [3]uint8
	_                  uint32
	instruction, stack uint64
	nr                 uint64 // of an entry
	args               [6]uint64
	_                  uint64
}

const atExit = 2 // callInfo.op

// callOf asks what system call a task stopped at.
func callOf(pid int) (callInfo, bool) {
	const getSyscallInfo = 0x420e
	var info callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(pid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	return info, errno == 0
}

// describe reads what a call that is about to be made acts on.
func (i callInfo) describe(pid int) Call {
	c := Call{Number: i.nr}
	switch i.nr {
	case unix.SYS_OPENAT:
		c.Path, c.Creates = nameAt(pid, i.args[0], i.args[1]), creates(i.args[2])
	case unix.SYS_OPENAT2:
		c.Path, c.Creates = nameAt(pid, i.args[0], i.args[1]), creates(word(pid, i.args[2]))
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT:
		c.Path, c.To = nameAt(pid, i.args[0], i.args[1]), nameAt(pid, i.args[2], i.args[3])
	case unix.SYS_SYMLINKAT:
		c.Path = nameAt(pid, i.args[1], i.args[2])
	case unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT:
		c.Path = nameAt(pid, i.args[0], i.args[1])
	default: // of one descriptor
		c.Path = descriptor(pid, i.args[0])
	}
	return c
}

func creates(flags uint64) bool { return flags&(unix.O_CREAT|unix.O_TRUNC) != 0 }

// nameAt returns the absolute path that a name means relative to a directory's
// descriptor.
func nameAt(pid int, dir, name uint64) string {
	path := text(pid, name)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	at := fmt.Sprintf("/proc/%d/cwd", pid)
	if fd := int32(dir); fd != unix.AT_FDCWD { // an int in a register
		at = fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	}
	base, err := os.Readlink(at)
	if err != nil {
		return ""
	}
	return filepath.Join(base, path)
}

// descriptor returns the path of an open file, "" if it has none.
func descriptor(pid int, fd uint64) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(fd)))
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// text reads a string that ends with NUL out of a stopped task, page by page.
func text(pid int, address uint64) string {
	const page = 4096
	var out []byte
	for len(out) < unix.PathMax {
		part := make([]byte, page-address%page)
		if read(pid, address, part) != nil {
			return ""
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(out, part[:end]...))
		}
		out = append(out, part...)
		address += uint64(len(part))
	}
	return ""
}

func word(pid int, address uint64) uint64 {
	var value uint64
	if read(pid, address, unsafe.Slice((*byte)(unsafe.Pointer(&value)), unsafe.Sizeof(value))) != nil {
		return 0
	}
	return value
}

func read(pid int, address uint64, into []byte) error {
	local := []unix.Iovec{{Base: &into[0]}}
	local[0].SetLen(len(into))
	n, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(into)}}, 0)
	if err == nil && n < len(into) {
		err = unix.EFAULT
	}
	return err
}
