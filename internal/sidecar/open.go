package sidecar

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/sidecar/status"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// open takes hold of the state and the tree. An outcome means that there is nothing more
// to do in this Pod.
func (s *session) open(ctx context.Context) (*v1alpha1.RunOutcome, error) {
	_, err := os.Lstat(s.Layout.state())
	s.fresh = errors.Is(err, fs.ErrNotExist) // else an earlier Pod began, or can't; the lock will tell
	switch {
	case !s.fresh:
	case s.Entry == outcome.Recover:
		return s.nothing(), nil
	case s.Entry == outcome.Prepare:
		if early, err := s.begin(); early != nil || err != nil {
			return early, err
		}
	}
	if err := s.lock(ctx); err != nil {
		return nil, stuck{err}
	}
	if s.fresh && s.Entry == outcome.Recover {
		return s.nothing(), nil
	}
	if s.tree == nil {
		if _, err := s.openTree(nil); err != nil {
			return nil, err
		}
	}
	return nil, s.configure()
}

// nothing is the outcome of a run that has to be closed and hasn't done anything.
func (s *session) nothing() *v1alpha1.RunOutcome { return new(status.Refused(s.cause())) }

// begin makes a place for a run's state. What stands in the way of that stands in the way
// of every Pod.
func (s *session) begin() (early *v1alpha1.RunOutcome, err error) {
	if s.inPlace() {
		if early, err = s.openTree(s.judgeOwner); early != nil || err != nil {
			return early, err
		}
	}
	return s.settleIn()
}

// openTree opens the tree, and has it judged.
func (s *session) openTree(judge func(*strictfs.Root) (*v1alpha1.RunOutcome, error)) (*v1alpha1.RunOutcome, error) {
	var err error
	if s.Tree == s.Layout.tree() {
		s.tree, err = strictfs.OpenIn(s.Tree, s.scratch())
	} else {
		s.tree, err = s.openBelowSource(s.Tree)
	}
	if err != nil {
		return nil, err
	}
	s.closing(s.tree.Close)
	if judge == nil {
		return nil, nil
	}
	return judge(s.tree)
}

// scratch is where package strictfs tries the kernel. It is the Pod's own, so nothing of
// it outlives the Pod.
func (s *session) scratch() string { return s.Layout.Tmp }

// lock opens the state directory, for this process alone. Its holder is another Pod's
// sidecar, which is about to end.
func (s *session) lock(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	dir, err := statedir.Open(ctx, statedir.Options{
		Dir: s.Layout.state(), Root: s.Tree, Random: s.Random, Boot: statedir.Boot(), Wait: statedir.DefaultWait,
		Holder: statedir.Holder{Host: host, PID: os.Getpid(), Run: s.Run},
	})
	if err != nil {
		return err
	}
	s.closing(dir.Close)
	s.state = runtime.StateIn(dir)
	if outcome.IsInvocation(s.Entry) {
		s.fresh = false
		return nil // it goes on with what there is
	}
	kept, err := s.state.Load()
	s.fresh = err == nil && kept == nil
	if kept != nil && kept.Entry != nil {
		s.left = kept.Entry.Invocation
	}
	return err
}
