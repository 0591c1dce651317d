// Package reread finds out from the disk itself what an in-place invocation did, and
// reconciles the workspace with it (runtime spec §12, §13, §14).
//
// Prepare says before the invocation which files it is given and which are withheld;
// Snapshot, what is there before it; Reread, what is there after it, whatever the tool
// says and however it ended. A file is taken as unchanged without reading it only where
// its stat identity proves that (see Snapshot).
//
// It looks at the envelope of the invocation and at nothing else, follows no link, and
// changes nothing on disk but what a policy's onViolation: Restore has undone through a
// Restorer. What it finds is never an error; only its own store can fail it.
package reread

import (
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Env is what all invocations of a run have in common.
type Env struct {
	Tree    tree.Reader
	Store   content.Store
	Policy  policy.Source
	Types   *text.Types
	Bounds  workspace.Bounds
	Exclude glob.Exclusion
	// Gitignore is nil unless the pipeline respects what Git ignores and the driver
	// offers it (spec §5.7).
	Gitignore enumerate.Gitignore
	// Restorer undoes violations where the policy says so; nil undoes nothing.
	Restorer Restorer
	// BeforeRestore is told which violations are about to be undone, so that an
	// attempt that dies half-way isn't forgotten: see End.Undone. Nil is fine; an
	// error leaves everything as it was found.
	BeforeRestore func([]Violation) error
	// Now tells the time of the tree's own file system, as a change made there now
	// would be stamped, in nanoseconds since the epoch. Where it is nil, or fails, the
	// newest stamp that is seen stands for it, which errs to reading more.
	Now func() (int64, error)
	// FullCompare reads every file instead of trusting identities: for file systems
	// whose stamps aren't known to be kept, and while something that an earlier tool
	// left behind may still write.
	FullCompare bool
}

// Invocation is what the rules of this package ask of one in-place invocation.
type Invocation struct {
	Engine   string       // its id, for messages
	Scope    glob.Entries // nil: none declared, everything
	Selector glob.Entries // nil: none
	ReadOnly bool         // a check, or a lint that doesn't fix (spec §8.10)
}

// End is how an invocation ended, and what it and its façade say about it.
type End struct {
	// Reason is empty if it ended well, else engine-error, deadline, crash or
	// cancelled (spec §12.6); Cause says more.
	Reason fault.Reason
	Cause  error
	// Alive says that something of the tool may still run: every file is then read.
	Alive bool
	// Moves is the façade's rename record, source to destination (spec §11.5).
	Moves map[string]string
	// Claims is the advisory delta as the engine sent it, nil if it sent none; nothing
	// is compared then (spec §14).
	Claims []byte
	// Undone are violations that an earlier attempt at this re-read was about to undo:
	// they happened, even if nothing of them is to be seen any more.
	Undone []Violation
}

// region is scope and selector as one.
func (inv Invocation) region() *glob.Region {
	scope := inv.Scope
	if scope == nil {
		scope = glob.Everything()
	}
	return glob.NewRegion(scope, inv.Selector)
}
