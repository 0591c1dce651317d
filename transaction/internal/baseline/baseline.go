// Package baseline finds the files of a directory that a store begins with (block
// transaction spec § 15): in a Git work tree those that it tracks, elsewhere all.
//
// The directory is walked by handles; no link is followed, nothing named .git is entered
// or taken, and what is mounted inside is left alone. What a work tree tracks is read
// from a copy of its index, listed in an empty repository of our own: not one line of
// another repository's configuration is read, so no hook, monitor, filter, alias or
// include of it can run.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Request says what to list.
type Request struct {
	Root *strictfs.Root
	// Scratch is a directory for copies of indexes, made and removed below it.
	Scratch string
	// TempName returns names for them.
	TempName func() string
	// Environ is the environment to inherit from.
	Environ []string
	// Private is a path that is left out with all below it, "" for none.
	Private string
}

// List returns the paths of the files and links that a baseline takes, sorted by bytes.
func List(ctx context.Context, r Request) ([]string, error) {
	l := lister{Request: r, ctx: ctx}
	defer l.close()
	if err := l.directory(tree.Root, nil); err != nil {
		return nil, err
	}
	for _, top := range l.tops {
		if err := l.tracked(top); err != nil {
			return nil, err
		}
	}
	slices.Sort(l.paths)
	return slices.Compact(l.paths), nil
}

type lister struct {
	Request
	ctx   context.Context
	tops  []*workTree
	paths []string
}

// workTree is a Git work tree at or below the root.
type workTree struct {
	dir string // its top, tree.Root for the root
	git gitDir
}

// close lets go of the Git directories that were opened.
func (l *lister) close() {
	for _, top := range l.tops {
		_ = top.git.close() // it was only read
	}
}

// directory walks dir, which belongs to the work tree top, nil for none.
func (l *lister) directory(dir string, top *workTree) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if own, err := l.workTree(dir); err != nil {
		return err
	} else if own != nil {
		top = own
		l.tops = append(l.tops, own)
	}
	var below []string
	err := l.Root.ReadDir(dir, func(name []byte, kind tree.Kind) bool {
		path := join(dir, string(name))
		switch {
		case string(name) == ".git" || l.isPrivate(path):
		case kind == tree.Directory:
			below = append(below, path)
		case top == nil && (kind == tree.Regular || kind == tree.Link):
			l.paths = append(l.paths, path)
		}
		return true
	})
	switch {
	case errors.Is(err, tree.ErrAbsent), errors.Is(err, tree.ErrLink):
		return nil // it has changed since it was seen
	case errors.Is(err, tree.ErrUnlookable) && dir != tree.Root:
		return nil // something is mounted there
	case errors.Is(err, fs.ErrPermission) && top != nil:
		return nil // what is tracked there will be missed by name
	case err != nil:
		return fmt.Errorf("baseline: %w", err)
	}
	for _, path := range below {
		if err := l.directory(path, top); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) isPrivate(path string) bool {
	return l.Private != "" && (path == l.Private || strings.HasPrefix(path, l.Private+"/"))
}

// tracked adds what a work tree tracks and its directory holds, as files or links. What
// lies below the top of a deeper one belongs to that.
func (l *lister) tracked(top *workTree) error {
	names, err := l.index(top)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := join(top.dir, name)
		if !tree.Valid(path) || hasGit(path) || l.isPrivate(path) || l.innermost(path) != top {
			continue
		}
		id, err := l.Root.Stat(path)
		switch {
		case errors.Is(err, tree.ErrAbsent), errors.Is(err, tree.ErrLink), errors.Is(err, tree.ErrUnlookable):
		case err != nil:
			return fmt.Errorf("baseline: %w", err)
		case id.Kind == tree.Regular, id.Kind == tree.Link:
			l.paths = append(l.paths, path)
		}
	}
	return nil
}

// innermost returns the work tree that path belongs to.
func (l *lister) innermost(path string) *workTree {
	var found *workTree
	for _, t := range l.tops {
		if t.dir == tree.Root || strings.HasPrefix(path, t.dir+"/") {
			if found == nil || len(t.dir) > len(found.dir) || found.dir == tree.Root {
				found = t
			}
		}
	}
	return found
}

func join(dir, name string) string {
	if dir == tree.Root {
		return name
	}
	return dir + "/" + name
}

func hasGit(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".git" {
			return true
		}
	}
	return false
}
