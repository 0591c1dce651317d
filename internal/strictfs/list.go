package strictfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// listBuffer is how many bytes of entries the kernel is asked for at a time.
const listBuffer = 64 << 10

// ReadDir implements tree.Reader. A directory costs openat2, getdents64 until it is
// empty, and close; where the file system doesn't tell kinds, a statx for each entry.
func (r *Root) ReadDir(dir string, visit func(name []byte, kind tree.Kind) bool) error {
	fd, err := r.open(dir, listable)
	if err != nil {
		return fmt.Errorf("list %q: %w", dir, err)
	}
	defer unix.Close(fd)
	if err := r.list(fd, visit); err != nil {
		return fmt.Errorf("list %q: %w", dir, err)
	}
	return nil
}

func (r *Root) list(fd int, visit func(name []byte, kind tree.Kind) bool) error {
	buf := r.buffers.Get().(*[listBuffer]byte)
	defer r.buffers.Put(buf)
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, buf[:]) })
		if err != nil || n == 0 {
			return err // ENOENT if it was removed since
		}
		more, err := visitEntries(fd, buf[:n], visit)
		if err != nil || !more {
			return err
		}
	}
}

// visitEntries calls visit for each entry of what getdents64 gave of the directory fd.
func visitEntries(fd int, entries []byte, visit func(name []byte, kind tree.Kind) bool) (more bool, err error) {
	for len(entries) > 0 {
		var e entry
		if e, entries, err = cutEntry(entries); err != nil {
			return false, err
		}
		if n := len(e.name) - 1; n == 1 && e.name[0] == '.' || n == 2 && e.name[0] == '.' && e.name[1] == '.' {
			continue
		}
		kind, err := e.kind(fd)
		if errors.Is(err, tree.ErrAbsent) {
			continue
		}
		if err != nil {
			return false, err
		}
		if !visit(e.name[:len(e.name)-1], kind) {
			return false, nil
		}
	}
	return true, nil
}

// entry is one of a directory, as the kernel lays it out: inode (8 bytes), offset (8),
// length of the whole (2), type (1), name with a NUL, padding.
type entry struct {
	name []byte // with its NUL
	typ  uint8
}

const entryHeader = 19

// cutEntry takes the first entry off a buffer that isn't empty.
func cutEntry(buf []byte) (e entry, rest []byte, err error) {
	if len(buf) <= entryHeader {
		return e, nil, errMalformed
	}
	length := int(binary.NativeEndian.Uint16(buf[16:]))
	if length <= entryHeader || length > len(buf) {
		return e, nil, errMalformed
	}
	end := bytes.IndexByte(buf[entryHeader:length], 0)
	if end <= 0 {
		return e, nil, errMalformed
	}
	return entry{buf[entryHeader : entryHeader+end+1], buf[18]}, buf[length:], nil
}

var errMalformed = errors.New("the kernel's entries make no sense")

// kind tells the kind of an entry of the directory fd; ErrAbsent if it is to be looked
// at and has gone.
func (e entry) kind(fd int) (tree.Kind, error) {
	switch e.typ {
	case unix.DT_REG:
		return tree.Regular, nil
	case unix.DT_DIR:
		return tree.Directory, nil
	case unix.DT_LNK:
		return tree.Link, nil
	case unix.DT_UNKNOWN:
		var stat unix.Statx_t
		if err := statx(fd, e.name, &stat); err != nil {
			return 0, fmt.Errorf("look at entry %q: %w", e.name[:len(e.name)-1], err)
		}
		return kindOfMode(uint32(stat.Mode)), nil
	}
	return tree.Other, nil
}
