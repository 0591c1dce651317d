package runtime

import (
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
		if x.diffCut {
			continue
		}
		if diff, err = x.appendDiff(diff, row); err != nil {
			return err
		}
		if x.MaxDiff > 0 && len(diff) > x.MaxDiff {
			diff, x.diffCut = nil, true
			x.report.Cut = append(x.report.Cut, fmt.Sprintf("the diff, which has more than %d bytes", x.MaxDiff))
		}
	}
	x.report.Diff = string(diff)
	return nil
}

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
