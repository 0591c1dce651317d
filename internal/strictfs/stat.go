package strictfs

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Stat implements tree.Reader.
func (r *Root) Stat(path string) (tree.Identity, error) {
	id, err := r.identify(path, handle)
	if err != nil {
		return tree.Identity{}, fmt.Errorf("stat %q: %w", path, err)
	}
	return id, nil
}

// StatDir implements tree.Reader.
func (r *Root) StatDir(dir string) (tree.Identity, error) {
	id, err := r.identify(dir, directoryHandle)
	if err != nil {
		return tree.Identity{}, fmt.Errorf("stat directory %q: %w", dir, err)
	}
	return id, nil
}

func (r *Root) identify(path string, flags uint64) (tree.Identity, error) {
	fd, err := r.open(path, flags)
	if err != nil {
		return tree.Identity{}, err
	}
	defer unix.Close(fd)
	return identify(fd)
}
