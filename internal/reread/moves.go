package reread

import "slices"

// destinations returns the destinations of the façade's rename record, sorted.
func (r *round) destinations() []string {
	to := make([]string, 0, len(r.end.Moves))
	for _, d := range r.end.Moves {
		to = append(to, d)
	}
	slices.Sort(to)
	return to
}

// keepMoves finds the recorded moves that keep the identity of their file (spec §13.5).
// Their destinations are no new files.
func (r *round) keepMoves() {
	r.moves = map[string]string{}
	for from, to := range r.end.Moves {
		if _, ok := r.p.workspace.File(to); ok || !holds(r.p.known, from) || r.snap.holds(to) {
			continue
		}
		if p := r.probe(from); p == nil || p.sight != absent || r.look(to).sight == absent {
			continue
		}
		r.moves[to] = from
	}
	r.fresh = slices.DeleteFunc(r.fresh, func(path string) bool { return r.moves[path] != "" })
}

// probe returns the probe of a known path, nil if it is clean.
func (r *round) probe(path string) *probe {
	i, odd := slices.BinarySearchFunc(r.probes, path, comparePath)
	if !odd {
		return nil
	}
	return &r.probes[i]
}
