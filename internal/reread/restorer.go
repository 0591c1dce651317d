package reread

import (
	"context"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Undo is one thing to put back on disk.
type Undo struct {
	Path string
	// Remove removes a new file. Otherwise Path becomes a regular file with this
	// content, mode and owner; missing directories above it are made.
	Remove  bool
	Content content.Ref
	Attr    tree.Attr
}

// Restorer undoes violations (spec §13.10) by the write route (spec §4.5, §16.6) without
// the question to the policy, in the order given, and makes that durable. It returns for
// each what kept it from being undone, nil if nothing did. It refuses to act on or
// through a link, a directory, or anything else that isn't a regular file, and then
// leaves that as it was.
type Restorer interface {
	Restore(ctx context.Context, undo []Undo) []error
}
