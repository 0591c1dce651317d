package sidecar

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/sidecar/status"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// session is a run that this process alone works on.
type session struct {
	Options
	stop    <-chan struct{} // closed when the Pod is ended
	api     *status.Client
	run     *v1alpha1.DevPipelineRun
	state   runtime.State
	fresh   bool                    // the state holds no run: what stands in its way ends it
	left    *runtime.OpenInvocation // what an earlier Pod was at; known to prepare and recover
	tree    *strictfs.Root
	config  runtime.Config
	fixer   *fixer
	gate    *gatekeeper
	watch   *watch
	closers []func() error
}

// close lets go of everything, in reverse order.
func (s *session) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); err != nil {
			s.note(err)
		}
	}
}

func (s *session) closing(f func() error) { s.closers = append(s.closers, f) }

func (s *session) note(err error) {
	fmt.Fprintln(s.Log, "fettle sidecar:", report.Printable(err.Error()))
}

// work takes the run on and tells where it stands. An error means that it couldn't.
func (s *session) work(ctx context.Context) (int, error) {
	if err := s.ask(ctx); err != nil {
		return ExitStuck, err
	}
	early, err := s.open(ctx)
	// From here on the end of the Pod stops the tool alone: what is begun on the disk is
	// ended.
	ctx = context.WithoutCancel(ctx)
	switch {
	case err != nil:
		return s.refuse(ctx, err)
	case early != nil:
		return s.tell(ctx, word{outcome: *early})
	}
	r, err := s.goOn(ctx)
	switch {
	case err != nil:
		return s.refuse(ctx, err)
	case s.fixer.lost != nil:
		return ExitStuck, s.fixer.lost
	case s.interrupted(r):
		return ExitStuck, errInterrupted
	}
	return s.tell(ctx, s.wordOf(r))
}

var errInterrupted = errors.New("the Pod was ended before the tool began")

// ask reads the run.
func (s *session) ask(ctx context.Context) error {
	var err error
	s.api, err = status.New(status.Options{Host: s.Host, Port: s.Port, Dir: s.Layout.Token, Namespace: s.Namespace, Run: s.Run})
	if err != nil {
		return err
	}
	ctx, cancel := s.patient(ctx)
	defer cancel()
	return status.Patiently(ctx, func(ctx context.Context) error {
		run, err := s.api.Run(ctx)
		if err == nil {
			s.run = run
		}
		return err
	})
}

// goOn does what the Pod is for.
func (s *session) goOn(ctx context.Context) (report.Report, error) {
	switch {
	case s.Entry == outcome.Recover:
		return s.recover(ctx)
	case s.fresh:
		if err := s.bring(ctx); err != nil {
			return report.Report{}, err
		}
		return runtime.Run(ctx, s.config), nil
	}
	r, err := runtime.Resume(ctx, s.config)
	switch {
	case fault.Is(err, fault.BadArgument, fault.ReasonAbsent):
		return r, stuck{errors.New("the run's claim holds no state of the run")}
	case err != nil:
		return r, stuck{err}
	}
	return r, nil
}

// stuck is an error that ends the sidecar, and not the run.
type stuck struct{ error }

func (s stuck) Unwrap() error { return s.error }

// refuse ends a run that has done nothing yet with an error that no Pod will get over, and
// the sidecar alone with any other.
func (s *session) refuse(ctx context.Context, err error) (int, error) {
	var ours stuck
	if !s.fresh || errors.As(err, &ours) || fault.As(err) == nil {
		return ExitStuck, err
	}
	return s.tell(ctx, word{outcome: status.Refused(err)})
}

// interrupted says whether a run stopped before the invocation that this Pod is for,
// because the Pod was ended.
func (s *session) interrupted(r report.Report) bool {
	return r.Next != nil && s.fixer.isStopped() && !s.fixer.used && outcome.Invocation(r.Next.Step, r.Next.Index) == s.Entry
}
