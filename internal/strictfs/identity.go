package strictfs

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// identify returns the identity of what a descriptor holds.
func identify(fd int) (tree.Identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return tree.Identity{}, fmt.Errorf("fstat: %w", err)
	}
	return tree.Identity{
		Dev: st.Dev, Ino: st.Ino, Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(),
		Mode: st.Mode & 0o777, UID: st.Uid, GID: st.Gid, Nlink: uint32(st.Nlink),
		Kind: kindOfMode(st.Mode),
	}, nil
}

// identityOf is the identity that statx told, the same that identify tells.
func identityOf(stat *unix.Statx_t) tree.Identity {
	const second = 1_000_000_000
	return tree.Identity{
		Dev: unix.Mkdev(stat.Dev_major, stat.Dev_minor), Ino: stat.Ino, Size: int64(stat.Size),
		Mtime: stat.Mtime.Sec*second + int64(stat.Mtime.Nsec),
		Ctime: stat.Ctime.Sec*second + int64(stat.Ctime.Nsec),
		Mode:  uint32(stat.Mode) & 0o777, UID: stat.Uid, GID: stat.Gid, Nlink: stat.Nlink,
		Kind: kindOfMode(uint32(stat.Mode)),
	}
}

func kindOfMode(mode uint32) tree.Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return tree.Regular
	case unix.S_IFDIR:
		return tree.Directory
	case unix.S_IFLNK:
		return tree.Link
	}
	return tree.Other
}
