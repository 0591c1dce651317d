package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
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
