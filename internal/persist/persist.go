// Package persist brings a workspace to disk: the write step (runtime spec §16).
//
// It plans purely, looks at everything before it touches anything, and then works
// through a list of operations that stands in a journal: moves, deletions, contents.
// Each is checked right before, done atomically and booked right after; one batched
// sync makes all of them durable. After a kill the journal's entry is replayed.
//
// It refuses links, what the policy refuses, and disk files that aren't what the run
// last knew them to be: changes of others are never overwritten. What an exchange
// brought out is compared before it is removed, so not even one made in between is
// lost. It never touches a file that isn't the workspace's.
package persist

import (
	"context"
	"io"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Journal keeps the entry of a write that is under way (spec §16.6).
type Journal interface {
	// Begin makes durable, outside the tree, the books as they are before ops, the
	// contents that ops name, and an entry with ops. The caller of Write closes the
	// entry, by storing the books that Write left, if Result.Durable.
	Begin(ops []Op) error
}

// Writer does write steps. Its fields are needed unless said otherwise.
type Writer struct {
	Tree    tree.Tree
	Store   content.Store
	Policy  policy.Source // asked anew before every operation (spec §6.5)
	Journal Journal       // nil: nothing is journalled, as for a copy that is thrown away
	Random  io.Reader     // gives temporary names
	Observe func(Op)      // nil, or told of each operation before it is tried
}

// Books are what a write changes, each part right after its operation (spec §16.5).
type Books struct {
	Workspace *workspace.Workspace
	Baselines *workspace.Baselines
	Written   []string // of the run: rename destinations and content paths, each once, in order

	isWritten map[string]bool // Written as a set, once it is needed
}

// Result says what a write did, also when it failed.
type Result struct {
	Written []string // what this write completed, of the same kind as Books.Written
	Owners  []Owner  // files whose owner couldn't be kept, in order of execution
	// Durable says that what was done is durable, or nothing was done. If it is false
	// there is an error, and the journal's entry must stay open.
	Durable bool
}

// Owner is an identity note of kind owner (spec §13.8): user and group as "1000:1000".
type Owner struct {
	Path   string
	Before string
	After  string
}

// Write brings to disk what is pending in the books, or of that what selected accepts,
// closed so that nothing is overwritten whose only copy is on disk (spec §16.2); a nil
// selected accepts everything. An error is a *fault.Error: PathRefused or StepFailed,
// with what was written. Nothing is rolled back; the books say what the disk holds.
func (wr *Writer) Write(ctx context.Context, books *Books, selected func(path string) bool) (Result, error) {
	plan, err := pendingOf(wr.Store, books.Workspace, books.Baselines)
	if err != nil {
		return Result{Durable: true}, ioError("", err, "what is to be written can't be told")
	}
	if selected != nil {
		plan = plan.narrow(books.Workspace, selected)
	}
	ops, err := wr.order(plan, books)
	if err != nil || len(ops) == 0 {
		return Result{Durable: true}, err
	}
	if err := wr.preflight(ops); err != nil {
		return Result{Durable: true}, err
	}
	if wr.Journal != nil {
		if err := wr.Journal.Begin(ops); err != nil {
			return Result{Durable: true}, ioError("", err, "the journal can't be written")
		}
	}
	return wr.session(books).run(ctx, ops)
}
