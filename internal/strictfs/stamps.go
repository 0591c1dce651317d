package strictfs

import "golang.org/x/sys/unix"

// Stamps says whether the root's file system is known to stamp a file with every change
// of its bytes, so that equal identities prove equal bytes. Memory file systems aren't:
// what is written through a mapping that was read before leaves no stamp there. An
// overlay is as good as what is below it, and taken for good.
func (r *Root) Stamps() bool {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(r.fd, &fs); err != nil {
		return false
	}
	switch fs.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}
