package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/runtime"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// session is a root that this process alone works on, ready to run.
type session struct {
	options Options
	root    Root
	dir     string    // the root's state directory
	kept    *observed // what an earlier run of the root left there
	tools   *Driver
	config  runtime.Config
	closers []func() error // in the order in which they are opened
}

// open takes hold of the root: see Run.
func (o Options) open(ctx context.Context) (*session, error) {
	s := &session{options: o}
	if err := s.take(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close lets go of everything, in reverse order.
func (s *session) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); err != nil {
			s.options.Note("%s", err)
		}
	}
}

func (s *session) closing(f func() error) { s.closers = append(s.closers, f) }

func (s *session) take(ctx context.Context) error {
	o := s.options
	run, err := RunName(o.Name, o.Random)
	if err != nil {
		return err
	}
	if s.root, err = FindRoot(o.Root); err != nil {
		return err
	}
	if err := s.root.apart(o.Home); err != nil {
		return err
	}
	shimPath, err := process.FindShim(o.Tools.Shim, o.Tools.Executable, o.Tools.Path)
	if err != nil {
		return err
	}
	tree, err := strictfs.Open(s.root.Path)
	if err != nil {
		return err
	}
	s.closing(tree.Close)
	s.dir = o.Home.Root(s.root.Path)
	if err := s.lock(ctx, run); err != nil {
		return err
	}
	s.config = o.config(run)
	s.config.State = s.kept
	works := s.root
	if o.DryRun {
		if tree, works, err = s.onCopy(ctx, tree); err != nil {
			return err
		}
	}
	s.config.Tree, s.config.FileTime, s.config.FullCompare = tree, tree.Now, !tree.Stamps()
	s.config.Gitignore = s.gitignore(works)
	if err := s.startDriver(ctx, shimPath, works); err != nil {
		return err
	}
	s.tools.Reopen = tree.Reopen
	if !o.DryRun {
		s.dropCopy()
	}
	return nil
}

// lock opens the state directory. While another run holds it, people are told so.
func (s *session) lock(ctx context.Context, run string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	options := statedir.Options{
		Dir: s.dir, Root: s.root.Path, Random: s.options.Random, Boot: statedir.Boot(),
		Holder: statedir.Holder{Host: host, PID: os.Getpid(), Run: run},
	}
	dir, err := statedir.Open(ctx, options)
	if fault.Is(err, fault.StepFailed, fault.ReasonBusy) && s.options.Wait > 0 {
		s.options.Note("%s; waiting for it to end", fault.As(err).Message)
		options.Wait = s.options.Wait
		dir, err = statedir.Open(ctx, options)
	}
	if err != nil {
		return err
	}
	s.kept = &observed{State: runtime.StateIn(dir)}
	s.closing(dir.Close)
	return nil
}

// onCopy makes the copy that a dry run works on, with a state and a gate of its own.
func (s *session) onCopy(ctx context.Context, original *strictfs.Root) (*strictfs.Root, Root, error) {
	copied, err := copyTree(ctx, original, s.root, s.copyBase())
	if err != nil {
		return nil, Root{}, err
	}
	s.closing(copied.remove)
	tree, err := strictfs.Open(copied.path)
	if err != nil {
		return nil, Root{}, err
	}
	s.closing(tree.Close)
	if err := os.Remove(s.copyPack()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Root{}, fmt.Errorf("remove what an earlier dry run left: %w", err)
	}
	pack, err := statedir.CreatePack(s.copyPack(), s.options.Random)
	if err != nil {
		return nil, Root{}, err
	}
	s.closing(func() error { return errors.Join(pack.Close(), os.Remove(s.copyPack())) })
	s.config.State, s.config.Gate = runtime.Scratch(pack), approving{}
	return tree, Root{Given: copied.path, Path: copied.path}, nil
}

func (s *session) copyBase() string { return filepath.Join(s.dir, "copy") }
func (s *session) copyPack() string { return filepath.Join(s.dir, "copy.pack") }

// dropCopy removes what a dry run that was killed has left: a whole tree, it may be. No
// run depends on it.
func (s *session) dropCopy() {
	err := copyOf{base: s.copyBase()}.remove()
	if gone := os.Remove(s.copyPack()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err != nil {
		s.options.Note("what an earlier dry run left can't be removed: %s", err)
	}
}

// startDriver makes the driver and ends what tools of an earlier run, whose processes
// were all killed, may have left alive.
func (s *session) startDriver(ctx context.Context, shimPath string, works Root) error {
	processes, err := process.New(process.Options{
		Shim: shimPath, State: s.dir, Root: works.Path, Path: s.options.Tools.Path, Env: s.options.Tools.Env,
	})
	if err != nil {
		return err
	}
	n, err := processes.Reclaim(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		s.options.Note("%d processes that an earlier run left alive were ended", n)
	}
	s.tools = NewDriver(processes, works.Given, works.Path)
	s.config.Driver = s.tools
	return nil
}

// config is what the runtime needs of the options.
func (o Options) config(run string) runtime.Config {
	c := driver.Config(o.Pipeline)
	c.Run, c.Pipeline, c.Policy = run, o.Name, o.Policy
	c.Only, c.DryRun = o.Only, o.DryRun
	c.Gate, c.Observer = o.Gate, o.Observer
	c.Now, c.Random = o.Now, o.Random
	return c
}

// gitignore asks git about the tree that is worked on. For a copy without a repository
// of its own it asks about the original, which may lie within one.
func (s *session) gitignore(works Root) enumerate.Gitignore {
	return driver.Gitignore(works.Path, s.root.Path, s.options.Tools.Path)
}

// approving is the gate of a dry run: nothing that it approves reaches the tree.
type approving struct{}

// Decide implements runtime.Gate.
func (approving) Decide(_ context.Context, _ gate.Payload, digest string) ([]gate.Decision, error) {
	return []gate.Decision{{Digest: digest, Approved: true, By: "dry run"}}, nil
}
