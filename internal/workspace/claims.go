package workspace

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pathdoor"
	"github.com/fettle-dev/fettle/internal/text"
)

// claims are a delta with clean paths, each field sorted and without duplicates.
type claims struct {
	changed []TextAt
	added   []TextAt
	deleted []string
	renamed []Rename

	isAdded, isDeleted, isSource, isDestination map[string]bool
}

// claims takes every path through the strict door and refuses what came twice.
func (d Delta) claims(maxDepth int) (*claims, error) {
	c := &claims{
		changed: slices.Clone(d.Changed), added: slices.Clone(d.Added),
		deleted: slices.Clone(d.Deleted), renamed: slices.Clone(d.Renamed),
	}
	for _, path := range c.paths() {
		clean, err := pathdoor.Strict(*path, maxDepth)
		if refused := fault.As(err); refused != nil {
			refused.Kind = fault.StepFailed
			return nil, refused
		}
		*path = clean
	}
	slices.SortFunc(c.changed, func(a, b TextAt) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.added, func(a, b TextAt) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.renamed, func(a, b Rename) int { return strings.Compare(a.From, b.From) })
	slices.Sort(c.deleted)

	var err error
	once := func(field string, paths []string) map[string]bool {
		set := make(map[string]bool, len(paths))
		for _, p := range paths {
			if set[p] && err == nil {
				err = refuseDelta(fault.ReasonDuplicate, p, "it is twice in "+field)
			}
			set[p] = true
		}
		return set
	}
	once("changed", pathsOf(c.changed))
	c.isAdded = once("added", pathsOf(c.added))
	c.isDeleted = once("deleted", c.deleted)
	c.isSource = once("renamed", c.sources())
	c.isDestination = once("the destinations of renamed", c.destinations())
	return c, err
}

// paths returns all paths in the order of the fields, to be changed in place.
func (c *claims) paths() []*string {
	var list []*string
	for i := range c.changed {
		list = append(list, &c.changed[i].Path)
	}
	for i := range c.added {
		list = append(list, &c.added[i].Path)
	}
	for i := range c.deleted {
		list = append(list, &c.deleted[i])
	}
	for i := range c.renamed {
		list = append(list, &c.renamed[i].From, &c.renamed[i].To)
	}
	return list
}

func pathsOf(list []TextAt) []string {
	paths := make([]string, len(list))
	for i, t := range list {
		paths[i] = t.Path
	}
	return paths
}

func (c *claims) sources() []string {
	paths := make([]string, len(c.renamed))
	for i, r := range c.renamed {
		paths[i] = r.From
	}
	return paths
}

func (c *claims) destinations() []string {
	paths := make([]string, len(c.renamed))
	for i, r := range c.renamed {
		paths[i] = r.To
	}
	return paths
}

// confined refuses what the invocation wasn't given or may not create.
func (c *claims) confined(r Remit) error {
	for _, p := range pathsOf(c.changed) {
		if !r.given(p) && !c.isAdded[p] && !c.isDestination[p] {
			return refuseDelta(fault.ReasonOutsidePaths, p, "it is changed, but wasn't given to this invocation")
		}
	}
	for _, p := range c.deleted {
		if !r.given(p) {
			return refuseDelta(fault.ReasonOutsidePaths, p, "it is deleted, but wasn't given to this invocation")
		}
	}
	for _, p := range c.sources() {
		if !r.given(p) {
			return refuseDelta(fault.ReasonOutsidePaths, p, "it is renamed, but wasn't given to this invocation")
		}
	}
	for _, p := range append(pathsOf(c.added), c.destinations()...) {
		if !r.creatable(p) {
			return refuseDelta(fault.ReasonOutsideScope, p, "neither the capability's scope nor the step's paths let it be created")
		}
	}
	return nil
}

// free refuses claims that contradict each other, then claims on files that are there.
func (c *claims) free(w *Workspace) error {
	for _, p := range pathsOf(c.added) {
		if c.isDeleted[p] {
			return refuseDelta(fault.ReasonCollision, p, "it is both added and deleted")
		}
	}
	for _, p := range pathsOf(c.changed) {
		if c.isSource[p] || c.isDeleted[p] {
			return refuseDelta(fault.ReasonCollision, p, "it is changed, and renamed away or deleted as well")
		}
	}
	for _, m := range c.renamed {
		if c.isSource[m.To] || c.isDeleted[m.To] {
			return refuseDelta(fault.ReasonCollision, m.To, "it is a destination, and renamed away or deleted as well")
		}
		if c.isDeleted[m.From] {
			return refuseDelta(fault.ReasonCollision, m.From, "it is both renamed and deleted")
		}
	}
	for _, p := range c.destinations() {
		if _, ok := w.File(p); ok {
			return exists(p)
		}
	}
	for _, p := range pathsOf(c.added) {
		if _, ok := w.File(p); ok && !c.isSource[p] {
			return exists(p)
		}
	}
	return nil
}

func (c *claims) textual(types *text.Types) error {
	for _, p := range pathsOf(c.added) {
		if _, ok := types.Resolve(p); !ok {
			return refuseDelta(fault.ReasonNonText, p, "it is added, and its name is of no textual type")
		}
	}
	return nil
}
