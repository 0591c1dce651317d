package persist

import (
	"bytes"
	"errors"

	"github.com/fettle-dev/fettle/internal/tree"
)

// verify compares what a path holds with what is expected and returns the identity of
// the file there, nil if nothing is. A difference is drift, a link PathRefused.
func (wr *Writer) verify(path string, want Expected) (*tree.Identity, error) {
	if want.Want == Bytes || want.Want == BytesOrNothing {
		return wr.verifyBytes(path, want)
	}
	id, err := wr.Tree.Stat(path)
	if err == nil && id.Kind == tree.Link {
		err = tree.ErrLink
	}
	switch {
	case errors.Is(err, tree.ErrAbsent):
		return nil, nil
	case err != nil:
		return nil, looked(path, err)
	case want.Want == Nothing:
		return nil, drift(path, appearedBehind)
	case id.Kind != tree.Regular:
		return nil, drift(path, "it is no regular file any more")
	}
	return &id, nil
}

func (wr *Writer) verifyBytes(path string, want Expected) (*tree.Identity, error) {
	was, err := wr.Store.Get(want.Content, nil)
	if err != nil {
		return nil, ioError(path, err, "its baseline can't be had from the store")
	}
	is, id, err := wr.Tree.ReadFile(path, want.Content.Len, make([]byte, 0, want.Content.Len+1))
	switch {
	case errors.Is(err, tree.ErrTooLarge), errors.Is(err, tree.ErrNotRegular):
		return nil, drift(path, changedBehind)
	case errors.Is(err, tree.ErrAbsent) && want.Want == BytesOrNothing:
		return nil, nil
	case errors.Is(err, tree.ErrAbsent):
		return nil, drift(path, vanishedBehind)
	case err != nil:
		return nil, looked(path, err)
	case !bytes.Equal(is, was):
		return nil, drift(path, changedBehind)
	}
	return &id, nil
}
