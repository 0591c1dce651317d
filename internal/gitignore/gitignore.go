// Package gitignore asks the git binary which files of a tree Git ignores (runtime spec
// §5.7). A tracked file isn't ignored.
//
// Nothing that the repository contains is run: no hook, no filesystem monitor, no
// filter, no remote. It reads the repository and never writes to it, its index included.
package gitignore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/internal/enumerate"
)

// Git says how to ask.
type Git struct {
	Program string // the git binary; "git" is looked up in PATH
	Root    string // host path of the root of the workspace, in a work tree of Git or at its top
}

// Set is what Git ignored at one moment. A later enumeration asks anew, since an ignored
// file may have come into being.
type Set struct {
	dirs  map[string]bool
	files map[string]bool
	all   bool // the root itself lies in an ignored directory
}

// Load asks Git. The error wraps enumerate.ErrNotOffered where there is no git, or no
// repository around the root.
//
// It asks at the top of the work tree: asked from within an ignored directory, Git ends
// with an internal error.
func (g Git) Load(ctx context.Context) (*Set, error) {
	var place strings.Builder
	err := g.run(ctx, func(out io.Reader) error {
		_, err := io.Copy(&place, out)
		return err
	}, "rev-parse", "--show-cdup", "--show-prefix")
	if err != nil {
		return nil, err
	}
	// Two lines; a directory's name may hold a newline, but "up" is made of "../".
	up, prefix, _ := strings.Cut(place.String(), "\n")
	prefix = strings.TrimSuffix(prefix, "\n")

	// Joined by hand, for the kernel to resolve: cleaning would drop a link before "..".
	top := Git{Program: g.Program, Root: g.Root + "/" + up}
	var set *Set
	err = top.run(ctx, func(out io.Reader) error {
		set, err = parse(out, prefix)
		return err
	}, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	return set, err
}

// Ask is Load as an enumerate.Gitignore.
func (g Git) Ask(ctx context.Context) (enumerate.Ignored, error) {
	set, err := g.Load(ctx)
	if err != nil {
		return nil, err
	}
	return set, nil
}

var _ enumerate.Gitignore = Git{}.Ask

// run runs one command of git in the root and hands its output to read.
func (g Git) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	cmd := exec.CommandContext(ctx, g.Program, append(hardened(), args...)...)
	cmd.Dir = g.Root
	cmd.Env = environment()
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", enumerate.ErrNotOffered, err)
	}
	readErr := read(out)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: %s: %w", enumerate.ErrNotOffered, strings.TrimSpace(complaint.String()), err)
	}
	if readErr != nil {
		return fmt.Errorf("git %s: %w", args[0], readErr)
	}
	return nil
}

var _ enumerate.Ignored = (*Set)(nil)

// Ignored reports whether Git ignores this very path, dir saying which kind it is. What
// lies below an ignored directory has no entry of its own: ask for the directory.
func (s *Set) Ignored(path string, dir bool) bool {
	if s.all {
		return true
	}
	if dir {
		return s.dirs[path]
	}
	return s.files[path]
}

// hardened are the options that keep Git from obeying the repository.
func hardened() []string {
	return []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
		"-c", "core.untrackedCache=false",
		"-c", "protocol.allow=never",
		"-c", "safe.directory=*",
	}
}

// environment is all that Git sees of ours: the user's own excludes don't take part, so
// that both drivers get the same answer.
func environment() []string {
	return []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C",
	}
}

// parse reads the NUL-terminated answer of git ls-files and keeps what lies below prefix
// ("" or a directory with a slash at its end), relative to it.
func parse(r io.Reader, prefix string) (*Set, error) {
	s := &Set{dirs: map[string]bool{}, files: map[string]bool{}}
	in := bufio.NewReader(r)
	for {
		name, err := in.ReadString(0)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name = name[:len(name)-1]
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			s.dirs[dir] = true
		} else {
			s.files[name] = true
		}
	}
	s.dropCollapsed()
	return s.below(prefix), nil
}

// dropCollapsed forgets directories that Git lists only because all they hold now is
// ignored: it lists what lies below those, and never below one that a rule names.
func (s *Set) dropCollapsed() {
	for _, entries := range []map[string]bool{s.files, s.dirs} {
		for path := range entries {
			for dir, ok := parent(path); ok; dir, ok = parent(dir) {
				delete(s.dirs, dir)
			}
		}
	}
}

// below returns what s says of the directory prefix.
func (s *Set) below(prefix string) *Set {
	if prefix == "" {
		return s
	}
	sub := &Set{dirs: map[string]bool{}, files: map[string]bool{}}
	for dir, ok := parent(prefix); ok; dir, ok = parent(dir) {
		sub.all = sub.all || s.dirs[dir]
	}
	for d := range s.dirs {
		if rest, ok := strings.CutPrefix(d, prefix); ok {
			sub.dirs[rest] = true
		}
	}
	for f := range s.files {
		if rest, ok := strings.CutPrefix(f, prefix); ok {
			sub.files[rest] = true
		}
	}
	return sub
}

// parent cuts the last segment off a path; it isn't ok for a path of one segment. The
// parent of "a/b/" is "a/b".
func parent(path string) (dir string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", false
	}
	return path[:i], true
}

// limited keeps the first bytes that are written to it and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
