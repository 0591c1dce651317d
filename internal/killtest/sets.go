package killtest

import "golang.org/x/sys/unix"

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
