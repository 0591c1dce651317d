package workspace

import (
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Env is what the steps of ours need besides the workspace.
type Env struct {
	Store content.Store
	// OnDisk reports whether the disk holds anything at a path (spec §2.8); Exists
	// asks a tree.
	OnDisk func(path string) (bool, error)
	Types  *text.Types
	Bounds Bounds
}

// Exists returns an Env.OnDisk that looks at a tree without following links. What runs
// through a link, or can't be looked at, is PathRefused.
func Exists(r tree.Reader) func(path string) (bool, error) {
	return func(path string) (bool, error) {
		_, err := r.Stat(path)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, tree.ErrAbsent):
			return false, nil
		case errors.Is(err, tree.ErrLink):
			return false, fault.New(fault.PathRefused, fault.ClassLink, path, "the path runs through a symbolic link").
				WithHint("name the file by a path without links")
		case errors.Is(err, tree.ErrUnlookable):
			return false, fault.New(fault.PathRefused, fault.ClassUnreadableComponent, path,
				"a directory of the path can't be looked at").WithCause(err)
		}
		return false, fault.New(fault.StepFailed, fault.ReasonIO, path, "the disk can't be looked at here").WithCause(err)
	}
}

// Batch applies primitive operations to a clone of a workspace (spec §2.8). The first
// that is refused ends the batch: it and everything after it, Commit included, returns
// its error, and the workspace it was made from is as it was. Errors are *fault.Error
// of kind StepFailed unless said otherwise.
type Batch struct {
	w   *Workspace
	env Env
	err error
}

// Batch begins a batch.
func (w *Workspace) Batch(env Env) *Batch { return &Batch{w: w.Clone(), env: env} }

// Commit returns the workspace with all operations applied, or WorkspaceBounds if it
// exceeds a bound (spec §7.2). The batch must not be used afterwards.
func (b *Batch) Commit() (*Workspace, error) {
	if b.err != nil {
		return nil, b.err
	}
	if err := b.env.Bounds.Check(b.w); err != nil {
		return nil, err
	}
	return b.w, nil
}

// Text returns the characters of a file as the batch has it, and its form.
func (b *Batch) Text(path string) (string, text.Form, error) {
	if b.err != nil {
		return "", text.Form{}, b.err
	}
	f, ok := b.w.File(path)
	if !ok {
		return "", text.Form{}, b.fail(absent(path))
	}
	s, form, err := decoded(b.env.Store, path, f)
	if err != nil {
		return "", text.Form{}, b.fail(err)
	}
	return s, form, nil
}

func decoded(store content.Store, path string, f File) (string, text.Form, error) {
	data, err := store.Get(f.Content, nil)
	if err != nil {
		return "", text.Form{}, fmt.Errorf("content of %s: %w", path, err)
	}
	s, form, ok := text.Decode(data)
	if !ok {
		return "", text.Form{}, fmt.Errorf("content of %s: the store gave back bytes that are no text", path)
	}
	return s, form, nil
}

func (b *Batch) fail(err error) error {
	b.err = err
	return err
}
