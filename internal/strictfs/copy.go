package strictfs

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Copied counts what CopyTo made.
type Copied struct {
	Files       int
	Directories int
	Links       int
	Specials    int   // FIFOs and sockets
	Left        int   // devices, which take privileges to make
	Bytes       int64 // of files
}

// CopyTo copies the whole tree, what is mounted in it included, to the directory dst,
// which must be absent: every file, directory and link by its name whatever bytes that
// has, with mode, and owner where permitted. A link stays a link; retarget, unless nil,
// says where an absolute one is to point. What may not be read is there in the copy, as
// empty and as closed to reading as it is here. What disappears meanwhile is left out.
//
// An error, the kernel's or the context's, leaves what was made for the caller to
// remove.
func (r *Root) CopyTo(ctx context.Context, dst string, retarget func(target string) string) (Copied, error) {
	c := copier{ctx: ctx, root: r, retarget: retarget, buf: make([]byte, copyBuffer)}
	if err := c.tree(dst); err != nil {
		return c.Copied, fmt.Errorf("copy %q to %q: %w", r.dir, dst, err)
	}
	return c.Copied, nil
}

const copyBuffer = 256 << 10

// copier is the state of one call of CopyTo. It goes from one held directory to the
// next by single names that it follows no link at, so no path leads it astray.
type copier struct {
	Copied
	ctx      context.Context
	root     *Root
	retarget func(string) string
	buf      []byte
}

// held is a directory here and its copy, both open.
type held struct{ from, to int }

func (c *copier) tree(dst string) error {
	from, err := c.root.open(tree.Root, listable)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	id, err := identify(from)
	if err != nil {
		return err
	}
	if err := unix.Mkdir(dst, 0o700); err != nil {
		return err
	}
	to, err := retry(func() (int, error) { return unix.Open(dst, listable, 0) })
	if err != nil {
		return err
	}
	defer unix.Close(to)
	return c.fill(held{from, to}, id)
}

// fill copies the entries of a directory, and then its own attributes, which may forbid
// to add any.
func (c *copier) fill(d held, id tree.Identity) error {
	var names []string
	var kinds []tree.Kind
	err := c.root.list(d.from, func(name []byte, kind tree.Kind) bool {
		names, kinds = append(names, string(name)), append(kinds, kind)
		return true
	})
	if err != nil && !errors.Is(err, tree.ErrAbsent) {
		return err
	}
	for i, name := range names {
		if err := c.ctx.Err(); err != nil {
			return context.Cause(c.ctx)
		}
		if err := c.entry(d, name, kinds[i]); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	c.Directories++
	return attributes(d.to, id)
}

// errChanged says that an entry isn't of the kind any more that it was listed as.
var errChanged = errors.New("it changes faster than it can be copied")

func (c *copier) entry(d held, name string, kind tree.Kind) error {
	for range attempts {
		err := c.as(kind, d, name)
		if errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, errChanged) {
			return err
		}
		var stat unix.Statx_t
		if err := statx(d.from, append([]byte(name), 0), &stat); err != nil {
			return ignoring(unix.ENOENT, err)
		}
		kind = kindOfMode(uint32(stat.Mode))
	}
	return errChanged
}

func (c *copier) as(kind tree.Kind, d held, name string) error {
	switch kind {
	case tree.Directory:
		return c.directory(d, name)
	case tree.Regular:
		return c.file(d, name)
	case tree.Link:
		return c.link(d, name)
	default:
		return c.special(d, name)
	}
}

func (c *copier) directory(d held, name string) error {
	from, err := openName(d.from, name, listable)
	if err == unix.EACCES {
		return c.closed(d, name, tree.Directory)
	}
	if err != nil {
		return err
	}
	defer unix.Close(from)
	id, err := identify(from)
	if err != nil {
		return err
	}
	to, err := makeDirectory(d.to, name)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	return c.fill(held{from, to}, id)
}

func makeDirectory(parent int, name string) (int, error) {
	if err := unix.Mkdirat(parent, name, 0o700); err != nil {
		return -1, err
	}
	return openName(parent, name, listable)
}

func (c *copier) file(d held, name string) error {
	from, err := openName(d.from, name, readable)
	if err == unix.EACCES {
		return c.closed(d, name, tree.Regular)
	}
	if err != nil {
		return err
	}
	defer unix.Close(from)
	id, err := identify(from)
	if err != nil {
		return err
	}
	if id.Kind != tree.Regular {
		return errChanged
	}
	to, err := openName(d.to, name, created)
	if err != nil {
		return err
	}
	err = c.bytes(from, to)
	if err == nil {
		err = attributes(to, id)
	}
	c.Files++
	// Some file systems say only now that there was no room.
	return errors.Join(err, closeWritten(to))
}

// bytes copies all that from has, in the kernel where that can: then a file system that
// shares blocks shares them.
func (c *copier) bytes(from, to int) error {
	const most = 1 << 30
	for {
		n, err := retry(func() (int, error) { return unix.CopyFileRange(from, nil, to, nil, most, 0) })
		switch err {
		case nil:
		case unix.EXDEV, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.EPERM:
			return c.through(from, to)
		default:
			return err
		}
		if n == 0 {
			return nil
		}
		c.Bytes += int64(n)
	}
}

// through copies what is left of from by reading and writing.
func (c *copier) through(from, to int) error {
	for {
		n, err := retry(func() (int, error) { return unix.Read(from, c.buf) })
		if err != nil || n == 0 {
			return err
		}
		for rest := c.buf[:n]; len(rest) > 0; {
			m, err := retry(func() (int, error) { return unix.Write(to, rest) })
			if err != nil {
				return err
			}
			rest = rest[m:]
		}
		c.Bytes += int64(n)
	}
}

// closed makes what may not be read: empty, with the mode that says so.
func (c *copier) closed(d held, name string, kind tree.Kind) error {
	from, err := openName(d.from, name, handle)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	id, err := identify(from)
	if err != nil {
		return err
	}
	if id.Kind != kind {
		return errChanged
	}
	var to int
	if kind == tree.Directory {
		to, err = makeDirectory(d.to, name)
		c.Directories++
	} else {
		to, err = openName(d.to, name, created)
		c.Files++
	}
	if err != nil {
		return err
	}
	defer unix.Close(to)
	return attributes(to, id)
}

func (c *copier) link(d held, name string) error {
	target, err := readLink(d.from, name)
	if err == unix.EINVAL {
		return errChanged
	}
	if err != nil {
		return err
	}
	if c.retarget != nil && target[0] == '/' {
		target = c.retarget(target)
	}
	c.Links++
	return unix.Symlinkat(target, d.to, name)
}

func readLink(dir int, name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := retry(func() (int, error) { return unix.Readlinkat(dir, name, buf) })
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// special makes what is none of the others; nobody reads it, so it has nothing to copy.
func (c *copier) special(d held, name string) error {
	var stat unix.Statx_t
	if err := statx(d.from, append([]byte(name), 0), &stat); err != nil {
		return err
	}
	mode := uint32(stat.Mode)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFLNK:
		return errChanged
	case unix.S_IFIFO, unix.S_IFSOCK:
		c.Specials++
		return unix.Mknodat(d.to, name, mode, 0)
	default:
		c.Left++
		return nil
	}
}

// openName opens one name in a held directory. A link there is errChanged, as is what
// no directory can be made of: the caller expects another kind.
func openName(dir int, name string, flags uint64) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(dir, name, int(flags), 0o600) })
	switch err {
	case unix.ELOOP, unix.ENOTDIR, unix.ENXIO:
		return -1, errChanged
	default:
		return fd, err
	}
}

// attributes gives a copy mode and owner.
func attributes(fd int, id tree.Identity) error {
	if _, err := own(fd, tree.Attr{UID: id.UID, GID: id.GID, KeepOwner: true}); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, id.Mode); err != nil {
		return fmt.Errorf("set mode: %w", err)
	}
	return nil
}

func ignoring(ignored, err error) error {
	if errors.Is(err, ignored) {
		return nil
	}
	return err
}
