package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// config is the whole configuration of a repository of ours. Any other text is refused:
// somebody else's settings could name programs.
const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"

// ErrForeign says that a directory is no repository of Create's.
var ErrForeign = errors.New("is no store of Fettle's, or its configuration was changed")

// Exists reports whether the repository is there. One that is only half made, by a
// process that was killed, doesn't exist yet. The error wraps ErrForeign for something
// else in its place.
func (r *Repo) Exists() (bool, error) {
	info, err := os.Lstat(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	if !info.IsDir() {
		return false, fmt.Errorf("store %q: %w", r.dir, ErrForeign)
	}
	text, err := os.ReadFile(filepath.Join(r.dir, "config"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, r.isEmpty()
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	if string(text) != config {
		return false, fmt.Errorf("store %q: %w", r.dir, ErrForeign)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	return true, nil
}

// isEmpty refuses a directory without configuration that holds anything but what
// Create makes before it.
func (r *Repo) isEmpty() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "objects" && e.Name() != "refs" && !isTemporary(e.Name()) {
			return fmt.Errorf("store %q: %w", r.dir, ErrForeign)
		}
	}
	return nil
}

// Create makes the repository. It may run beside others that make the same one, and
// finishes what a killed one has begun: HEAD comes last.
func (r *Repo) Create(head string) error {
	for _, dir := range []string{"", "objects", "objects/info", "objects/pack", "refs", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o755); err != nil {
			return fmt.Errorf("make the store: %w", err)
		}
	}
	if err := r.install("config", config); err != nil {
		return err
	}
	return r.install("HEAD", "ref: "+head+"\n")
}

const temporary = "fettle-new-"

func isTemporary(name string) bool {
	return len(name) > len(temporary) && name[:len(temporary)] == temporary
}

// install makes a file of the repository, all at once.
func (r *Repo) install(name, text string) error {
	path := filepath.Join(r.dir, name)
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, []byte(text)) {
		return nil
	}
	f, err := os.CreateTemp(r.dir, temporary+"*")
	if err != nil {
		return fmt.Errorf("make the store: %w", err)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error says more
		return fmt.Errorf("make the store: %w", err)
	}
	return nil
}
