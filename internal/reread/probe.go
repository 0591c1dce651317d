package reread

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

// sight is what a look at a path saw (spec §13.2).
type sight uint8

const (
	clean     sight = iota + 1 // the file is as recorded
	regular                    // a regular file that must be read
	absent                     //
	link                       // a link, or behind one
	irregular                  // neither
	failed                     // it is there and can't be looked at
)

// probe is a look at a path that isn't clean.
type probe struct {
	path  string
	sight sight
	id    tree.Identity // of what is regular
	err   error         // of what failed
}

func newProbe(path string, id tree.Identity, err error) probe {
	p := probe{path: path, id: id, err: err}
	switch {
	case errors.Is(err, tree.ErrAbsent):
		p.sight = absent
	case errors.Is(err, tree.ErrLink):
		p.sight = link
	case err != nil:
		p.sight = failed
	case id.Kind == tree.Regular:
		p.sight = regular
	case id.Kind == tree.Link:
		p.sight = link
	default:
		p.sight = irregular
	}
	return p
}

// reason says why what was seen isn't admissible by its kind; "" if it may be.
func (p probe) reason() fault.Reason {
	switch p.sight {
	case link:
		return fault.ClassLink
	case irregular:
		return fault.ReasonNotRegular
	case failed:
		return reasonReadError
	}
	return ""
}

// surveyed is what one pass over known paths and directories saw.
type surveyed struct {
	probes []probe  // of known paths that aren't clean
	again  []string // directories of the snapshot that must be listed again
	gone   []string // directories of the snapshot that aren't any more
}

// subject is a path of the survey: a known path, or a directory of the snapshot.
type subject struct {
	known int // index in Prepared.known, or -1
	dir   int // index in Snapshot.Dirs, or -1
}

// share is how many paths one worker looks at before another is worth its while: two of
// them take less time and, sharing the kernel's caches, 6 % more of the processor.
const share = 1 << 16

// survey looks at all known paths and all directories of the snapshot in one pass: both
// in one, because each directory then is judged once for all that lies below it.
func (r *round) survey(ctx context.Context, share int) (surveyed, error) {
	paths, subjects := r.subjects()
	workers := min(runtime.GOMAXPROCS(0), 1+len(paths)/share)
	parts := make([]surveyed, workers)
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		from, to := i*len(paths)/workers, (i+1)*len(paths)/workers
		group.Go(func() {
			errs[i] = r.env.Tree.Revisit(ctx, paths[from:to], func(j int, id tree.Identity, err error) bool {
				parts[i].look(r, paths[from+j], subjects[from+j], id, err)
				return true
			})
		})
	}
	group.Wait()
	var all surveyed
	for _, part := range parts {
		all.probes = append(all.probes, part.probes...)
		all.again = append(all.again, part.again...)
		all.gone = append(all.gone, part.gone...)
	}
	return all, errors.Join(errs...)
}

// subjects merges the known paths, the unreadable ones and the snapshot's directories.
// One path can be two of them: a file that has become a directory, or the reverse.
func (r *round) subjects() ([]string, []subject) {
	known, dirs := r.known, r.snap.Dirs
	paths := make([]string, 0, len(known)+len(dirs))
	subjects := make([]subject, 0, len(known)+len(dirs))
	i, j := 0, 0
	for i < len(known) || j < len(dirs) {
		s := subject{known: -1, dir: -1}
		var path string
		if j == len(dirs) || i < len(known) && known[i] <= dirs[j] {
			path, s.known = known[i], i
			i++
		}
		if s.known < 0 || j < len(dirs) && dirs[j] == path {
			path, s.dir = dirs[j], j
			j++
		}
		paths = append(paths, path)
		subjects = append(subjects, s)
	}
	return paths, subjects
}

func (s *surveyed) look(r *round, path string, of subject, id tree.Identity, err error) {
	if of.known >= 0 && !r.clean(path, id, err) {
		s.probes = append(s.probes, newProbe(path, id, err))
	}
	switch {
	case of.dir < 0:
	case err != nil || id.Kind != tree.Directory:
		s.gone = append(s.gone, path)
	case r.full || stampOf(id) != r.snap.Stamps[of.dir] || !settled(id.Ctime, r.snap.Started):
		s.again = append(s.again, path)
	}
}

// clean says whether a known path holds what is recorded, without reading it.
func (r *round) clean(path string, id tree.Identity, err error) bool {
	if err != nil || r.full {
		return false
	}
	was, ok := r.b.Persisted(path)
	return ok && sameFile(was.ID, id) && settled(was.ID.Ctime, r.snap.Started)
}

// look looks at one path, anew.
func (r *round) look(path string) probe {
	id, err := r.env.Tree.Stat(path)
	return newProbe(path, id, err)
}
