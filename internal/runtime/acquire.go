package runtime

import (
	"context"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/report"
)

// acquire takes the workspace in (spec §9). What a gate was shown is resolved again: a
// decision is about the digest of what is there now.
func (x *execution) acquire(ctx context.Context) error {
	from := x.Now()
	resolved, err := x.source().Resolve(ctx, x.Acquire)
	if err != nil {
		return err
	}
	result, err := x.source().Read(ctx, x.Acquire, resolved, x.State.Store())
	if err != nil {
		return err
	}
	x.books = persist.Books{Workspace: result.Workspace, Baselines: result.Baselines}
	x.report.Acquisition = acquisitionOf(result)
	x.report.Acquisition.DurationMillis = x.Now().Sub(from).Milliseconds()
	x.diagnose(result.Warnings...)
	x.next()
	if err := x.checkpoint(nil); err != nil {
		x.progress.Position-- // no step has begun
		return err
	}
	x.Observer.Acquired(x.report.Acquisition)
	return nil
}

func (x *execution) source() acquire.Source {
	s := acquire.Source{Tree: x.Tree, Policy: x.Policy}
	if x.Acquire.RespectGitignore {
		s.Gitignore = x.Gitignore
	}
	return s
}

func acquisitionOf(r *acquire.Result) report.Acquisition {
	a := report.Acquisition{Files: r.Workspace.Len(), Excluded: counts(r.Excluded), Gitignored: counts(r.Gitignored)}
	for _, w := range r.Warnings {
		if w.Count > 0 {
			a.Skipped = append(a.Skipped, report.Skip{Reason: w.Reason, Count: w.Count})
		}
	}
	return a
}

func counts(c enumerate.Count) report.Counts {
	return report.Counts{Files: c.Files, Directories: c.Directories}
}
