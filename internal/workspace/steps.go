package workspace

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/textedit"
)

// ReadLines returns lines start to end of a file, joined with LF (spec §8.2); an end of 0
// is the last line. It refuses with BadArgument not-in-workspace or range.
func (w *Workspace) ReadLines(store content.Store, path string, start, end int) (string, error) {
	f, ok := w.File(path)
	if !ok {
		return "", notInWorkspace(path)
	}
	s, _, err := decoded(store, path, f)
	if err != nil {
		return "", err
	}
	return textedit.ReadLines(path, s, start, end)
}

// Edit applies edits to one file, all or none (spec §8.3). It refuses with BadArgument
// not-in-workspace, StepFailed not-found, ambiguous or non-text, or WorkspaceBounds.
func (w *Workspace) Edit(env Env, path string, edits []textedit.Edit) (*Workspace, error) {
	if _, ok := w.File(path); !ok {
		return nil, notInWorkspace(path)
	}
	batch := w.Batch(env)
	s, _, err := batch.Text(path)
	if err != nil {
		return nil, err
	}
	if s, err = textedit.Apply(path, s, edits); err != nil {
		return nil, err
	}
	if err := batch.Update(path, s); err != nil {
		return nil, err
	}
	return batch.Commit()
}

// ApplyPatch applies the operations of a patch in order on one clone, all or none (spec
// §8.4). It refuses as the primitives do, with not-found or ambiguous for a hunk, or
// with WorkspaceBounds.
func (w *Workspace) ApplyPatch(env Env, ops []applypatch.Operation) (*Workspace, error) {
	batch := w.Batch(env)
	for _, op := range ops {
		if err := batch.patch(op); err != nil {
			return nil, err
		}
	}
	return batch.Commit()
}

func (b *Batch) patch(op applypatch.Operation) error {
	switch op.Kind {
	case applypatch.Add:
		return b.Add(op.Path, op.Text)
	case applypatch.Delete:
		return b.Delete(op.Path)
	}
	if len(op.Hunks) > 0 {
		s, _, err := b.Text(op.Path)
		if err != nil {
			return err
		}
		if s, err = applypatch.ApplyHunks(op.Path, s, op.Hunks); err != nil {
			return b.fail(err)
		}
		if err := b.Update(op.Path, s); err != nil {
			return err
		}
	}
	if op.MoveTo == "" {
		return nil
	}
	return b.Move(op.Path, op.MoveTo)
}

// Output is what a Filter made of one file.
type Output struct {
	Path string
	Data []byte
}

// ApplyFilter gives files the output of a Filter, all or nothing (spec §8.11); output
// that equals the file's bytes changes nothing. changed names the others, in the order
// given. It refuses with StepFailed absent or non-text, or WorkspaceBounds.
func (w *Workspace) ApplyFilter(env Env, outputs []Output) (next *Workspace, changed []string, err error) {
	batch := w.Batch(env)
	for _, o := range outputs {
		was, _ := batch.w.File(o.Path)
		if err := batch.SetBytes(o.Path, o.Data); err != nil {
			return nil, nil, err
		}
		if now, _ := batch.w.File(o.Path); now.Content != was.Content {
			changed = append(changed, o.Path)
		}
	}
	if next, err = batch.Commit(); err != nil {
		return nil, nil, err
	}
	return next, changed, nil
}

func notInWorkspace(path string) *fault.Error {
	return fault.New(fault.BadArgument, fault.ReasonNotInWorkspace, path, "the workspace has no file of exactly this path").
		WithHint("acquire the file, and write its path as it is there")
}

// FormOf returns the form of the text at a place (spec §3.2).
func FormOf(store content.Store, r content.Ref) (text.Form, error) {
	data, err := store.Get(r, nil)
	if err != nil {
		return text.Form{}, err
	}
	form, ok := text.Detect(data)
	if !ok {
		return text.Form{}, fmt.Errorf("content at %d of length %d is no text", r.Off, r.Len)
	}
	return form, nil
}
