// Package mem is a backend of block transactions that keeps everything in memory: for
// tests, and as the shortest example of the contract that package transaction's Backend
// describes. Nothing of it survives its process.
package mem

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
)

// Backend holds all revisions of one set of files, whatever scope it is asked about. It
// is safe for concurrent use.
type Backend struct {
	mu        sync.Mutex
	revisions []files // of r0, r1, …
	commits   []commit
	settled   map[string]settled
}

// files are the contents of one revision, never changed once they are there.
type files map[string][]byte

// commit is what made a revision.
type commit struct {
	agent string
	paths map[string]bool
}

// settled is a transaction that was published.
type settled struct {
	request [sha256.Size]byte
	report  transaction.Report
}

var _ transaction.Backend = (*Backend)(nil)

// New returns a backend whose first revision has these files. Their contents aren't
// copied and must not be changed.
func New(first map[string][]byte) *Backend {
	return &Backend{revisions: []files{maps.Clone(first)}, commits: []commit{{}}, settled: map[string]settled{}}
}

// CaptureSnapshot implements transaction.Backend.
func (b *Backend) CaptureSnapshot(ctx context.Context, sc transaction.Context) (string, error) {
	return b.Head(ctx, sc)
}

// Head implements transaction.Backend.
func (b *Backend) Head(ctx context.Context, _ transaction.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head(), ctx.Err()
}

func (b *Backend) head() string { return "r" + strconv.Itoa(len(b.revisions)-1) }

// ReadFile implements transaction.Backend.
func (b *Backend) ReadFile(ctx context.Context, _ transaction.Context, revision, path string) (transaction.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.number(revision)
	if err != nil {
		return transaction.File{}, err
	}
	return b.revisions[n].file(path), ctx.Err()
}

func (b *Backend) number(revision string) (int, error) {
	for n := range b.revisions {
		if "r"+strconv.Itoa(n) == revision {
			return n, nil
		}
	}
	return 0, fmt.Errorf("unknown revision %q", revision)
}

func (f files) file(path string) transaction.File {
	content, ok := f[path]
	if !ok {
		return transaction.File{Version: transaction.VersionAbsent}
	}
	sum := sha256.Sum256(content)
	return transaction.File{Content: append([]byte{}, content...), Version: hex.EncodeToString(sum[:])}
}

// Commit implements transaction.Backend. A request that was published before, under the
// same id, is answered as the first time.
func (b *Backend) Commit(ctx context.Context, req transaction.CommitRequest) (transaction.Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return transaction.Report{}, err
	}
	digest := digestOf(req)
	if old, ok := b.settled[req.TransactionID]; ok && req.TransactionID != "" {
		if old.request != digest {
			return transaction.Report{}, fmt.Errorf("transaction id %q was used for another request", req.TransactionID)
		}
		return old.report, nil
	}
	head := b.revisions[len(b.revisions)-1]
	if stale := b.stale(head, req.Changes); len(stale) > 0 {
		return transaction.Report{Status: blocks.StatusStale, RepoRevision: b.head(), StaleFiles: stale}, nil
	}
	next, changed := head.apply(req.Changes)
	if len(changed) == 0 {
		return transaction.Report{Status: blocks.StatusUnchanged, RepoRevision: b.head()}, nil
	}
	b.revisions = append(b.revisions, next)
	b.commits = append(b.commits, commit{agent: req.Context.AgentID, paths: changed})
	report := transaction.Report{Status: blocks.StatusCommitted, Commit: b.head(), RepoRevision: b.head()}
	b.settled[req.TransactionID] = settled{digest, report}
	return report, nil
}

// stale returns a row for each path that isn't what it was computed from.
func (b *Backend) stale(head files, changes []transaction.Change) []blocks.StaleFile {
	var rows []blocks.StaleFile
	for _, c := range changes {
		now := head.file(c.Path)
		if now.Version == c.ExpectedVersion {
			continue
		}
		rows = append(rows, blocks.StaleFile{
			Path: c.Path, Content: now.Content, FileVersion: now.Version, ObservedVersion: c.ExpectedVersion,
			RepoRevision: b.head(), ChangesSinceRead: b.changesSince(c.ObservedRevision, c.Path),
		})
	}
	return rows
}

// changesSince returns the revisions that changed a path, newest first.
func (b *Backend) changesSince(revision, path string) []blocks.Change {
	first, err := b.number(revision)
	if err != nil {
		return nil
	}
	var changes []blocks.Change
	for n := len(b.commits) - 1; n > first; n-- {
		if b.commits[n].paths[path] {
			changes = append(changes, blocks.Change{Commit: "r" + strconv.Itoa(n), Agent: b.commits[n].agent})
		}
	}
	return changes
}

// apply returns the files after changes, and the paths that are different then.
func (f files) apply(changes []transaction.Change) (files, map[string]bool) {
	next, changed := maps.Clone(f), map[string]bool{}
	for _, c := range changes {
		before, there := f[c.Path]
		switch {
		case c.Content == nil && there:
			delete(next, c.Path)
		case c.Content != nil && (!there || !bytes.Equal(before, c.Content)):
			if next == nil {
				next = files{}
			}
			next[c.Path] = c.Content
		default:
			continue
		}
		changed[c.Path] = true
	}
	return next, changed
}

// digestOf tells requests apart.
func digestOf(req transaction.CommitRequest) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", req.Context, req.ViewRevision)
	for _, c := range req.Changes {
		fmt.Fprintf(h, "%q %q %v %q %q %q\n", c.Path, c.Mode, c.Content == nil, c.Content, c.ExpectedVersion, c.ObservedRevision)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
