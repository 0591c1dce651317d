package strictfs

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// OpenFile opens a regular file, judged as ReadFile judges it, for contents that are not
// to be held in memory.
func (r *Root) OpenFile(path string) (io.ReadCloser, tree.Identity, error) {
	fd, id, err := r.openRegular(path)
	if err != nil {
		return nil, tree.Identity{}, fmt.Errorf("open %q: %w", path, err)
	}
	return &stream{path: path, fd: fd}, id, nil
}

// stream reads a file that is held.
type stream struct {
	path string
	fd   int
}

func (s *stream) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := retry(func() (int, error) { return unix.Read(s.fd, p) })
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", s.path, err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *stream) Close() error { return unix.Close(s.fd) }

// ReadLink returns where a link points, all components but the last resolved strictly.
// Anything else is tree.ErrNotRegular.
func (r *Root) ReadLink(path string) (string, error) {
	target, err := r.readLinkAt(path)
	if err != nil {
		return "", fmt.Errorf("read link %q: %w", path, err)
	}
	return target, nil
}

func (r *Root) readLinkAt(path string) (string, error) {
	p, name, err := r.openParent(path)
	if err != nil {
		return "", err
	}
	defer p.close()
	target, err := readLink(p.fd, name)
	if err == unix.EINVAL {
		return "", tree.ErrNotRegular
	}
	return target, p.explain(name, err)
}
