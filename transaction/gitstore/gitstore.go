// Package gitstore is the Git backend of block transactions by itself: the store beside
// a directory, to be looked at, unlocked, or used as a transaction.Backend.
//
// A transaction.Service uses the same store for every scope that names no backend, and
// then keeps the views of agents in it. Options given here are given to a Service by
// transaction.WithGit.
//
// It needs the git program and nothing else of Git: the directory need not be a work
// tree, its .git is never read for configuration or changed, and nothing that a
// repository holds (hooks, filters, attributes, settings) is run or obeyed.
package gitstore

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/internal/store"
)

// Option says how stores are opened.
type Option = store.Setting

// DeadOwners names owners of other hosts that are known to have ended, so that their
// locks and temp files are taken over (§ 14.2). A process of this host that is alive is
// never taken for dead.
func DeadOwners(ids ...string) Option {
	return func(s *store.Settings) { s.DeadOwners = append(s.DeadOwners, ids...) }
}

// Volume says that roots are directories strictly below that of a volume, on which the
// stores lie, too, in .fettle (§ 12.1).
func Volume(dir string) Option { return func(s *store.Settings) { s.Volume = dir } }

// VolumePaths returns where the store and the temp files of a path on a volume are, from
// the volume's root. The path lies strictly below that and outside .fettle.
func VolumePaths(path string) (storeDir, tempDir string, err error) { return store.VolumePaths(path) }

// Wait bounds how long to wait for the lock and to try swaps, 30 s by default.
func Wait(d time.Duration) Option { return func(s *store.Settings) { s.Wait = d } }

// Store is the store of one directory.
type Store struct {
	store *store.Store
	root  string
}

var _ transaction.Backend = (*Store)(nil)

// Open returns the store of the directory root. It makes nothing; CaptureSnapshot does.
// cfg has the sizes, the canonical ref and the bounds; environ is the environment, as
// os.Environ gives it.
func Open(root string, cfg transaction.Config, environ []string, opts ...Option) (*Store, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", root, err)
	}
	host := store.Host{
		CanonicalRef: cfg.CanonicalRef, MaxSwaps: cfg.MaxCasRetries, TempKeep: cfg.TempFileKeep, Config: cfg.Config,
		Environ: environ, Now: time.Now,
	}
	for _, set := range opts {
		set(&host.Settings)
	}
	o, err := host.Options(abs)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(o)
	if err != nil {
		return nil, err
	}
	return &Store{store: st, root: abs}, nil
}

// Close lets go of what the store holds open.
func (s *Store) Close() error { return s.store.Close() }

// Root returns the directory, without links.
func (s *Store) Root() string { return s.root }

// Exists reports whether there is a store. What looks like one and isn't is an error.
func (s *Store) Exists() (bool, error) { return s.store.Exists() }

// CaptureSnapshot implements transaction.Backend: it makes the store if there is none,
// from what the directory holds, and finishes what was published and isn't written.
func (s *Store) CaptureSnapshot(ctx context.Context, sc transaction.Context) (string, error) {
	revision, _, err := s.store.Snapshot(ctx)
	return revision, err
}

// Head implements transaction.Backend.
func (s *Store) Head(ctx context.Context, sc transaction.Context) (string, error) {
	return s.store.Head(ctx)
}

// ReadFile implements transaction.Backend.
func (s *Store) ReadFile(ctx context.Context, sc transaction.Context, revision, path string) (transaction.File, error) {
	content, version, err := s.store.Read(ctx, revision, path)
	return transaction.File{Content: content, Version: version}, err
}
