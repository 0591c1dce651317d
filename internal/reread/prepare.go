package reread

import (
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Prepared is an invocation that is about to be dispatched over a workspace. It is
// computed anew for each attempt and never stored. Lists are sorted.
type Prepared struct {
	Allowlist []string // what the tool is given (spec §11.1)
	Withheld  []string // dirty files in scope and selector (spec §12.2)
	Denied    Denied   // what the policy kept back of the others

	// Diagnostics are an info for what the policy kept back (spec §8.7) and the warning
	// for unsaved files of a read-only invocation (spec §8.10).
	Diagnostics []diagnostic.Diagnostic

	inv        Invocation
	region     *glob.Region
	workspace  *workspace.Workspace
	baselines  *workspace.Baselines
	known      []string // workspace files in the region that aren't withheld
	unreadable []string // unreadable paths in the region
	others     room     // what all other files take
}

// Denied says which files the policy keeps from a tool, and on which axis (spec §8.7).
type Denied struct {
	Reason fault.Reason // write-denied, or read-denied where the invocation only reads
	Paths  []string
}

// room is what files take of the bounds.
type room struct {
	files int
	bytes int64
}

// Prepare computes allowlist and withheld files of an invocation, before each (spec
// §12.1, §12.2). w and b mustn't change until its re-read. An error is the store's.
func (e Env) Prepare(w *workspace.Workspace, b *workspace.Baselines, inv Invocation) (*Prepared, error) {
	p := &Prepared{inv: inv, region: inv.region(), workspace: w, baselines: b, known: make([]string, 0, w.Len())}
	pol := e.Policy()
	var unsaved []string
	denied := &p.Denied.Paths
	for path, f := range w.All() {
		inRegion := p.region.Match(path)
		dirty := false
		if inRegion {
			var err error
			if dirty, err = b.Dirty(e.Store, path, f); err != nil {
				return nil, fmt.Errorf("prepare %s: %w", path, err)
			}
		}
		switch {
		case !inRegion:
			p.others.add(f.Content.Len)
			continue
		case dirty:
			p.others.add(f.Content.Len)
			p.Withheld = append(p.Withheld, path)
			unsaved = append(unsaved, path)
			continue
		}
		if given(pol, path, inv.ReadOnly) {
			if len(*denied) > 0 {
				p.Allowlist = append(p.Allowlist, path)
			}
		} else {
			if len(*denied) == 0 {
				p.Allowlist = slices.Clone(p.known)
			}
			*denied = append(*denied, path)
		}
		p.known = append(p.known, path)
	}
	if len(*denied) == 0 {
		p.Allowlist = slices.Clip(p.known)
	}
	for _, path := range w.UnreadablePaths() {
		if p.region.Match(path) {
			p.unreadable = append(p.unreadable, path)
		}
	}
	for _, disk := range w.PendingDisks() {
		if p.region.Match(disk) {
			unsaved = append(unsaved, disk)
		}
	}
	p.report(unsaved)
	return p, nil
}

func (r *room) add(bytes int64) {
	r.files++
	r.bytes += bytes
}

// given says whether the policy lets the tool have a file: to rewrite it, or to read it
// if that is all it may do.
func given(pol *policy.Policy, path string, readOnly bool) bool {
	return pol.CanRead(path).Allowed && (readOnly || pol.CanWrite(path).Allowed)
}

func (p *Prepared) report(unsaved []string) {
	if denied := p.Denied.Paths; len(denied) > 0 {
		verb := "written"
		p.Denied.Reason = engine.WriteDenied
		if p.inv.ReadOnly {
			verb, p.Denied.Reason = "read", engine.ReadDenied
		}
		p.Diagnostics = append(p.Diagnostics, diagnostic.Diagnostic{
			Severity: diagnostic.Info, Reason: string(p.Denied.Reason), Count: len(denied), Paths: diagnostic.Listed(denied),
			Message: fmt.Sprintf("%s not given to %s: the policy doesn't let them be %s", files(len(denied)), p.inv.Engine, verb),
		})
	}
	if len(unsaved) > 0 && p.inv.ReadOnly {
		slices.Sort(unsaved)
		p.Diagnostics = append(p.Diagnostics, diagnostic.Diagnostic{
			Severity: diagnostic.Warning, Reason: string(fault.ReasonUnsaved), Count: len(unsaved), Paths: diagnostic.Listed(unsaved),
			Message: fmt.Sprintf("%s not saved, so %s judges what the disk holds instead; put a write step before it", files(len(unsaved)), p.inv.Engine),
		})
	}
}

// files counts files in words.
func files(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", n)
}
