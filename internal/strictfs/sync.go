package strictfs

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// The files of a batch are held open together: writeback is started for all before
// the first is waited for, so that the disk sees them as one.
const (
	syncBatch   = 128
	syncWorkers = 16
)

// Sync implements tree.Writer. A file that may not be opened for reading is made
// durable with its whole file system.
func (r *Root) Sync(files, dirs []string) error {
	for len(files) > 0 {
		n := min(syncBatch, len(files))
		if err := r.syncFiles(files[:n]); err != nil {
			return err
		}
		files = files[n:]
	}
	return inParallel(len(dirs), func(i int) error { return r.syncDir(dirs[i]) })
}

func (r *Root) syncFiles(files []string) error {
	fds := make([]int, 0, len(files))
	names := make([]string, 0, len(files))
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for _, path := range files {
		fd, _, err := r.openRegular(path)
		switch {
		case errors.Is(err, tree.ErrAbsent):
			continue
		case errors.Is(err, unix.EACCES):
			err = r.syncAll()
		case err == nil:
			fds, names = append(fds, fd), append(names, path)
			err = startWriteback(fd)
		}
		if err != nil {
			return fmt.Errorf("sync %q: %w", path, err)
		}
	}
	return inParallel(len(fds), func(i int) error {
		if err := fsync(fds[i]); err != nil {
			return fmt.Errorf("sync %q: %w", names[i], err)
		}
		return nil
	})
}

// startWriteback is a hint, except that what goes wrong may be told only once.
func startWriteback(fd int) error {
	switch err := unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE); err {
	case unix.EIO, unix.ENOSPC, unix.EDQUOT:
		return err
	}
	return nil
}

func fsync(fd int) error {
	_, err := retry(func() (int, error) { return 0, unix.Fsync(fd) })
	return err
}

// syncDir makes the entries of a directory durable. A file system that answers EINVAL
// has nothing to sync there.
func (r *Root) syncDir(dir string) error {
	fd, err := r.open(dir, listable)
	if errors.Is(err, tree.ErrAbsent) {
		return nil
	}
	if errors.Is(err, unix.EACCES) {
		err = r.syncAll()
	} else if err == nil {
		defer unix.Close(fd)
		err = fsync(fd)
	}
	if err != nil && err != unix.EINVAL {
		return fmt.Errorf("sync directory %q: %w", dir, err)
	}
	return nil
}

// syncAll makes the file system of the root durable.
func (r *Root) syncAll() error {
	fd, err := r.open(tree.Root, listable)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Syncfs(fd)
}

// inParallel calls do for 0 to n-1 in a few goroutines and returns the first error in
// that order. All are called, whatever fails.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for w := range min(n, syncWorkers) {
		wg.Go(func() {
			for i := w; i < n; i += syncWorkers {
				errs[i] = do(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
