package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/shim/scratch"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// maxBeside is how many entries of one directory above the root a copy has links to.
const maxBeside = 10_000

// copyOf is the copy of a root that a dry run works on.
type copyOf struct {
	base string // below which all of it is
	path string // of the copied root
}

// copyTree copies the root, opened as t, to below base. Where the copy is, tools find
// above it what they find above the root: its configuration files, node_modules and
// whatever relative links of the tree lead to, by links; but no .git, so that nobody
// takes the copy for a part of a repository around the root. What is at base is removed
// before, and after a failure.
func copyTree(ctx context.Context, t *strictfs.Root, root Root, base string) (copyOf, error) {
	c := copyOf{base: base, path: filepath.Join(base, root.Path)}
	if err := c.remove(); err != nil {
		return copyOf{}, err
	}
	err := surround(root.Path, base)
	if err == nil {
		_, err = t.CopyTo(ctx, c.path, func(target string) string {
			for _, name := range []string{root.Path, root.Given} {
				if within(target, name) {
					return c.path + strings.TrimPrefix(target, name)
				}
			}
			return target
		})
	}
	if err != nil {
		return copyOf{}, errors.Join(uncopied(ctx, err, base), c.remove())
	}
	return c, nil
}

// uncopied says why there is no copy.
func uncopied(ctx context.Context, err error, base string) error {
	if ctx.Err() != nil {
		return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "the run was cancelled while the root was copied").WithCause(ctx.Err())
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return fault.New(fault.StepFailed, fault.ReasonIO, "", "there is no room for a copy of the root below %s", filepath.Dir(base)).WithCause(err).
			WithHint("make room there, or set XDG_STATE_HOME to where there is some")
	}
	return fault.New(fault.StepFailed, fault.ReasonIO, "", "the root can't be copied").WithCause(err).
		WithHint("a dry run needs a copy of everything in the root")
}

func (c copyOf) remove() error {
	if err := scratch.Remove(c.base); err != nil {
		return fmt.Errorf("remove the copy of the root: %w", err)
	}
	return nil
}

// surround makes, below base, the directories above root, each with links to what else
// the real one holds.
func surround(root, base string) error {
	if err := os.Mkdir(base, 0o700); err != nil {
		return err
	}
	above := "/"
	for name := range strings.SplitSeq(strings.TrimPrefix(root, "/"), "/") {
		if err := besides(above, name, filepath.Join(base, above)); err != nil {
			return err
		}
		above = filepath.Join(above, name)
		if above == root {
			break
		}
		if err := os.Mkdir(filepath.Join(base, above), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// besides makes links in the directory to to what dir holds beside name.
func besides(dir, name, to string) error {
	d, err := os.Open(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil // tools see nothing there either
	}
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxBeside)
	if err != nil {
		return err
	}
	for _, beside := range names {
		if beside == name || beside == ".git" {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, beside), filepath.Join(to, beside)); err != nil {
			return err
		}
	}
	return nil
}
