package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// runFlags are the flags of run and plan.
type runFlags struct {
	files     []string
	pipeline  string
	root      string
	only      string
	dryRun    bool
	diff      bool
	resume    bool
	approvals []string
	wait      time.Duration
	shim      string
	output    format
}

// listed is how many findings the screen of a run lists; the report has all.
const listed = 20

func (c *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Run a pipeline over a directory",
		Long: `Runs a pipeline over a directory with the tools of this machine, and says what
changed. The manifest's source is replaced by --root. State and reports live below
$XDG_STATE_HOME/fettle (~/.local/state/fettle), never in the directory.

Exit codes:
  0  all done, or nothing to do
  1  changes would be made (dry run), or there are diagnostics of severity error
  2  the run failed
  3  nothing ran: the input was refused
  4  a gate waits for an approval`,
		Example: `  fettle run -f pipeline.yaml
  fettle run -f pipeline.yaml -f engines/ --root ../web --dry-run
  fettle run -f pipeline.yaml --only format --diff
  fettle run -f pipeline.yaml --resume --approve sha256:2c26…`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.dryRun && f.resume {
				return usage(cmd, "--dry-run and --resume exclude each other: a dry run begins anew on a copy")
			}
			return c.run(cmd.Context(), f)
		},
	}
	addInput(cmd, &f)
	flags := cmd.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "work on a copy of the directory and show the diff")
	flags.BoolVar(&f.diff, "diff", false, "show the unified diff, too")
	flags.BoolVar(&f.resume, "resume", false, "go on with the run that was interrupted or waits for an approval")
	flags.StringArrayVar(&f.approvals, "approve", nil, "approve the gate whose payload has this `digest` (may be repeated)")
	flags.DurationVar(&f.wait, "wait", statedir.DefaultWait, "how long to wait while another run works on the directory")
	flags.StringVar(&f.shim, "shim", "", "`path` of fettle-shim (default: beside fettle, else in PATH)")
	addFormat(cmd, &f.output)
	return cmd
}

func addFiles(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "filename", "f", nil, "`file` or directory of manifests, or - for standard input (may be repeated)")
}

// addInput gives a command the flags that say what to run, and where.
func addInput(cmd *cobra.Command, f *runFlags) {
	addFiles(cmd, &f.files)
	flags := cmd.Flags()
	flags.StringVar(&f.pipeline, "pipeline", "", "`name` of the pipeline, where the manifests hold several")
	flags.StringVar(&f.root, "root", ".", "the `directory` to work on")
	flags.StringVar(&f.only, "only", "", "run one `step` only, by name or number")
}

func (c *app) run(ctx context.Context, f runFlags) error {
	job, err := c.prepare(ctx, f.files, f.pipeline)
	if err != nil {
		return err
	}
	options, err := c.options(job, f)
	if err != nil {
		return err
	}
	screen := c.newProgress(job.pipeline.Plan)
	asked := c.newGate(f, screen)
	options.DryRun = f.dryRun || job.pipeline.CheckOnly
	options.Resume, options.Wait = f.resume, f.wait
	options.Gate, options.Observer, options.Note = asked, screen, screen.note
	r, err := local.Run(ctx, options)
	screen.end()
	if err != nil {
		return err
	}
	unshown := c.show(r, f)
	if r.Waiting != nil {
		asked.explain(*r.Waiting)
	}
	if unshown != nil {
		return c.unshown(r, unshown)
	}
	return ended(r)
}

// unshown ends a run whose report standard output didn't take. Something ran, whatever
// became of it, and nobody was told: that is never one of the codes that say otherwise.
func (c *app) unshown(r report.Report, err error) error {
	c.complain(fault.New(fault.StepFailed, fault.ReasonIO, "", "the run %s has ended, and its report can't be written to standard output", r.Run).
		WithCause(err).WithHint("see it with: fettle report %s", r.Run))
	if code := exitOf(r); code > ExitChanges {
		return exitError(code)
	}
	return exitError(ExitFailed)
}

// options are what run and plan have in common.
func (c *app) options(j *job, f runFlags) (local.Options, error) {
	home, err := local.OpenHome(c.Getenv)
	if err != nil {
		return local.Options{}, err
	}
	only, err := stepOf(j.pipeline.Plan, f.only)
	if err != nil {
		return local.Options{}, err
	}
	return local.Options{
		Home: home, Root: f.root,
		Name: j.name, Pipeline: j.pipeline, Policy: j.policy, Only: only,
		Tools: local.Tools{Shim: f.shim, Executable: c.Executable, Path: c.Getenv("PATH")},
		Now:   c.Now, Random: c.Random,
	}, nil
}

// show writes a report to standard output.
func (c *app) show(r report.Report, f runFlags) error {
	if f.output != formatText {
		return c.print(r, f.output)
	}
	if err := r.Text(c.Stdout, report.Style{Color: c.Terminal.Out && c.colors(), Findings: listed}); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.Stdout, "  full report: fettle report %s\n", r.Run); err != nil {
		return err
	}
	if r.Diff == "" || !f.diff && !r.DryRun {
		return nil
	}
	if _, err := io.WriteString(c.Stdout, "\n"); err != nil {
		return err
	}
	return c.printDiff(r.Diff)
}

// again is the command line that goes on with a run.
func (f runFlags) again(approve string) string {
	args := []string{"fettle", "run"}
	for _, file := range f.files {
		args = append(args, "-f", file)
	}
	for _, flag := range []struct{ name, value, absent string }{
		{"--pipeline", f.pipeline, ""}, {"--root", f.root, "."}, {"--only", f.only, ""}, {"--shim", f.shim, ""},
	} {
		if flag.value != flag.absent {
			args = append(args, flag.name, flag.value)
		}
	}
	if f.diff {
		args = append(args, "--diff")
	}
	if f.output != formatText {
		args = append(args, "-o", string(f.output))
	}
	args = append(args, "--resume", "--approve", approve)
	for i, a := range args {
		args[i] = shellQuoted(a)
	}
	return strings.Join(args, " ")
}

// shellQuoted quotes what a shell would take for more than a word.
func shellQuoted(word string) string {
	const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if word != "" && strings.Trim(word, harmless) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
