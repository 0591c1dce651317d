package sidecar

import (
	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
)

// configure makes of the run's copy of its pipeline what the runtime wants.
func (s *session) configure() error {
	built, err := pipeline.Build(pipeline.FromRun(s.run.Spec), driver.Serves())
	if err != nil {
		return err
	}
	if s.run.Spec.Plan.Dependencies != nil {
		return fault.New(fault.StepUnavailable, "", "", "this build makes no dependencies yet").
			WithHint("let the images bring them")
	}
	s.fixer = &fixer{options: &s.Options, engines: built.Engines, reopen: s.tree.Reopen, stop: s.stop, versions: s.versions()}
	s.closing(func() error { s.fixer.dismiss(); return nil })
	s.gate, s.watch = &gatekeeper{approves: s.checks()}, &watch{now: s.Now}
	c := driver.Config(built)
	c.Run, c.Pipeline, c.Policy = s.Run, string(s.run.Spec.PipelineRef.Name), policy.Fixed(built.Policy)
	c.DryRun, c.MaxDiff = s.checks(), maxDiff
	c.Tree, c.FileTime, c.State = s.tree, s.tree.Now, s.state
	c.Gitignore = driver.Gitignore(s.Tree, s.Tree, s.Path)
	c.Driver, c.Serves, c.Gate, c.Observer = s.fixer, s.serves, s.gate, s.watch
	c.Now, c.Random = s.Now, s.Random
	s.config = c
	return nil
}

// maxDiff is what a sidecar holds of a diff: as gzip it is about what a report may be.
const maxDiff = 4 << 20

// versions are those that the sidecars of earlier Pods have told.
func (s *session) versions() map[string]string {
	known := map[string]string{}
	for _, e := range s.run.Status.Invocations {
		if e.Version != "" {
			known[e.Engine] = e.Version
		}
	}
	return known
}

// serves is runtime.Config's: the invocation that the Pod is for, once.
func (s *session) serves(n report.Next) bool {
	return !s.fixer.used && !s.fixer.isStopped() && outcome.Invocation(n.Step, n.Index) == s.Entry
}
