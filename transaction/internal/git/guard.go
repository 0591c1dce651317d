package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// The kernel's lock on this file is held while git moves refs. git inherits it, so it
// is free only when no process of Fettle's and no git that one has started is moving
// refs on this machine: a lock file of git's that then stays was left by one that was
// killed.
const guardFile = "fettle.guard"

// guard waits for the lock. Closing the file, here and in git, frees it.
func (r *Repo) guard(ctx context.Context) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(r.dir, guardFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("store: lock %s: %w", guardFile, err)
		}
		if err := pause(ctx, time.Duration(1+rand.IntN(10))*time.Millisecond); err != nil {
			f.Close()
			return nil, err
		}
	}
}

// maxStale bounds how many left lock files one change of refs takes away.
const maxStale = 16

// staleAfter is how long a lock file of git's must stay the same, while no git of ours
// runs, to be taken for left: a git that somebody else runs holds one for milliseconds.
const staleAfter = 300 * time.Millisecond

var lockPath = regexp.MustCompile(`Unable to create '([^\n]+)\.lock': File exists`)

func isLockError(err error) bool {
	f := (*failure)(nil)
	return errors.As(err, &f) && lockPath.MatchString(f.stderr)
}

// breakStale removes the lock file that err names if it is left over. Its caller holds
// the guard.
func (r *Repo) breakStale(ctx context.Context, err error) error {
	f := (*failure)(nil)
	errors.As(err, &f)
	path := lockPath.FindStringSubmatch(f.stderr)[1] + ".lock"
	if rel, relErr := filepath.Rel(r.dir, path); relErr != nil || strings.HasPrefix(rel, "..") {
		return err
	}
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := pause(ctx, staleAfter); err != nil {
		return err
	}
	after, err := os.Lstat(path)
	if err != nil || !os.SameFile(before, after) || before.ModTime() != after.ModTime() || before.Size() != after.Size() {
		return nil //nolint:nilerr // it was in use, or is gone
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: take away a lock that was left: %w", err)
	}
	return nil
}

// pause waits, or returns the error of an ended context.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
