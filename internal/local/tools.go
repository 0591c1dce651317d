package local

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// toolRef names a tool of a step: a capability of an engine, or a run step's command.
type toolRef struct {
	step       int
	engine     string
	capability int
}

// lookAtTools refuses a run whose tools aren't installed, before anything runs. A tool
// that no step would start is never missed.
func (s *session) lookAtTools(ctx context.Context) error {
	missing := s.missing()
	if len(missing) == 0 {
		return nil
	}
	looking := s.config
	looking.Observer = runtime.Silent{}
	// What is wrong with the acquisition itself, the run says.
	preview, _ := runtime.PreviewOf(ctx, looking)
	for _, step := range preview.Steps {
		for _, in := range step.Invocations {
			if err, ok := missing[toolRef{step.Index, in.EngineID, in.Capability}]; ok {
				return fault.InStep(err, step.Index, step.Name)
			}
		}
	}
	return nil
}

// missing looks for every tool that the plan's steps could start, but for programs of the
// tree that an earlier step could yet make.
func (s *session) missing() map[toolRef]error {
	missing := map[toolRef]error{}
	changing := false // an earlier step changes the tree
	look := func(ref toolRef, x engine.Exec) {
		if changing && inTree(x.Command[0]) {
			return
		}
		if err := s.tools.Look(ref.engine, x); err != nil {
			missing[ref] = err
		}
	}
	for at, step := range s.config.Plan.Steps {
		if only := s.options.Only; only != nil && *only != at {
			continue
		}
		if run, ok := step.Args.(plan.Run); ok {
			if c, err := run.Validate(s.config.Engines.Driver(), s.config.Acquire.Bounds.MaxDepth); err == nil {
				look(toolRef{at, step.Name, 0}, c.Exec)
			}
		}
		kind, _ := step.Kind().Capability()
		for _, e := range s.config.Engines.Engines() {
			for i, c := range e.Capabilities(kind) {
				if c.Hole == "" {
					look(toolRef{at, e.ID, i}, c.Exec)
				}
			}
		}
		changing = changing || step.Kind() == plan.KindWrite || step.Kind() == plan.KindRun
	}
	return missing
}

// inTree says whether a program is named by its place in the tree.
func inTree(program string) bool {
	return strings.Contains(program, "/") && !filepath.IsAbs(program)
}
