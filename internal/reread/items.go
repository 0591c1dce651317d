package reread

import (
	"iter"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/workspace"
)

// item is a path to be judged by what is there: a known one that isn't clean, the
// destination of a kept move, or a new file.
type item struct {
	probe
	fresh         bool
	wasUnreadable bool
	from          string         // the source of a kept move, else ""
	file          workspace.File // what the path held, of what is known
	was           workspace.Persisted
}

// items lists what is to be judged in the order of spec §13.6: known paths, sorted, a
// moved file under its new path; then new files, sorted. It returns how many are known.
func (r *round) items() (list []item, known int) {
	sources := make(map[string]bool, len(r.moves))
	for to, from := range r.moves {
		sources[from] = true
		list = append(list, r.knownItem(r.look(to), from))
		r.outcome(from, MovedAway)
	}
	for _, p := range r.probes {
		if !sources[p.path] && r.moves[p.path] == "" {
			list = append(list, r.knownItem(p, ""))
		}
	}
	slices.SortFunc(list, func(a, b item) int { return strings.Compare(a.path, b.path) })
	known = len(list)
	for _, path := range r.fresh {
		list = append(list, item{probe: probe{path: path, sight: regular}, fresh: true})
	}
	return list, known
}

func (r *round) knownItem(p probe, from string) item {
	it := item{probe: p, from: from}
	former := p.path
	if from != "" {
		former = from
	}
	if u, ok := r.p.workspace.Unreadable(former); ok {
		it.wasUnreadable = true
		it.file = workspace.File{Origin: u.Origin, Disk: u.Disk, Mode: u.Mode, DeclaredText: u.DeclaredText}
		return it
	}
	it.file, _ = r.p.workspace.File(former)
	it.was, _ = r.p.baselines.Persisted(former)
	return it
}

// cleanFiles are the known files that aren't among the probes, each yielded once.
type cleanFiles struct {
	known  []string
	probes []probe
}

func (c *cleanFiles) before(path string) iter.Seq[string] {
	return func(yield func(string) bool) { c.yield(func(p string) bool { return p < path }, yield) }
}

func (c *cleanFiles) rest() iter.Seq[string] {
	return func(yield func(string) bool) { c.yield(func(string) bool { return true }, yield) }
}

func (c *cleanFiles) yield(wanted, yield func(string) bool) {
	for len(c.known) > 0 && wanted(c.known[0]) {
		path := c.known[0]
		c.known = c.known[1:]
		for len(c.probes) > 0 && c.probes[0].path < path {
			c.probes = c.probes[1:]
		}
		if len(c.probes) > 0 && c.probes[0].path == path {
			continue
		}
		if !yield(path) {
			return
		}
	}
}
