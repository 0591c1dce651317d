package persist

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Restorer undoes violations of the policy (spec §13.10): it implements
// reread.Restorer.
//
// Its temporaries are named by Seed, which whoever journals the restoration keeps, so
// that one which a kill left behind is found again: Sweep.
type Restorer struct {
	Tree  tree.Tree
	Store content.Store
	Seed  string
}

// Restore implements reread.Restorer.
func (r Restorer) Restore(_ context.Context, undo []reread.Undo) []error {
	errs := make([]error, len(undo))
	var files, dirs []string
	for i, u := range undo {
		if u.Remove {
			errs[i] = r.remove(u.Path)
		} else if errs[i] = r.put(u); errs[i] == nil {
			files = append(files, u.Path)
		}
		dirs = append(dirs, path.Dir(u.Path))
	}
	if err := r.Tree.Sync(files, dirs); err != nil {
		for i := range errs {
			errs[i] = errors.Join(errs[i], fmt.Errorf("make durable: %w", err))
		}
	}
	return errs
}

// Sweep removes what a restoration that was killed has left beside these paths.
func (r Restorer) Sweep(paths []string) error {
	var errs []error
	for _, p := range paths {
		if err := r.Tree.Remove(r.temp(p)); err != nil && !errors.Is(err, tree.ErrAbsent) {
			errs = append(errs, fmt.Errorf("remove the temporary beside %s: %w", p, err))
		}
	}
	return errors.Join(errs...)
}

func (r Restorer) temp(p string) string {
	sum := sha256.Sum256([]byte(r.Seed + "\x00" + p))
	return path.Join(path.Dir(p), tempPrefix+hex.EncodeToString(sum[:8]))
}

func (r Restorer) remove(p string) error {
	id, err := r.Tree.Stat(p)
	switch {
	case err != nil:
		return err
	case id.Kind != tree.Regular:
		return tree.ErrNotRegular
	}
	return r.Tree.Remove(p)
}

// put makes a path a regular file with the content, mode and owner it had.
func (r Restorer) put(u reread.Undo) error {
	data, err := r.Store.Get(u.Content, nil)
	if err != nil {
		return err
	}
	id, err := r.Tree.Stat(u.Path)
	absent := errors.Is(err, tree.ErrAbsent)
	switch {
	case absent:
		if err := r.parents(u.Path); err != nil {
			return err
		}
	case err != nil:
		return err
	case id.Kind != tree.Regular:
		return tree.ErrNotRegular
	}
	if !absent && r.holds(u, data) {
		_, err := r.Tree.SetAttr(u.Path, u.Attr)
		return err
	}
	temp := r.temp(u.Path)
	if _, _, err := r.Tree.WriteNew(temp, data, u.Attr); err != nil {
		return err
	}
	if absent {
		err = r.Tree.Rename(temp, u.Path)
	} else {
		err = r.Tree.Exchange(temp, u.Path)
	}
	if err != nil {
		return errors.Join(err, r.Tree.Remove(temp))
	}
	if absent {
		return nil
	}
	return r.Tree.Remove(temp)
}

func (r Restorer) holds(u reread.Undo, data []byte) bool {
	now, _, err := r.Tree.ReadFile(u.Path, u.Content.Len, nil)
	return err == nil && bytes.Equal(now, data)
}

// parents makes the directories above a path that are missing.
func (r Restorer) parents(p string) error {
	for _, dir := range parents(p) {
		id, err := r.Tree.Stat(dir)
		if errors.Is(err, tree.ErrAbsent) {
			if err := r.Tree.Mkdir(dir); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if id.Kind == tree.Link {
			return tree.ErrLink
		}
		if id.Kind != tree.Directory {
			return tree.ErrNotDirectory
		}
	}
	return nil
}
