package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

func (c *app) validateCommand() *cobra.Command {
	var files []string
	cmd := &cobra.Command{
		Use:   "validate -f FILE",
		Short: "Say everything that is wrong with manifests",
		Long: `Validates manifests as a cluster's API server would, by the same schemas, defaults
and rules, and then what no schema can judge: globs, plans, engines that are referred
to. Everything that is wrong is said at once, with file and line.`,
		Example: `  fettle validate -f pipeline.yaml
  kubectl get devpipeline web -o yaml | fettle validate -f -`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.validate(cmd.Context(), files) },
	}
	addFiles(cmd, &files)
	return cmd
}

func (c *app) validate(ctx context.Context, files []string) error {
	from, err := newSource(files, c.Stdin)
	if err != nil {
		return err
	}
	set, err := from.load(ctx)
	if err != nil {
		return err
	}
	verdicts, err := judge(ctx, set)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		fmt.Fprintf(c.Stdout, "%s %s\n", v.what, v.says)
		for _, note := range v.notes {
			fmt.Fprintf(c.Stdout, "  %s\n", note)
		}
	}
	return nil
}

// verdict is what there is to say of a valid object.
type verdict struct {
	what, says string
	notes      []string
}

// judge validates what a set holds beyond what its schemas say. Its error has everything
// that is wrong.
func judge(ctx context.Context, set *manifest.Set) ([]verdict, error) {
	problems := setEntries(set)
	for _, p := range set.Pipelines {
		problems.pipeline(p)
	}
	var verdicts []verdict
	var others []error
	for _, p := range set.Pipelines {
		v, err := judgePipeline(ctx, set, p)
		switch {
		case err == nil:
			verdicts = append(verdicts, v)
		case len(problems.found) == 0:
			others = append(others, err)
		}
	}
	for _, r := range set.Runs {
		if _, err := pipeline.Build(pipeline.FromRun(r.Value.Spec), everything()); err != nil {
			if cause := fault.As(err); cause != nil {
				err = at(r.Origin, "spec", cause)
			}
			others = append(others, err)
			continue
		}
		verdicts = append(verdicts, valid(r.Origin))
	}
	for _, o := range others {
		problems.take(o)
	}
	switch {
	case len(problems.found) > 0 && len(others) == 1 && len(problems.found) == 1:
		return nil, others[0] // with its own kind
	case len(problems.found) > 0:
		return nil, problems.refusal()
	case len(others) > 0:
		return nil, errors.Join(others...)
	}
	for _, e := range set.Engines {
		verdicts = append(verdicts, valid(e.Origin))
	}
	for _, p := range set.Policies {
		verdicts = append(verdicts, valid(p.Origin))
	}
	for _, r := range set.Reports {
		verdicts = append(verdicts, valid(r.Origin))
	}
	for _, o := range set.Foreign {
		verdicts = append(verdicts, verdict{what: o.String(), says: "is of another group and hasn't been looked at"})
	}
	return verdicts, nil
}

func valid(o manifest.Origin) verdict { return verdict{what: o.String(), says: "is valid"} }

func judgePipeline(ctx context.Context, set *manifest.Set, p pipelineObject) (verdict, error) {
	resolved, err := resolve(ctx, set, p)
	if err != nil {
		return verdict{}, err
	}
	built, err := pipeline.Build(resolved, everything())
	if err != nil {
		return verdict{}, located(set, p, err)
	}
	v := valid(p.Origin)
	for _, w := range built.Warnings {
		file, line, _ := p.Position(fmt.Sprintf("spec.steps[%d]", w.Step))
		v.notes = append(v.notes, fmt.Sprintf("%s:%d: warning: %s", file, line, w.Message))
	}
	if _, err := pipeline.Build(resolved, driver.Serves()); err != nil {
		note := "fettle run can't run it: " + err.Error()
		if cause := fault.As(err); cause != nil {
			note = "fettle run can't run it: " + cause.Message
			if cause.Step != nil {
				note = fmt.Sprintf("fettle run can't run step %d: %s", cause.Step.Index+1, cause.Message)
			}
		}
		v.notes = append(v.notes, note)
	}
	return v, nil
}

// everything is a driver that can do all that there is: what it refuses is wrong
// wherever it runs.
func everything() pipeline.Driver {
	return pipeline.Driver{
		Serves: engine.Driver{
			Needs:    []engine.Need{engine.NeedDelete, engine.NeedMkdir, engine.NeedRename},
			Modes:    []engine.Mode{engine.InPlace, engine.Filter, engine.Delta},
			Accesses: []engine.Access{engine.Mount, engine.Facade},
			Images:   true,
		},
		Publishes: true,
	}
}
