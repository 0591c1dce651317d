package runtime

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/report"
)

// selectFor plans the invocations of a step from the files that the workspace held when
// it began (spec §8.7, §8.9), so that whoever goes on with it plans the same.
func (x *execution) selectFor(step plan.Step, files []string) (engine.Selection, error) {
	q := engine.Query{Files: files, Policy: x.Policy()}
	var err error
	switch args := step.Args.(type) {
	case plan.Format:
		q.Kind = engine.Format
		q.Selector, err = x.selectorOf(args.Paths)
	case plan.Lint:
		q.Kind, q.Fix = engine.Lint, args.Fix
		q.Selector, err = x.selectorOf(args.Paths)
	case plan.Check:
		q.Kind = engine.Check
	case plan.Run:
		return x.selectForRun(step, args, q)
	}
	if err != nil {
		return engine.Selection{}, err
	}
	return x.Engines.Plan(q)
}

func (x *execution) selectForRun(step plan.Step, args plan.Run, q engine.Query) (engine.Selection, error) {
	capability, err := args.Validate(x.Engines.Driver(), x.Acquire.Bounds.MaxDepth)
	if err != nil {
		return engine.Selection{}, err
	}
	if q.Selector, err = x.selectorOf(args.Paths); err != nil {
		return engine.Selection{}, err
	}
	return x.Engines.PlanRun(step.Name, capability, q)
}

// explain records what a step doesn't do and why (spec §8.7).
func (x *execution) explain(s engine.Selection) {
	step := &x.report.Steps[x.progress.Position]
	for _, skip := range s.Skips {
		groups := skip.Groups
		if len(groups) == 0 {
			groups = []string{""}
		}
		for _, g := range groups {
			step.Skips = append(step.Skips, report.StepSkip{Group: g, Reason: string(skip.Reason), Engine: skip.EngineID, Files: skip.Paths})
		}
		x.diagnose(diagnostic.Diagnostic{
			Severity: diagnostic.Info, Reason: string(skip.Reason), Count: skip.Paths, Message: skipMessage(*step, skip),
		})
	}
	for _, in := range s.Invocations {
		if in.OutsideScope > 0 {
			x.diagnose(diagnostic.Diagnostic{
				Severity: diagnostic.Info, Reason: string(fault.ReasonOutsideScope), Count: in.OutsideScope,
				Message: fmt.Sprintf("%s: %s outside the scope of %s", step.Action, countFiles(in.OutsideScope, "lies", "lie"), in.EngineID),
			})
		}
	}
}

func skipMessage(step report.Step, skip engine.Skip) string {
	n := countFiles(skip.Paths, "is", "are")
	switch skip.Reason {
	case engine.NoCapability:
		return fmt.Sprintf("%s: %s left alone, no engine handles them (%s)", step.Action, n, groupNames(skip.Groups))
	case engine.SuppressedBySelection:
		return fmt.Sprintf("%s: %s left alone, selection left no engine (%s)", step.Action, n, groupNames(skip.Groups))
	default:
		return fmt.Sprintf("%s: %s isn't started, the policy keeps all %d of its files from it", step.Action, skip.EngineID, skip.Paths)
	}
}

func groupNames(groups []string) string {
	text := ""
	for i, g := range groups {
		if i > 0 {
			text += ", "
		}
		if g == "" {
			text += "no extension"
			continue
		}
		text += "." + g
	}
	return text
}

func countFiles(n int, one, many string) string {
	if n == 1 {
		return "1 file " + one
	}
	return fmt.Sprintf("%d files %s", n, many)
}
