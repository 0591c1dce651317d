package strictfs

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Now tells the time of the root's file system, as a change made there now would be
// stamped, in nanoseconds since the epoch. It makes a file that never has a name; a file
// system that can't do that is errors.ErrUnsupported.
func (r *Root) Now() (int64, error) {
	fd, err := unix.Openat(r.fd, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOENT) {
		return 0, errors.Join(errors.ErrUnsupported, err)
	}
	if err != nil {
		return 0, fmt.Errorf("make a nameless file: %w", err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, fmt.Errorf("look at a nameless file: %w", err)
	}
	return st.Ctim.Nano(), nil
}
