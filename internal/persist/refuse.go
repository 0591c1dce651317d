package persist

import (
	"errors"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

// drift says that the disk isn't what the run last knew it to be (spec §16.3).
func drift(path, rule string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonDrift, path, "%s", rule).
		WithHint("somebody else changed it; it is left as it is. Run again to start from what is there now")
}

const (
	changedBehind  = "its bytes on disk aren't those that the run last saw there"
	vanishedBehind = "it is gone from the disk, and the run didn't remove it"
	appearedBehind = "something is on disk where the run is to put a file"
)

// ioError is a failure of the disk or of the state, never a refusal.
func ioError(path string, err error, what string) *fault.Error {
	if refused := fault.As(err); refused != nil {
		return refused
	}
	return fault.New(fault.StepFailed, fault.ReasonIO, path, "%s", what).WithCause(err)
}

// looked turns the error of a look at a path into ours; absence is none of them.
func looked(path string, err error) error {
	switch {
	case err == nil || errors.Is(err, tree.ErrAbsent):
		return nil
	case errors.Is(err, tree.ErrLink):
		return fault.New(fault.PathRefused, fault.ClassLink, path, "it is, or runs through, a symbolic link").
			WithHint("nothing is written through a link; name the file by a path without one")
	case errors.Is(err, tree.ErrUnlookable):
		return fault.New(fault.PathRefused, fault.ClassUnreadableComponent, path, "something of the path exists and can't be looked at").
			WithCause(err).WithHint("make it readable for the user that runs this")
	}
	return ioError(path, err, "the disk can't be looked at here")
}

func notDirectory(path, parent string) *fault.Error {
	return fault.New(fault.PathRefused, fault.ClassParentNotDirectory, path, "%s is in its way and is no directory", parent).
		WithHint("write what removes or moves %s first, in a step of its own", parent)
}

// left says that a temporary couldn't be removed or moved on, after err.
func left(path, temp string, err error) *fault.Error {
	return fault.New(fault.StepFailed, reasonOf(err), path, "a temporary is left in the tree, %s", temp).WithCause(err).
		WithHint("what is in it may be the only copy: look at it, then move or remove it by hand")
}

func reasonOf(err error) fault.Reason {
	if e := fault.As(err); e != nil {
		return e.Reason
	}
	return fault.ReasonIO
}
