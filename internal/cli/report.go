package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local"
	"github.com/fettle-dev/fettle/internal/report"
)

func (c *app) reportCommand() *cobra.Command {
	var output format
	var diff bool
	cmd := &cobra.Command{
		Use:   "report [RUN|PIPELINE]",
		Short: "Show the whole report of a run",
		Long: `Shows the report of a run by its name, of the latest run of a pipeline by the
pipeline's, and without a name of the latest run of all: everything, what tools printed
included. The reports of the last 20 runs of each pipeline are kept.`,
		Example: `  fettle report
  fettle report web --diff
  fettle report web-q7x2zd -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "%d names are given, and there is one report to show", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return c.report(name, output, diff)
		},
	}
	addFormat(cmd, &output)
	cmd.Flags().BoolVar(&diff, "diff", false, "show the unified diff in place of the report")
	return cmd
}

func (c *app) report(name string, output format, diff bool) error {
	home, err := local.OpenHome(c.Getenv)
	if err != nil {
		return err
	}
	r, err := home.Reports().Load(name)
	if err != nil {
		return unreadable(name, err)
	}
	switch {
	case diff:
		return c.printDiff(r.Diff)
	case output != formatText:
		return c.print(r, output)
	default:
		return r.Text(c.Stdout, report.Style{Color: c.Terminal.Out && c.colors(), Findings: report.All, Details: true})
	}
}

// unreadable says what to do about a report that can't be shown.
func unreadable(name string, err error) error {
	refusal := fault.New(fault.BadArgument, fault.ReasonType, "", "the report can't be shown").WithCause(err)
	switch {
	case errors.Is(err, local.ErrNoReport):
		refusal.Message, refusal.Reason, refusal.Err = fmt.Sprintf("no report is kept of %q", name), fault.ReasonAbsent, nil
		if name == "" {
			refusal.Message = "no report is kept yet"
		}
		return refusal.WithHint("give the name of a run or of a pipeline that has run here, or none for the latest")
	case errors.Is(err, report.ErrCut):
		return refusal.WithHint("the file is damaged and can't be mended: remove it, and run the pipeline again")
	case errors.Is(err, report.ErrVersion):
		return refusal.WithHint("show it with the version of fettle that made it")
	case errors.Is(err, report.ErrFormat):
		return refusal.WithHint("the file is no report: remove it")
	default:
		return refusal
	}
}
