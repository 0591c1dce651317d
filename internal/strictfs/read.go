package strictfs

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// ReadFile implements tree.Reader. A file costs openat2, fstat, one read and close.
func (r *Root) ReadFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	data, id, err := r.readFile(path, limit, buf)
	if err != nil {
		return nil, tree.Identity{}, fmt.Errorf("read %q: %w", path, err)
	}
	return data, id, nil
}

func (r *Root) readFile(path string, limit int64, buf []byte) ([]byte, tree.Identity, error) {
	fd, id, err := r.openRegular(path)
	if err != nil {
		return nil, id, err
	}
	defer unix.Close(fd)
	if id.Size > limit {
		return nil, id, tree.ErrTooLarge
	}
	data, err := readAll(fd, id.Size, limit, buf)
	return data, id, err
}

// openRegular opens a file for reading and judges what it holds.
func (r *Root) openRegular(path string) (int, tree.Identity, error) {
	if path == tree.Root {
		return -1, tree.Identity{}, tree.ErrInvalid
	}
	fd, err := r.open(path, readable)
	if err != nil {
		return -1, tree.Identity{}, err
	}
	id, err := identify(fd)
	if err == nil {
		err = notRegular(id.Kind)
	}
	if err != nil {
		unix.Close(fd)
		return -1, id, err
	}
	return fd, id, nil
}

// readAll reads what size, and at most limit, bytes are expected of. It asks for one
// byte more: fewer bytes than asked for, and all that are expected, is the end of the
// file, with no second read to see it. A file that grew is read on, up to the limit.
func readAll(fd int, size, limit int64, buf []byte) ([]byte, error) {
	if size >= math.MaxInt {
		return nil, tree.ErrTooLarge
	}
	if int64(cap(buf)) <= size {
		buf = make([]byte, size+1)
	}
	buf = buf[:size+1]
	have := 0
	for {
		n, err := retry(func() (int, error) { return unix.Read(fd, buf[have:]) })
		if err != nil {
			return nil, err
		}
		have += n
		if int64(have) > limit {
			return nil, tree.ErrTooLarge
		}
		if n == 0 || int64(have) == size {
			return buf[:have], nil
		}
		if have == len(buf) {
			buf = append(buf, 0)
			buf = buf[:cap(buf)]
		}
	}
}
