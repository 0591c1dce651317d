// Package store is the Git backend of block transactions (spec §§ 11.7, 12-15, 29): a
// private bare repository beside a directory, in which one ref says what is published.
//
// All that changes anything happens under one lock: what was published and not yet
// written to the directory is finished first; then a proposal is judged against head
// and the disk, becomes a commit on top of head, moves the ref by compare-and-swap and
// is written to the directory. A process may be killed at any point: the next one
// finishes what was published and takes the lock of the dead one at once.
//
// It refuses whatever would lose somebody's work: a proposal computed from older bytes
// than head's, or over bytes of the disk that nobody published. It never follows a
// link, never touches anything named .git, and runs nothing that it finds.
package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/disk"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// Options say where a store is and how it works. Every field but Private, DeadOwners,
// OwnerName and Probe must be set.
type Options struct {
	Root string // the directory: absolute, clean, without links
	Dir  string // the repository, outside Root
	Temp string // staging, outside Root

	CanonicalRef string        // what is published (§ 12.3)
	MaxSwaps     int           // compare-and-swaps tried in all (§ 10.7)
	TempKeep     int           // temp files of dead owners that are kept (§ 14.5)
	Wait         time.Duration // how long to contend (§ 14.3)
	Config       blocks.Config // for the sizes of § 5.5 and collisions of § 4.2

	Private    string   // a path below Root that is in no baseline (§ 25.1), "" for none
	DeadOwners []string // owners of other hosts that are known to be dead (§ 14.2)
	OwnerName  string   // FETTLE_OWNER
	Environ    []string // the environment to inherit from

	Now   func() time.Time
	Probe Probe // for tests
}

// Probe is called at points between the steps of an operation, so that a test can let
// something happen there. path is that of the file to be replaced, or empty.
type Probe func(at Point, path string)

// Point is a place in an operation.
type Point string

// The points, in the order in which a transaction passes them.
const (
	AfterLock     Point = "after-lock"
	BeforeSwap    Point = "before-swap"    // before each try to move the canonical ref
	AfterSwap     Point = "after-swap"     // published
	BeforeReplace Point = "before-replace" // before each file of the directory is replaced
	BeforeCursor  Point = "before-cursor"  // all files are replaced
)

// The refs of a store beside the canonical one.
const (
	refLock      = "refs/fettle/lock"
	refCursor    = "refs/fettle/projected"
	refBootstrap = "refs/fettle/bootstrap"
	refViews     = "refs/fettle/views/"
)

// Store is a store that may not have been created yet. It is safe for concurrent use.
type Store struct {
	Options
	repo *git.Repo
	disk *disk.Disk
	self owner.Owner
	turn chan struct{} // holds a token while nobody of this process works
}

// Open returns the store of a directory. It creates nothing.
func Open(o Options) (*Store, error) {
	for name, dir := range map[string]string{"the store": o.Dir, "FETTLE_TMP, the directory for temporary files": o.Temp} {
		if dir == o.Root || strings.HasPrefix(dir, strings.TrimSuffix(o.Root, "/")+"/") {
			return nil, fmt.Errorf("%s, %q, must lie outside the root %q", name, dir, o.Root)
		}
	}
	if !strings.HasPrefix(o.CanonicalRef, "refs/") || strings.HasPrefix(o.CanonicalRef, "refs/fettle/") {
		return nil, fmt.Errorf("canonicalRef: %q: must begin with refs/ and not lie below refs/fettle/", o.CanonicalRef)
	}
	self, err := owner.Current(o.OwnerName)
	if err != nil {
		return nil, err
	}
	d, err := disk.Open(o.Root, o.Temp, self)
	if err != nil {
		return nil, err
	}
	s := &Store{Options: o, repo: git.Open(o.Dir, o.Environ), disk: d, self: self, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s, nil
}

// Close lets go of what the store holds open.
func (s *Store) Close() error { return errors.Join(s.repo.Close(), s.disk.Close()) }

// Exists reports whether the store has been created. Something else in its place is an
// error.
func (s *Store) Exists() (bool, error) { return s.repo.Exists() }

func (s *Store) probe(at Point, path string) {
	if s.Probe != nil {
		s.Probe(at, path)
	}
}

// head is the newest published commit.
type head struct {
	id git.ID
	git.CommitInfo
}

// ErrDamaged says that the store doesn't hold what it must.
var ErrDamaged = errors.New("the store is damaged")

// readHead reads the canonical ref. One that names no commit is damage (§ 12.7).
func (s *Store) readHead() (head, error) {
	id, c, err := s.repo.ReadCommit(s.CanonicalRef)
	if err != nil {
		return head{}, fmt.Errorf("%w: %s: %w", ErrDamaged, s.CanonicalRef, err)
	}
	return head{id, c}, nil
}

// Head returns the id of the newest published commit. It has no side effect.
func (s *Store) Head(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	h, err := s.readHead()
	return string(h.id), err
}

// Read returns the bytes of path at a revision, nil if it has none there, and their
// version. The blob of a link is where it points.
func (s *Store) Read(ctx context.Context, revision, path string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if !git.ID(revision).Valid() {
		return nil, "", fmt.Errorf("revision %q: is no commit id", revision)
	}
	_, c, err := s.repo.ReadCommit(revision)
	if err != nil {
		return nil, "", err
	}
	e, _, err := s.repo.Trees().Lookup(c.Tree, path)
	if err != nil {
		return nil, "", err
	}
	return s.content(e)
}

// content returns the bytes of an entry and their version.
func (s *Store) content(e git.Entry) ([]byte, string, error) {
	if version(e) == blocks.VersionAbsent {
		return nil, blocks.VersionAbsent, nil
	}
	_, o, err := s.repo.Read(string(e.ID))
	if err != nil {
		return nil, "", err
	}
	if o.Data == nil {
		o.Data = []byte{}
	}
	return o.Data, string(e.ID), nil
}

// version names the bytes of an entry (§ 1.3). A directory has none.
func version(e git.Entry) string {
	if !e.Exists() || e.Mode == git.ModeTree {
		return blocks.VersionAbsent
	}
	return string(e.ID)
}

// Observed returns what an agent has seen of a path: the blob of the version that it
// was told, otherwise what the revision has.
func (s *Store) Observed(ctx context.Context, path, told, revision string) ([]byte, string, error) {
	switch {
	case told == blocks.VersionAbsent:
		return nil, told, nil
	case git.ID(told).Valid():
		if _, o, err := s.repo.Read(told); err == nil && o.Kind == git.Blob {
			return append([]byte{}, o.Data...), told, nil
		}
	}
	return s.Read(ctx, revision, path)
}
