package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The files of a state directory. They and it are nobody else's business.
const (
	lockName    = "lock"
	packName    = "pack"
	journalName = "journal"
	indexPrefix = "index-" // and its number
	freshSuffix = ".new"   // of a file that isn't in its place yet

	fileMode os.FileMode = 0o600
	dirMode  os.FileMode = 0o700
)

func indexName(number uint64) string { return fmt.Sprintf("%s%d", indexPrefix, number) }

// writeDurably makes a file with these bytes and waits until they are on disk. The
// name is so only after syncDir.
func writeDurably(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// removeAll removes files of the state but those that keep says. What isn't there or
// can't be removed now is left for the next time.
func removeAll(dir string, keep func(name string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		ours := name == journalName || name == packName || strings.HasPrefix(name, indexPrefix) || strings.HasSuffix(name, freshSuffix)
		if ours && !keep(name) {
			_ = os.Remove(filepath.Join(dir, name)) // it does no harm, and goes the next time
		}
	}
}

// makePrivate makes a directory that only its owner can enter, with its parents. One
// that is there is taken as it is, unless all the world may enter it.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s isn't a directory: %w", dir, fs.ErrInvalid)
	}
	if info.Mode()&0o007 != 0 {
		return os.Chmod(dir, info.Mode().Perm()&^0o007)
	}
	return nil
}
