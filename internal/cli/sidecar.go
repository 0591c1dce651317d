package cli

import (
	"regexp"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/sidecar"
)

// sidecarFlags are the flags of sidecar.
type sidecarFlags struct {
	sidecar.Options
	prepare, folders, recover bool
	invocation                string
	copyShim                  string
	base                      string
}

func (c *app) sidecarCommand() *cobra.Command {
	var f sidecarFlags
	cmd := &cobra.Command{
		Use:   "sidecar",
		Short: "Take a run on inside a Pod",
		Long: `Takes a run on from where its state says that it stands, serves the one invocation
that the Pod is for, and says where the run stands then. The controller puts it into the
Pods that it makes; nobody else needs it.

Exit codes:
  0  the run stands at the next invocation or a gate, or has ended well
  1  the run has ended and failed
  2  the sidecar couldn't do its work`,
		Hidden: true,
		Args:   noArguments,
		RunE:   func(cmd *cobra.Command, _ []string) error { return c.sidecar(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Namespace, "namespace", "", "the run's `namespace`")
	flags.StringVar(&f.Run, "run", "", "the run's `name`")
	flags.IntVar(&f.Attempt, "attempt", 1, "the `number` of the attempt, from 1")
	flags.StringVar(&f.Tree, "tree", "", "the `directory` of the tree (default /workspace/tree)")
	flags.BoolVar(&f.prepare, "prepare", false, "bring in the source, and go on to the first tool")
	flags.BoolVar(&f.folders, "folders", false, "make the folders of the run's claim for another identity")
	flags.BoolVar(&f.recover, "recover", false, "account for what another Pod left open, and end the run")
	flags.StringVar(&f.invocation, "invocation", "", "serve the invocation `STEP-INDEX`")
	flags.StringVar(&f.copyShim, "copy-shim", "", "only copy fettle-shim into `DIR`")
	flags.IntVar(&f.ReportLimit, "report-limit", sidecar.DefaultReportLimit, "the `bytes` that the report may have")
	flags.DurationVar(&f.Patience, "patience", sidecar.DefaultPatience, "how long to try to reach the API server")
	flags.DurationVar(&f.AttachTime, "attach-time", sidecar.DefaultAttachTime, "how long to wait for the shim")
	flags.StringVar(&f.base, "base", "/", "the `directory` that stands for the root")
	_ = flags.MarkHidden("base") // it exists
	return cmd
}

// invocationName is what an entry of an invocation looks like.
var invocationName = regexp.MustCompile(`^(0|[1-9][0-9]?)-(0|[1-9][0-9]{0,4})$`)

func (c *app) sidecar(cmd *cobra.Command, f sidecarFlags) error {
	if f.copyShim != "" {
		return sidecar.CopyShim(c.Executable, f.copyShim)
	}
	entries := slices.DeleteFunc([]string{f.invocation}, func(s string) bool { return s == "" })
	for _, mode := range []struct {
		set   bool
		entry string
	}{{f.prepare, outcome.Prepare}, {f.folders, outcome.Folders}, {f.recover, outcome.Recover}} {
		if mode.set {
			entries = append(entries, mode.entry)
		}
	}
	switch {
	case len(entries) != 1:
		return usage(cmd, "exactly one of --prepare, --folders, --invocation and --recover is needed")
	case f.invocation != "" && !invocationName.MatchString(f.invocation):
		return usage(cmd, "--invocation %q isn't a step's index and an invocation's, such as 3-0", f.invocation)
	case f.Attempt < 1:
		return usage(cmd, "--attempt %d is less than 1", f.Attempt)
	case f.Run == "" || f.Namespace == "":
		return usage(cmd, "--namespace and --run are needed")
	}
	o := f.Options
	o.Entry, o.Layout = entries[0], sidecar.PodLayout(f.base)
	o.Host, o.Port, o.Path = c.Getenv("KUBERNETES_SERVICE_HOST"), c.Getenv("KUBERNETES_SERVICE_PORT"), c.Getenv("PATH")
	o.Log, o.Now, o.Random = c.Stderr, c.Now, c.Random
	syscall.Umask(0o022)   // so that the modes of what is made are the same everywhere
	debug.SetGCPercent(30) // memory is what each Pod pays for; the processor waits for the tool anyway
	return exitOrNil(sidecar.Run(cmd.Context(), o))
}

func exitOrNil(code int) error {
	if code == sidecar.ExitOK {
		return nil
	}
	return exitError(code)
}
