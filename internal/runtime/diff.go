package runtime

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/linediff"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// appendDiff appends the difference that a row is about, so that the diffs of all rows bring
// the acquired tree to the present one.
func (x *execution) appendDiff(diff []byte, row workspace.Row) ([]byte, error) {
	var before linediff.Side
	var err error
	shown := row.From != "" && x.showsMove(row.From)
	switch {
	case shown:
		before, err = x.acquiredAt(row.From)
	case !x.showsMove(row.Path):
		before, err = x.acquiredAt(row.Path)
	}
	if err != nil {
		return nil, err
	}
	after, err := x.presentAt(row.Path)
	if err != nil {
		return nil, err
	}
	if after.Path != "" {
		before.Mode = after.Mode // a mode alone is no change (spec §17.2)
	}
	diff = linediff.AppendUnified(diff, before, after)
	if _, taken := x.books.Workspace.File(row.From); shown || row.From == "" || taken {
		return diff, nil
	}
	left, err := x.acquiredAt(row.From)
	return linediff.AppendUnified(diff, left, linediff.Side{}), err
}

// showsMove says whether the diff shows the file that was acquired at a path as moved. It
// doesn't where that would have to overwrite another acquired file, for which no diff has
// a form: then the one is shown as deleted, and the other as changed.
func (x *execution) showsMove(from string) bool {
	if x.origins == nil {
		x.origins = map[string]string{}
		for path, origin := range x.books.Workspace.Renames() {
			x.origins[origin] = path
		}
	}
	for at := from; ; { // no two files have one origin, so this ends, or comes round
		to, moved := x.origins[at]
		if !moved {
			return false
		}
		if _, occupied := x.books.Baselines.Acquired(to); !occupied || to == from {
			return true
		}
		at = to
	}
}

// acquiredAt is the file that was acquired at a path, none if none was.
func (x *execution) acquiredAt(path string) (s linediff.Side, err error) {
	ref, acquired := x.books.Baselines.Acquired(path)
	if !acquired {
		return s, nil
	}
	s.Path = path
	if s.Data, err = x.State.Store().Get(ref, nil); err != nil {
		return s, fmt.Errorf("content of %s: %w", path, err)
	}
	return s, nil
}

// presentAt is the file that is at a path now, none if none is.
func (x *execution) presentAt(path string) (s linediff.Side, err error) {
	f, ok := x.books.Workspace.File(path)
	if !ok {
		return s, nil
	}
	s.Path, s.Mode = path, f.Mode
	if s.Data, err = x.State.Store().Get(f.Content, nil); err != nil {
		return s, fmt.Errorf("content of %s: %w", path, err)
	}
	return s, nil
}
