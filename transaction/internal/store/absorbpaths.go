package store

import (
	"context"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// collect finds the paths that are asked about, sorted. What a person named and can't
// be taken is refused, in the order of the arguments (§§ 29.3, 29.5).
func (a *absorption) collect(ctx context.Context) (refused []blocks.Error, err error) {
	switch {
	case a.req.Run != "":
		a.paths = append(a.paths, a.req.Paths...)
	case len(a.req.Paths) == 0:
		a.paths, err = a.everything(ctx)
	default:
		refused, err = a.arguments(ctx)
	}
	slices.Sort(a.paths)
	a.paths = slices.Compact(a.paths)
	return refused, err
}

// everything returns the paths of head and those that a baseline would take now, but
// what may not be read: that isn't even listed.
func (a *absorption) everything(ctx context.Context) ([]string, error) {
	if err := a.s.disk.UseTemp(); err != nil {
		return nil, err
	}
	paths, err := a.s.listBaseline(ctx)
	if err != nil {
		return nil, err
	}
	err = a.trees.Walk(a.top.Tree, func(path string, _ git.Entry) error {
		paths = append(paths, path)
		return nil
	})
	return slices.DeleteFunc(paths, func(path string) bool { allowed, _ := a.req.Read(path); return !allowed }), err
}

// arguments judges what a person named.
func (a *absorption) arguments(ctx context.Context) ([]blocks.Error, error) {
	var refused []blocks.Error
	var all []string // everything, once it is needed
	for _, raw := range a.req.Paths {
		path, directory, code, err := a.argument(raw)
		if err != nil {
			return nil, err
		}
		if code != "" {
			refused = append(refused, refusal(code, raw))
			continue
		}
		if !directory {
			a.paths = append(a.paths, path)
			continue
		}
		if all == nil {
			if all, err = a.everything(ctx); err != nil {
				return nil, err
			}
		}
		for _, p := range all {
			if strings.HasPrefix(p, path+"/") {
				a.paths = append(a.paths, p)
			}
		}
	}
	return refused, nil
}

func refusal(code blocks.Code, raw string) blocks.Error {
	e := blocks.Error{Code: code, Path: raw, Hint: code.Hint()}
	if code == blocks.CodeFileNotFound {
		e.Hint = "name a file that exists on disk or is published, or a directory"
	}
	return e
}

// argument says what one argument stands for: a file, or the local work below a
// directory. A file in head or on disk comes first.
func (a *absorption) argument(raw string) (path string, directory bool, code blocks.Code, err error) {
	path, pathErr := blocks.TargetPath(raw, a.req.Roots...)
	if pathErr != nil {
		return "", false, blocks.Code(pathErr.Error()), nil
	}
	if allowed, _ := a.req.Read(path); !allowed {
		return "", false, blocks.CodePathDenied, nil
	}
	entry, _, err := a.trees.Lookup(a.top.Tree, path)
	if err != nil {
		return "", false, "", err
	}
	_, above, err := a.s.disk.Ancestor(path)
	if err != nil {
		return "", false, "", err
	}
	if above == tree.Link {
		return "", false, blocks.CodePathSymlink, nil
	}
	state, err := a.s.disk.Look(path)
	switch isFile := entry.Exists() && entry.Mode != git.ModeTree; {
	case err != nil:
		return "", false, "", err
	case state.Kind == tree.Link:
		_, code, err := a.judgeNonFile(taken{path: path, state: state, before: entry})
		return path, false, code, err
	case isFile || state.Kind == tree.Regular || state.Kind == tree.Other:
		return path, false, "", nil
	case state.Kind == tree.Directory || entry.Mode == git.ModeTree:
		return path, true, "", nil
	}
	return "", false, blocks.CodeFileNotFound, nil
}
