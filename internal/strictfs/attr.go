package strictfs

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// SetAttr implements tree.Writer.
func (r *Root) SetAttr(path string, attr tree.Attr) (bool, error) {
	kept, err := r.setAttr(path, attr)
	if err != nil {
		return false, fmt.Errorf("set attributes of %q: %w", path, err)
	}
	return kept, nil
}

// setAttr acts on a handle, for a file that isn't readable has a mode too.
func (r *Root) setAttr(path string, attr tree.Attr) (bool, error) {
	if path == tree.Root {
		return false, tree.ErrInvalid
	}
	fd, err := r.open(path, handle)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	id, err := identify(fd)
	if err != nil {
		return false, err
	}
	if err := notRegular(id.Kind); err != nil {
		return false, err
	}
	if err := chmod(fd, attr.Mode); err != nil {
		return false, err
	}
	kept, err := own(fd, attr)
	if err != nil {
		return false, errorsAfter(err, chmod(fd, id.Mode))
	}
	return kept, nil
}

// chmod sets the mode of what a handle holds. fchmod refuses a handle, and its
// successor that doesn't came with Linux 6.6; the link in /proc leads to what is held
// and nowhere else.
func chmod(fd int, mode uint32) error {
	if err := unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), mode&0o777); err != nil {
		return fmt.Errorf("set mode: %w", err)
	}
	return nil
}

// own gives what fd holds the owner that attr asks for, where that is permitted. Where
// only the group may be given, it is.
func own(fd int, attr tree.Attr) (kept bool, err error) {
	if !attr.KeepOwner {
		return true, nil
	}
	id, err := identify(fd)
	if err != nil {
		return false, err
	}
	if id.UID == attr.UID && id.GID == attr.GID {
		return true, nil
	}
	err = chown(fd, int(attr.UID), int(attr.GID))
	if err == nil {
		return true, nil
	}
	if !notPermitted(err) {
		return false, fmt.Errorf("set owner: %w", err)
	}
	if err := chown(fd, -1, int(attr.GID)); err != nil && !notPermitted(err) {
		return false, fmt.Errorf("set group: %w", err)
	}
	return false, nil
}

func chown(fd, uid, gid int) error { return unix.Fchownat(fd, "", uid, gid, unix.AT_EMPTY_PATH) }

// notPermitted reports whether a change of owner is refused for who asks or, with
// EINVAL, for an owner that doesn't exist in this user namespace.
func notPermitted(err error) bool { return err == unix.EPERM || err == unix.EINVAL }

// errorsAfter is err, and what went wrong when its traces were to be removed.
func errorsAfter(err, undo error) error {
	if undo == nil {
		return err
	}
	return fmt.Errorf("%w; and then %w", err, undo)
}
