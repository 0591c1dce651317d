package local

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pipeline"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// Options say what to run, where, and who takes part.
type Options struct {
	Home     Home
	Root     string // absolute, or relative to the working directory
	Name     string // the pipeline's
	Pipeline *pipeline.Pipeline
	Policy   policy.Source
	Only     *int // nil, or the index of the one step to run
	DryRun   bool // work on a copy, which takes no approvals
	Resume   bool // go on with the interrupted or waiting run of this root
	Tools    Tools
	Wait     time.Duration // for another run of this root to end

	Gate     runtime.Gate
	Observer runtime.Observer
	Note     func(format string, args ...any) // tells people what no report says
	Now      func() time.Time
	Random   io.Reader
}

// Tools says where tools are found.
type Tools struct {
	Shim       string   // fettle-shim; "" looks beside Executable, then in Path
	Executable string   // the running fettle, absolute; "" if it isn't known
	Path       string   // PATH
	Env        []string // KEY=VALUE pairs that tools get beside their clean environment
}

// Run runs a pipeline over a root and keeps the report. An error means that the run was
// refused before it began; it is a *fault.Error wherever somebody can act.
//
// It holds the lock of the root's state directory from before it looks at what an earlier
// run left until it has ended (spec §21). A run that was interrupted is closed first, if
// it isn't to be gone on with.
func Run(ctx context.Context, o Options) (report.Report, error) {
	s, err := o.open(ctx)
	if err != nil {
		return report.Report{}, err
	}
	defer s.close()
	if err := s.settle(ctx); err != nil {
		return report.Report{}, err
	}
	if err := s.lookAtTools(ctx); err != nil {
		return report.Report{}, err
	}
	r, err := s.run(ctx)
	if err != nil {
		return report.Report{}, s.explained(err)
	}
	s.keep(r)
	return r, nil
}

func (s *session) run(ctx context.Context) (report.Report, error) {
	if s.options.Resume {
		return runtime.Resume(ctx, s.config)
	}
	return runtime.Run(ctx, s.config), nil
}

// settle closes the run that was interrupted here, unless it is to be gone on with. A dry
// run leaves it alone: that would touch the tree.
func (s *session) settle(ctx context.Context) error {
	switch {
	case s.options.DryRun:
		return s.mentionInterrupted()
	case s.options.Resume:
		return nil
	}
	quiet := s.config
	quiet.Observer = runtime.Silent{} // it is another run's progress
	r, found, err := runtime.Recover(ctx, quiet)
	if err != nil {
		return s.explained(err)
	}
	if !found {
		return nil
	}
	// Kept before it is told of: what is told must be true whenever this process dies.
	if err := s.save(r); err != nil {
		return fmt.Errorf("close the interrupted run %s: %w", r.Run, err)
	}
	if r.Error != nil && (r.Error.Reason == string(fault.ReasonCrash) || r.Error.Reason == string(fault.ReasonCancelled)) { // killed, or waiting for an approval
		s.options.Note("the run %s had not ended: it is closed now, and what it did is in its report: fettle report %s", r.Run, r.Run)
	} else {
		s.options.Note("the run %s had ended without its report being kept: fettle report %s", r.Run, r.Run)
	}
	return nil
}

// mentionInterrupted says when the tree may not be what it seems.
func (s *session) mentionInterrupted() error {
	kept, err := s.kept.Load()
	if kept != nil || fault.Is(err, fault.StepFailed, fault.ReasonState) {
		s.options.Note("a run of this directory has not ended; this dry run takes the directory as it is now")
		return nil
	}
	return err
}

// keep saves the report of a run and forgets the run, unless somebody is to go on with
// it. If that fails the state stays, and the next run saves the report.
func (s *session) keep(r report.Report) {
	if err := s.save(r); err != nil {
		s.options.Note("the report of %s is shown but not kept: %s", r.Run, err)
	}
	if s.kept.open {
		s.options.Note("the run %s couldn't be closed: go on with --resume once the reason is gone, or run again, which closes it first", r.Run)
	}
}

func (s *session) save(r report.Report) error {
	if err := s.options.Home.Reports().Save(r); err != nil {
		return err
	}
	if r.Waiting != nil || s.kept.open {
		return nil
	}
	return s.config.State.Clear()
}

// explained says which state can't be used, and what becomes of it: only people may give
// up a run that others can't read.
func (s *session) explained(err error) error {
	cause := fault.As(err)
	if cause == nil || cause.Kind != fault.StepFailed || cause.Reason != fault.ReasonState {
		return err
	}
	refusal := *cause
	refusal.Message = fmt.Sprintf("a run of this directory was interrupted, and its state in %s can't be read: %s", s.dir, cause.Message)
	return refusal.WithHint("finish it with the version of fettle that began it, or remove that directory to give it up: what it did to the files stays")
}
