package runtime

import (
	"cmp"
	"context"
	"fmt"
	goruntime "runtime"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/linediff"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/workspace"
	"github.com/fettle-dev/fettle/internal/workspace/stray"
)

// finish completes the report of a run that has ended: strays, rows, diff (spec §13.9,
// §17, §18). It always returns a report.
func (x *execution) finish(ctx context.Context) report.Report {
	ctx = context.WithoutCancel(ctx)
	if x.books.Workspace != nil {
		x.fail(x.findStrays(ctx))
		x.fail(x.accountChanges())
	}
	r := x.report
	r.Unreadable = nil
	if x.books.Workspace != nil {
		r.Unreadable = x.books.Workspace.UnreadablePaths()
	}
	if x.failure != nil {
		r.Error = failureOf(x.failure)
	}
	r.OK = r.Error == nil && r.Totals().Errors == 0
	r.DurationMillis += x.Now().Sub(x.started).Milliseconds()
	return *r
}

func (x *execution) findStrays(ctx context.Context) error {
	strays, err := stray.Find(ctx, x.Tree, x.State.Store(), x.books.Workspace, x.books.Baselines)
	if len(strays) == 0 {
		return err
	}
	paths := make([]string, len(strays))
	for i, s := range strays {
		paths[i] = s.Path
		x.report.Strays = append(x.report.Strays, report.Stray{Path: s.Path, Kind: string(s.Kind)})
	}
	x.diagnose(diagnostic.Diagnostic{
		Severity: diagnostic.Warning, Reason: "stray", Count: len(strays), Paths: diagnostic.Listed(paths),
		Message: fmt.Sprintf("%s changed on disk outside every step, so the run didn't follow: %s",
			countFiles(len(strays), "was", "were"), strings.Join(quoted(diagnostic.Listed(paths)), ", ")),
	})
	return err
}

func quoted(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = report.Printable(p)
	}
	return out
}

// accountChanges computes the rows and the diff, from the same contents.
func (x *execution) accountChanges() error {
	store := x.State.Store()
	rows, err := workspace.Account(store, x.books.Workspace, x.books.Baselines, goruntime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	x.report.Changes = make([]report.Change, len(rows))
	var diff []byte
	for i, row := range rows {
		x.report.Changes[i] = report.Change{
			Path: row.Path, Kind: string(row.Kind), From: row.From, LinesAdded: row.LinesAdded, LinesRemoved: row.LinesRemoved,
			BytesBefore: row.BytesBefore, BytesAfter: row.BytesAfter, Class: string(row.Class), Inexact: row.Inexact,
		}
		before, after, err := x.sides(row)
		if err != nil {
			return err
		}
		diff = linediff.AppendUnified(diff, before, after)
	}
	x.report.Diff = string(diff)
	return nil
}

// sides are what a row compares, so that the diffs of all rows bring the acquired tree to
// the present one: the file that was acquired there, unless it went elsewhere, and the one
// that is there now.
func (x *execution) sides(row workspace.Row) (before, after linediff.Side, err error) {
	store := x.State.Store()
	from := cmp.Or(row.From, row.Path)
	if ref, acquired := x.books.Baselines.Acquired(from); acquired && !x.hasOrigin(from, row.Path) {
		before.Path = from
		if before.Data, err = store.Get(ref, nil); err != nil {
			return before, after, fmt.Errorf("content of %s: %w", before.Path, err)
		}
	}
	f, ok := x.books.Workspace.File(row.Path)
	if !ok {
		return before, after, nil
	}
	after.Path, after.Mode, before.Mode = row.Path, f.Mode, f.Mode // a mode alone is no change (spec §17.2)
	if after.Data, err = store.Get(f.Content, nil); err != nil {
		return before, after, fmt.Errorf("content of %s: %w", after.Path, err)
	}
	return before, after, nil
}

// hasOrigin says whether the file that was acquired at a path is now at another than at.
func (x *execution) hasOrigin(acquired, at string) bool {
	if x.origins == nil {
		x.origins = map[string]string{}
		for path, origin := range x.books.Workspace.Renames() {
			x.origins[origin] = path
		}
	}
	path, moved := x.origins[acquired]
	return moved && path != at
}
