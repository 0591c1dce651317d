package strictfs

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// WriteNew implements tree.Writer.
func (r *Root) WriteNew(path string, data []byte, attr tree.Attr) (tree.Identity, bool, error) {
	id, kept, err := r.writeNew(path, data, attr)
	if err != nil {
		return tree.Identity{}, false, fmt.Errorf("write %q: %w", path, err)
	}
	return id, kept, nil
}

func (r *Root) writeNew(path string, data []byte, attr tree.Attr) (tree.Identity, bool, error) {
	p, name, err := r.openParent(path)
	if err != nil {
		return tree.Identity{}, false, err
	}
	defer p.close()
	fd, err := p.create(name)
	if err != nil {
		return tree.Identity{}, false, err
	}
	id, kept, err := fill(fd, data, attr)
	if err != nil {
		p.undo(name, fd)
		unix.Close(fd)
		return tree.Identity{}, false, err
	}
	// Some file systems say only now that there was no room.
	if err := closeWritten(fd); err != nil {
		p.remove(name, id)
		return tree.Identity{}, false, err
	}
	return id, kept, nil
}

// create makes an empty file that only its owner can open, until its mode is set.
func (p parent) create(name string) (int, error) {
	fd, err := openat2(p.fd, name, created, 0o600)
	return fd, p.explain(name, err)
}

// fill gives a new file its bytes and attributes.
func fill(fd int, data []byte, attr tree.Attr) (id tree.Identity, kept bool, err error) {
	for len(data) > 0 {
		n, err := retry(func() (int, error) { return unix.Write(fd, data) })
		if err != nil {
			return id, false, err
		}
		if n == 0 {
			return id, false, io.ErrShortWrite
		}
		data = data[n:]
	}
	if err := unix.Fchmod(fd, attr.Mode&0o777); err != nil {
		return id, false, fmt.Errorf("set mode: %w", err)
	}
	if kept, err = own(fd, attr); err != nil {
		return id, false, err
	}
	id, err = identify(fd)
	return id, kept, err
}

// undo removes name from p if it is what fd holds: nobody else's file in its place.
func (p parent) undo(name string, fd int) {
	if id, err := identify(fd); err == nil {
		p.remove(name, id)
	}
}

func (p parent) remove(name string, id tree.Identity) {
	var stat unix.Statx_t
	if statx(p.fd, append([]byte(name), 0), &stat) != nil {
		return
	}
	if there := identityOf(&stat); there.Dev == id.Dev && there.Ino == id.Ino {
		_ = unix.Unlinkat(p.fd, name, 0)
	}
}

// closeWritten closes a file; after EINTR it is closed all the same.
func closeWritten(fd int) error {
	if err := unix.Close(fd); err != nil && err != unix.EINTR {
		return err
	}
	return nil
}
