package disk

import (
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// install puts staged bytes in the place of the expected ones, or removes these. It
// returns what it found instead, if that isn't what was expected; then nothing changed.
func (d *Disk) install(c Change, staged place) (*State, error) {
	now, err := d.Look(c.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case now.Version == c.Target:
		return nil, nil
	case c.Target == blocks.VersionAbsent && now.Kind == tree.Directory:
		return nil, nil
	case now.Version != c.Expected:
		return &now, nil
	case c.Target == blocks.VersionAbsent:
		return d.takeAway(c)
	case staged.root == nil:
		return &now, nil // something stands in the way of a directory
	case c.Expected == blocks.VersionAbsent:
		return d.putNew(c, staged)
	}
	return d.exchange(c, staged)
}

// putNew moves a staged file to a name that is free.
func (d *Disk) putNew(c Change, staged place) (*State, error) {
	err := staged.root.RenameTo(staged.path, d.root, c.Path)
	if errors.Is(err, tree.ErrUnsupported) {
		err = staged.root.ReplaceIn(staged.path, d.root, c.Path)
	}
	if isInTheWay(err) {
		return d.foundInstead(c)
	}
	return nil, err
}

// exchange swaps a staged file with the one that is there and then looks at what it
// has got: if that isn't what was expected, somebody wrote it in between and gets it
// back.
func (d *Disk) exchange(c Change, staged place) (*State, error) {
	err := staged.root.ExchangeWith(staged.path, d.root, c.Path)
	switch {
	case errors.Is(err, tree.ErrUnsupported):
		return nil, staged.root.ReplaceIn(staged.path, d.root, c.Path)
	case isInTheWay(err):
		return d.foundInstead(c)
	case err != nil:
		return nil, err
	}
	got, err := stateAt(staged)
	if err == nil && got.Version == c.Expected {
		return nil, nil
	}
	if back := staged.root.ExchangeWith(staged.path, d.root, c.Path); back != nil {
		return nil, fmt.Errorf("what was written here meanwhile is kept as %q: %w", staged.path, errors.Join(err, back))
	}
	return &got, err
}

// takeAway removes a file: it goes to a temp name first, to be looked at there.
func (d *Disk) takeAway(c Change) (*State, error) {
	away := place{d.temp, d.owner.TempName()}
	if d.siblings {
		away = place{d.root, d.beside(c.Path)}
	}
	err := d.root.RenameTo(c.Path, away.root, away.path)
	switch {
	case errors.Is(err, tree.ErrUnsupported):
		return nil, d.root.Remove(c.Path)
	case isInTheWay(err):
		return d.foundInstead(c)
	case err != nil:
		return nil, err
	}
	got, err := stateAt(away)
	if err == nil && got.Version == c.Expected {
		return nil, away.root.Remove(away.path)
	}
	if back := away.root.RenameTo(away.path, d.root, c.Path); back != nil {
		return nil, fmt.Errorf("what was written here meanwhile is kept as %q: %w", away.path, errors.Join(err, back))
	}
	return &got, err
}

// foundInstead tells what has come to stand where something else was expected. If that
// is what was wanted, all is well.
func (d *Disk) foundInstead(c Change) (*State, error) {
	now, err := d.Look(c.Path)
	if err != nil || now.Version == c.Target {
		return nil, err
	}
	return &now, nil
}

// stateAt is Look at a place of any tree.
func stateAt(p place) (State, error) {
	other := Disk{root: p.root}
	s, err := other.Look(p.path)
	if errors.Is(err, git.ErrChanged) {
		return State{Version: blocks.VersionNonFile}, nil // somebody is writing it
	}
	return s, err
}
