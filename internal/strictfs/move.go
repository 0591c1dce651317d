package strictfs

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Exchange implements tree.Writer. Where the file system can't, as NFS, 9p and some
// FUSE can't, it is ErrUnsupported.
func (r *Root) Exchange(a, b string) error {
	if err := r.rename(a, b, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("exchange %q and %q: %w", a, b, err)
	}
	return nil
}

// Rename implements tree.Writer, with ErrUnsupported as Exchange.
func (r *Root) Rename(from, to string) error {
	if err := r.rename(from, to, unix.RENAME_NOREPLACE); err != nil {
		return fmt.Errorf("rename %q to %q: %w", from, to, err)
	}
	return nil
}

func (r *Root) rename(from, to string, flags uint) error { return r.renameTo(from, r, to, flags) }

// renameTo is rename to a name of another tree.
func (r *Root) renameTo(from string, other *Root, to string, flags uint) error {
	pf, fromName, err := r.openParent(from)
	if err != nil {
		return err
	}
	defer pf.close()
	pt, toName, err := other.openParent(to)
	if err != nil {
		return err
	}
	defer pt.close()
	_, err = retry(func() (int, error) { return 0, unix.Renameat2(pf.fd, fromName, pt.fd, toName, flags) })
	switch err {
	case unix.EINVAL:
		if other != r {
			from, to = "", "" // neither can be below the other
		}
		return r.explainInvalid(from, to)
	case unix.EACCES:
		if err := pf.explain(fromName, err); err != unix.EACCES {
			return err
		}
	}
	return pt.explain(toName, err)
}

// explainInvalid tells apart the two reasons for EINVAL: a directory that would be
// moved below itself, and a file system without these flags.
func (r *Root) explainInvalid(from, to string) error {
	if isBelow(to, from) || isBelow(from, to) {
		return unix.EINVAL
	}
	return fmt.Errorf("%w: %w", tree.ErrUnsupported, unix.EINVAL)
}

// Remove implements tree.Writer.
func (r *Root) Remove(path string) error {
	err := r.unlink(path, 0)
	if err == unix.EISDIR {
		err = tree.ErrNotRegular
	}
	if err != nil {
		return fmt.Errorf("remove %q: %w", path, err)
	}
	return nil
}

// RemoveDir implements tree.Writer.
func (r *Root) RemoveDir(path string) error {
	err := r.unlink(path, unix.AT_REMOVEDIR)
	if err == unix.ENOTDIR {
		err = tree.ErrNotDirectory
	}
	if err != nil {
		return fmt.Errorf("remove directory %q: %w", path, err)
	}
	return nil
}

func (r *Root) unlink(path string, flags int) error {
	p, name, err := r.openParent(path)
	if err != nil {
		return err
	}
	defer p.close()
	_, err = retry(func() (int, error) { return 0, unix.Unlinkat(p.fd, name, flags) })
	return p.explain(name, err)
}

// Mkdir implements tree.Writer. The mode is 0777 less the umask.
func (r *Root) Mkdir(path string) error {
	if err := r.mkdir(path); err != nil {
		return fmt.Errorf("make directory %q: %w", path, err)
	}
	return nil
}

func (r *Root) mkdir(path string) error {
	p, name, err := r.openParent(path)
	if err != nil {
		return err
	}
	defer p.close()
	_, err = retry(func() (int, error) { return 0, unix.Mkdirat(p.fd, name, 0o777) })
	return p.explain(name, err)
}
