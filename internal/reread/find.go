package reread

import (
	"context"
	"slices"

	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/tree"
)

// found is what the enumeration after the run adds to the snapshot. Lists are sorted.
type found struct {
	fresh   []string // regular files that weren't in the snapshot and that nobody knows
	ignored []string // files of the snapshot that are still there and that nobody knows
	tooDeep string
}

// find enumerates what may hold new files: starts and directories that the snapshot
// doesn't have, and those of its directories that must be listed again. The others hold
// what they held (spec §13.3).
func (r *round) find(ctx context.Context, s surveyed) (found, error) {
	query, err := r.env.query(ctx, r.p)
	if err != nil {
		return found{}, err
	}
	var f found
	visitor := enumerate.Visitor{
		File: func(file enumerate.File) bool {
			switch {
			case r.isKnown(file.Path):
			case r.snap.holds(file.Path):
				f.ignored = append(f.ignored, file.Path)
			case !r.belongsToAnother(file.Path):
				f.fresh = append(f.fresh, file.Path)
			}
			return true
		},
		Enter: func(dir string) bool { return !holds(r.snap.Dirs, dir) },
		TooDeep: func(dir string) {
			if f.tooDeep == "" {
				f.tooDeep = dir
			}
		},
	}
	if _, err := query.Run(ctx, r.env.Tree, visitor); err != nil {
		return found{}, err
	}
	if _, err := query.RunIn(ctx, r.env.Tree, s.again, visitor); err != nil {
		return found{}, err
	}
	f.fresh = append(f.fresh, r.movedTo()...)
	f.ignored = append(f.ignored, r.untouched(s)...)
	slices.Sort(f.fresh)
	slices.Sort(f.ignored)
	f.fresh = slices.Compact(f.fresh)
	return f, nil
}

// untouched returns the files of the snapshot that nobody knows and whose directories
// haven't changed.
func (r *round) untouched(s surveyed) []string {
	var out []string
	known := r.known
	for _, path := range r.snap.Files {
		for len(known) > 0 && known[0] < path {
			known = known[1:]
		}
		if len(known) > 0 && known[0] == path || r.isKnown(path) {
			continue
		}
		if dir, _ := tree.Split(path); holds(r.snap.Dirs, dir) && !holds(s.again, dir) && !holds(s.gone, dir) {
			out = append(out, path)
		}
	}
	return out
}

// movedTo returns recorded destinations outside scope and selector that hold a file
// which isn't known: they belong to the envelope, too (spec §12.3).
func (r *round) movedTo() []string {
	var out []string
	for _, to := range r.destinations() {
		if !r.p.region.Match(to) && !r.isKnown(to) && !r.belongsToAnother(to) && r.look(to).sight == regular {
			out = append(out, to)
		}
	}
	return out
}

// isKnown says whether a path is known to this re-read, or withheld from it.
func (r *round) isKnown(path string) bool { return holds(r.known, path) || holds(r.p.Withheld, path) }

// belongsToAnother says whether a workspace file of another path, or outside this
// re-read, is on disk there.
func (r *round) belongsToAnother(path string) bool {
	if _, ok := r.p.workspace.File(path); ok {
		return true
	}
	_, ok := r.p.workspace.AtDisk(path)
	return ok
}

func holds(sorted []string, s string) bool {
	_, found := slices.BinarySearch(sorted, s)
	return found
}
