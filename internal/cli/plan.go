package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/local"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

func (c *app) planCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "plan -f FILE",
		Short: "Show what a run would do, and run nothing",
		Long: `Shows for each step which files it concerns, which tools it would start over which
of them, where files may come into being, what is withheld or skipped and why. Tools
aren't run, so what they would change isn't known to the steps after them.

Exit codes:
  0  the run would begin
  2  a step would fail, as far as can be seen
  3  the input is refused`,
		Example: `  fettle plan -f pipeline.yaml
  fettle plan -f pipeline.yaml --only fix -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.plan(cmd.Context(), f) },
	}
	addInput(cmd, &f)
	addFormat(cmd, &f.output)
	return cmd
}

func (c *app) plan(ctx context.Context, f runFlags) error {
	job, err := c.prepare(ctx, f.files, f.pipeline)
	if err != nil {
		return err
	}
	options, err := c.options(job, f)
	if err != nil {
		return err
	}
	preview, err := local.Plan(ctx, options)
	if err != nil {
		return err
	}
	if f.output == formatText {
		err = showPlan(c.Stdout, job.name, preview)
	} else {
		err = c.print(preview, f.output)
	}
	if err != nil {
		return err
	}
	for _, s := range preview.Steps {
		if s.Problem != nil {
			return exitError(ExitFailed)
		}
	}
	return nil
}

// planned is how many paths of a list are shown; -o json has all.
const planned = 10

// showPlan writes a preview as people read it.
func showPlan(w io.Writer, name string, p runtime.Preview) error {
	t := &lines{}
	t.add("%s   %s acquired", report.Printable(name), counted(p.Acquisition.Files, "file"))
	for _, d := range p.Warnings {
		if d.Severity != diagnostic.Info {
			t.add("  %s: %s", d.Severity, report.Printable(d.Message))
		}
	}
	for _, s := range p.Steps {
		t.add("")
		t.step(s)
	}
	_, err := io.WriteString(w, t.text.String())
	return err
}

// lines gathers text.
type lines struct{ text strings.Builder }

func (t *lines) add(format string, args ...any) {
	t.text.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// field adds a labelled line, unless there is nothing to say.
func (t *lines) field(label, value string) {
	if value != "" {
		t.add("       %-14s %s", label, value)
	}
}

// paths adds a labelled count and the first of a list of paths.
func (t *lines) paths(label string, paths []string) {
	if len(paths) == 0 {
		return
	}
	t.field(label, counted(len(paths), "file"))
	for i, path := range paths {
		if i == planned {
			t.field("", fmt.Sprintf("… and %d more", len(paths)-planned))
			return
		}
		t.field("", report.Printable(path))
	}
}

func (t *lines) step(s runtime.StepPreview) {
	gated := ""
	if s.Gated {
		gated = "asks for approval"
	}
	t.add("%3d  %-10s %-20s %s", s.Index+1, s.Action, report.Printable(s.Name), gated)
	if len(s.Invocations) == 0 {
		t.paths("targets", s.Targets)
	} else {
		t.field("targets", counted(len(s.Targets), "file"))
	}
	for _, in := range s.Invocations {
		t.invocation(in)
	}
	t.field("may create", creates(s.MayCreate))
	for _, skip := range s.Skips {
		t.field("skipped", skipped(skip))
	}
	if s.Problem != nil {
		t.field("would fail", s.Problem.Sentence())
		t.field("", report.Printable(s.Problem.Hint))
	}
}

func (t *lines) invocation(in runtime.InvocationPreview) {
	what := fmt.Sprintf("%s, %s[%d]", report.Printable(in.EngineID), in.Kind+"s", in.Capability)
	if in.Kind == "run" {
		what = report.Printable(in.EngineID)
	}
	if in.ReadOnly {
		what += ", only reads"
	}
	t.field("starts", what)
	t.field("  command", printableList(in.Command, " "))
	t.field("  scope", printableList(in.Scope, ", "))
	t.field("  needs", needs(in.Engine))
	t.paths("  paths", in.Paths)
	t.paths("  withheld", in.Withheld)
	if in.Denied.Count > 0 {
		t.field("  "+in.Denied.Reason, fmt.Sprintf("%s: %s", counted(in.Denied.Count, "file"), printableList(in.Denied.Paths, ", ")))
	}
}

func needs(e gate.Engine) string {
	var words []string
	for _, n := range e.Needs {
		words = append(words, string(n))
	}
	return strings.Join(words, ", ")
}

// creates says where files may come into being.
func creates(list []gate.Create) string {
	var words []string
	for _, c := range list {
		switch {
		case c.Path != "":
			words = append(words, report.Printable(c.Path))
		case c.Selector != "":
			words = append(words, report.Printable(c.Scope)+" within "+report.Printable(c.Selector))
		default:
			words = append(words, report.Printable(c.Scope))
		}
	}
	return strings.Join(words, ", ")
}

func skipped(s report.StepSkip) string {
	what := counted(s.Files, "file")
	if s.Engine != "" {
		return fmt.Sprintf("%s with %s: %s", report.Printable(s.Engine), what, s.Reason)
	}
	group := "without extension"
	if s.Group != "" {
		group = "." + report.Printable(s.Group)
	}
	return fmt.Sprintf("%s %s: %s", what, group, s.Reason)
}

func printableList(list []string, separator string) string {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = report.Printable(word)
	}
	return strings.Join(words, separator)
}
