package baseline

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
)

// gitDir is the Git directory of a work tree: a directory below the root, or one
// elsewhere that a file .git names.
type gitDir struct {
	root *strictfs.Root // the tree that it is in
	path string         // in that tree, tree.Root for all of it
	own  bool           // root was opened for it
}

func (g gitDir) at(name string) string { return join(g.path, name) }

// abs returns its path for git.
func (g gitDir) abs() string { return filepath.Join(g.root.Dir(), g.path) }

func (g gitDir) close() error {
	if g.own {
		return g.root.Close()
	}
	return nil
}

// maxGitFile bounds a file .git that names a directory (§ 15.4).
const maxGitFile = 4096

// workTree returns the work tree whose top dir is, nil if it is none.
func (l *lister) workTree(dir string) (*workTree, error) {
	path := join(dir, ".git")
	id, err := l.Root.Stat(path)
	switch {
	case errors.Is(err, tree.ErrAbsent), errors.Is(err, tree.ErrUnlookable), errors.Is(err, tree.ErrLink):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("baseline: %w", err)
	case id.Kind == tree.Directory:
		g := gitDir{root: l.Root, path: path}
		if g.has("HEAD", tree.Regular) && g.has("objects", tree.Directory) && g.has("refs", tree.Directory) {
			return &workTree{dir: dir, git: g}, nil
		}
	case id.Kind == tree.Regular:
		return l.named(dir, path)
	}
	return nil, nil
}

func (g gitDir) has(name string, kind tree.Kind) bool {
	id, err := g.root.Stat(g.at(name))
	return err == nil && id.Kind == kind
}

// named returns the work tree at dir if its file .git names a Git directory.
func (l *lister) named(dir, path string) (*workTree, error) {
	text, _, err := l.Root.ReadFile(path, maxGitFile, nil)
	if err != nil {
		return nil, nil //nolint:nilerr // too large, or gone: it makes no work tree
	}
	name, ok := strings.CutPrefix(string(text), "gitdir: ")
	name = strings.TrimRight(name, "\r\n")
	if !ok || name == "" || strings.ContainsRune(name, 0) {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.Root.Dir(), dir, name)
	}
	root, err := strictfs.Open(filepath.Clean(name))
	if err != nil {
		return nil, nil //nolint:nilerr // not a directory: it makes no work tree
	}
	g := gitDir{root: root, path: tree.Root, own: true}
	if !g.has("HEAD", tree.Regular) {
		return nil, g.close()
	}
	return &workTree{dir: dir, git: g}, nil
}

// objects returns the directory with the objects of a work tree, for sparse indexes.
func (g gitDir) objects() string {
	text, _, err := g.root.ReadFile(g.at("commondir"), maxGitFile, nil)
	if err != nil {
		return filepath.Join(g.abs(), "objects")
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(g.abs(), common)
	}
	return filepath.Join(common, "objects")
}

// copyTo writes a file of the Git directory to w. Without it the error is
// tree.ErrAbsent.
func (g gitDir) copyTo(w io.Writer, name string) error {
	f, _, err := g.root.OpenFile(g.at(name))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
