package killtest

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// callInfo is the head of struct ptrace_syscall_info: the same on every architecture.
type callInfo struct {
	op                     uint8
	_                      [3]uint8
	_                      uint32
	instruction, stack, nr uint64
	_                      [8]uint64
}

// callNumber returns the number of the system call that a task stopped at; a number
// that no system call has if the kernel can't tell.
func callNumber(pid int) uint64 {
	const getSyscallInfo = 0x420e
	var info callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(pid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return ^uint64(0)
	}
	return info.nr
}

// Mutations are the calls by which a program changes a file system or makes a change
// durable.
func Mutations() Set {
	return Set{
		unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE,
		unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
		unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC_FILE_RANGE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FLOCK,
	}
}

// Boundaries are the calls at which a journal or an index changes from old to new.
func Boundaries() Set {
	return Set{unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_FSYNC, unix.SYS_FDATASYNC}
}
