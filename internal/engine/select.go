package engine

import (
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
)

// ParseSelector parses the paths of a step (spec §8.6). Nil paths are no selector, which
// is nil. Errors are *fault.Error of kind BadArgument or PathRefused.
func ParseSelector(paths []string, maxDepth int) (glob.Entries, error) {
	if paths != nil && len(paths) == 0 {
		return nil, fault.New(fault.BadArgument, fault.ReasonType, "", "paths is an empty list").
			WithHint("leave paths out to select the whole workspace")
	}
	return glob.ParseEntries(paths, glob.Paths, maxDepth)
}

// Select returns the files that a selector selects, in their order; a nil selector
// selects all (spec §8.6).
func Select(files []string, selector glob.Entries) []string {
	if selector == nil {
		return files
	}
	var selected []string
	for _, f := range files {
		if selector.Match(f) {
			selected = append(selected, f)
		}
	}
	return selected
}

// selectFor selects for a format, lint or run step, which must select something unless a
// generating capability of its kind could make a file there.
func (r *Registry) selectFor(q Query) ([]string, error) {
	selected := Select(q.Files, q.Selector)
	if len(selected) > 0 || q.Selector == nil || r.couldGenerate(q.Kind, q.Selector) {
		return selected, nil
	}
	return nil, noMatch(q.Selector)
}

func (r *Registry) couldGenerate(k Kind, selector glob.Entries) bool {
	generators := r.those(k, func(c Capability) bool {
		if !c.Generates {
			return false
		}
		for _, entry := range selector {
			if c.Scope == nil || c.Scope.Overlaps(entry) {
				return true
			}
		}
		return false
	})
	return len(generators) > 0
}

func noMatch(selector glob.Entries) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonNoMatch, selector[0].String(), "paths selects no file of the workspace").
		WithHint("paths selects among acquired files: check its spelling, or add the files to acquire")
}
