package strictfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resolve is how every path is resolved.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// What is wanted of a path, as flags of openat2. A handle is for acting on what is
// there without opening it: no permission is needed but to get there, no device or
// FIFO notices. Openat2 refuses further flags beside O_PATH.
const (
	handle          = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	directoryHandle = handle | unix.O_DIRECTORY
	opened          = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	readable        = opened | unix.O_RDONLY
	listable        = readable | unix.O_DIRECTORY
	created         = opened | unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL
)

// retries bounds how often a call is made again on EINTR and EAGAIN: somebody with a
// lease on a file can have openat2 answer EAGAIN for ever.
const retries = 64

// shortPath is the length of paths, with their NUL, that need no allocation.
const shortPath = 512

// openat2 opens path below the directory dir, strictly. mode is that of a file to
// create, else 0.
func openat2(dir int, path string, flags, mode uint64) (int, error) {
	var buf [shortPath]byte
	name := append(append(buf[:0], path...), 0)
	how := unix.OpenHow{Flags: flags, Mode: mode, Resolve: resolve}
	return retry(func() (int, error) {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
			uintptr(unsafe.Pointer(&how)), unix.SizeofOpenHow, 0, 0)
		if errno != 0 {
			return -1, errno
		}
		return int(fd), nil
	})
}

// statx looks at name, which ends with a NUL, below dir. Only the last component isn't
// followed, so callers say why the others are no links.
func statx(dir int, name []byte, stat *unix.Statx_t) error {
	_, err := retry(func() (int, error) {
		_, _, errno := unix.Syscall6(unix.SYS_STATX, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
			unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_BASIC_STATS, uintptr(unsafe.Pointer(stat)), 0)
		if errno != 0 {
			return -1, errno
		}
		return 0, nil
	})
	return err
}

// retry makes a call, again while it is interrupted or told to try again.
func retry(call func() (int, error)) (n int, err error) {
	for range retries {
		n, err = call()
		if err != unix.EINTR && err != unix.EAGAIN {
			break
		}
	}
	return n, err
}
