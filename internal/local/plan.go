package local

import (
	"context"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// Plan says what a run would do to the root as it is now. It changes nothing, and takes
// no lock: a run that is under way may change the root meanwhile. Errors are those of
// Run, and those of acquisition. Of o, Gate, Observer and Note aren't needed.
//
// A tool that isn't installed is the problem of the step that would start it, if it has
// no other.
func Plan(ctx context.Context, o Options) (runtime.Preview, error) {
	root, err := FindRoot(o.Root)
	if err != nil {
		return runtime.Preview{}, err
	}
	tree, err := strictfs.Open(root.Path)
	if err != nil {
		return runtime.Preview{}, err
	}
	defer tree.Close()
	if err := root.apart(o.Home); err != nil {
		return runtime.Preview{}, err
	}
	// Nothing is started: the driver only looks for programs.
	processes, err := process.New(process.Options{Shim: "/", State: o.Home.Root(root.Path), Root: root.Path, Path: o.Tools.Path})
	if err != nil {
		return runtime.Preview{}, err
	}
	s := &session{options: o, root: root, tools: NewDriver(processes), config: o.config("")}
	s.config.Tree, s.config.Gitignore = tree, s.gitignore(root)
	s.config.Observer = runtime.Silent{}
	preview, err := runtime.PreviewOf(ctx, s.config)
	if err != nil {
		return runtime.Preview{}, err
	}
	missing := s.missing()
	for i, step := range preview.Steps {
		for _, in := range step.Invocations {
			err, ok := missing[toolRef{step.Index, in.EngineID, in.Capability}]
			if ok && preview.Steps[i].Problem == nil {
				preview.Steps[i].Problem = runtime.FailureOf(fault.InStep(err, step.Index, step.Name))
			}
		}
	}
	return preview, nil
}
