package transaction

import (
	"context"

	"github.com/fettle-dev/fettle/blocks"
)

// ProtocolVersion is the version of the backend contract that this package speaks
// (§ 21.1).
const ProtocolVersion = 1

// Backend is an authority that holds versions of files and publishes new ones. This
// comment is the manual for writing one; package transactiontest holds an
// implementation to it.
//
// A revision is a string that names a state of all paths; a version is a string that
// names the bytes of one path, VersionAbsent if it has none. Both are the backend's own:
// nobody looks into them. The newest revision is called head. Paths are relative,
// slash-separated and clean; they are compared by bytes.
//
// CaptureSnapshot makes the workspace readable and returns the revision to start from.
// What it names doesn't change afterwards, whatever is committed. A Service calls it
// once for an agent that has no view yet.
//
// Head returns the newest revision and has no side effect.
//
// ReadFile returns the exact bytes of a path at a revision, no line end or character
// converted, and their version. A path that has no file there is File{Version:
// VersionAbsent} with nil Content; an empty file has empty Content that is not nil. An
// unknown revision is an error.
//
// Commit checks, in one atomic act, that each changed path still has its expected
// version at head, and then publishes all changes or none. Nil content removes a file; a
// change whose content is what is there already, or whose removal finds nothing, is no
// change. What others published meanwhile to other paths stays. Commit applies
// validation and authorization of its own, and has the view of its agents materialised,
// wherever they read it, before it reports success. It is called even if no change
// changes anything, so that authorization sees the attempt. Its answer is a report:
//
//   - committed, with Commit equal to RepoRevision;
//   - unchanged, with the RepoRevision at which that was found;
//   - stale, with a row for each submitted path whose version is another than expected,
//     its current content and versions, and the RepoRevision that they are of; nothing
//     was written;
//   - failed, with at least one error: a domain refusal; nothing was written;
//   - projection-failed, with the published revision and an error, if everything is
//     published but the workspace could not be brought there. Then Commit must not
//     return an error, and owns the recovery.
//
// An error of Commit says that nothing was published, as far as the backend knows. A
// report may name further statuses of § 16 if its fields fit. Results are filled in by
// the caller. TransactionID is the same for every retry of one message: a backend that
// remembers it can answer a repeated request with the report of the first.
//
// Methods may be called from several goroutines. A context that ends before a
// publication could have happened ends the call; after that it is no reason to fail.
type Backend interface {
	CaptureSnapshot(ctx context.Context, sc Context) (revision string, err error)
	Head(ctx context.Context, sc Context) (revision string, err error)
	ReadFile(ctx context.Context, sc Context, revision, path string) (File, error)
	Commit(ctx context.Context, req CommitRequest) (Report, error)
}

// Versioned is a Backend whose protocol version is known only at run time, as that of
// one at the other end of a connection. A version other than ProtocolVersion, 0 for
// none, refuses every write before anything else is asked (§ 21.1).
type Versioned interface {
	Backend
	ProtocolVersion(ctx context.Context) (int, error)
}

// Context says for whom a backend is asked (§ 21.1).
type Context struct {
	Root    string // of the scope
	Scope   string // its name
	AgentID string
}

// File is what a backend has for one path at one revision.
type File struct {
	Content []byte // nil: there is no file
	Version string // VersionAbsent if there is none
}

// CommitRequest is what a message wants published.
type CommitRequest struct {
	Context       Context
	ViewRevision  string // the base of the agent's view
	TransactionID string
	Changes       []Change // in block order, one for each path, at least one
}

// Change is the resolved content of one file.
type Change struct {
	Path             string
	Mode             blocks.Mode
	Content          []byte // nil removes the file
	ExpectedVersion  string // what it was computed from; VersionAbsent: there was none
	ObservedRevision string // where that was read
	Result           blocks.Result
}

// VersionAbsent is the version of a path that has no file (§ 1.3).
const VersionAbsent = blocks.VersionAbsent

// The values of package blocks that a host meets here.
type (
	// Report is what became of a message (§ 16).
	Report = blocks.Report
	// AbsorbReport is what became of an absorption (§ 29.8).
	AbsorbReport = blocks.AbsorbReport
)
