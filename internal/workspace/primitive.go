package workspace

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
)

// Update gives the file at path a new text, in its own encoding and with its mark. It
// refuses with absent or non-text.
func (b *Batch) Update(path, s string) error {
	_, form, err := b.Text(path)
	if err != nil {
		return err
	}
	data, err := text.Encode(path, s, form)
	if err != nil {
		return b.fail(err)
	}
	return b.set(path, data)
}

// SetBytes gives the file at path new bytes as they are (spec §8.11). It refuses with
// absent or non-text.
func (b *Batch) SetBytes(path string, data []byte) error {
	if b.err != nil {
		return b.err
	}
	if _, ok := b.w.File(path); !ok {
		return b.fail(absent(path))
	}
	if !text.Valid(data) {
		return b.fail(fault.New(fault.StepFailed, fault.ReasonNonText, path, "the new content is no text").
			WithHint("files of a workspace are UTF-8, or UTF-16 with its mark, without NUL"))
	}
	return b.set(path, data)
}

// set keeps the content that is there if it has the same bytes.
func (b *Batch) set(path string, data []byte) error {
	f, _ := b.w.File(path)
	same, err := holds(b.env.Store, f.Content, data)
	if err != nil || same {
		return b.failed(path, err)
	}
	if f.Content, err = b.env.Store.Put(data); err != nil {
		return b.failed(path, err)
	}
	b.w.Put(path, f)
	return nil
}

// Delete removes the file at path; what it occupies on disk is then pending deletion
// (spec §2.4). It refuses with absent.
func (b *Batch) Delete(path string) error {
	if b.err != nil {
		return b.err
	}
	f, ok := b.w.File(path)
	if !ok {
		return b.fail(absent(path))
	}
	b.w.Drop(path)
	if f.Disk != "" {
		b.w.PutPending(f.Disk, PendingDeletion{LastPath: path, Mode: f.Mode})
	}
	return nil
}

// Add makes a new file in UTF-8, under a name without textual type as declaredText
// (spec §8.4). An unreadable path becomes a file again, with its identity. It refuses
// with exists, exists-on-disk or non-text.
func (b *Batch) Add(path, s string) error {
	if b.err != nil {
		return b.err
	}
	if _, ok := b.w.File(path); ok {
		return b.fail(exists(path))
	}
	f := File{Mode: NewFileMode}
	if u, ok := b.w.Unreadable(path); ok {
		b.w.DropUnreadable(path)
		f.Origin, f.Disk, f.Mode = u.Origin, u.Disk, u.Mode
	} else if err := b.free(path); err != nil {
		return b.fail(err)
	}
	data, err := text.Encode(path, s, text.NewFile())
	if err != nil {
		return b.fail(err)
	}
	if f.Content, err = b.env.Store.Put(data); err != nil {
		return b.failed(path, err)
	}
	var textual bool
	if f.MIME, textual = b.env.Types.Resolve(path); !textual {
		f.MIME, f.DeclaredText = text.Plain, true
	}
	b.arrive(path, f)
	return nil
}

// Move gives the file at one path another; it keeps its identity. It refuses with
// absent, exists or exists-on-disk.
func (b *Batch) Move(from, to string) error {
	if b.err != nil {
		return b.err
	}
	f, ok := b.w.File(from)
	if !ok {
		return b.fail(absent(from))
	}
	if _, ok := b.w.File(to); ok {
		return b.fail(exists(to))
	}
	if _, ok := b.w.Unreadable(to); ok {
		return b.fail(onDisk(to, "the file there can't be read"))
	}
	if err := b.free(to); err != nil {
		return b.fail(err)
	}
	b.w.Drop(from)
	b.arrive(to, f)
	return nil
}

// free refuses a path where the disk has something that isn't ours (spec §2.7).
func (b *Batch) free(path string) error {
	if b.w.Ours(path) {
		return nil
	}
	there, err := b.env.OnDisk(path)
	if err != nil {
		return err
	}
	if there {
		return onDisk(path, "the disk has something there that isn't the workspace's")
	}
	return nil
}

// arrive puts a file at its path. One without disk path adopts the slot of a pending
// deletion, with its mode (spec §2.4).
func (b *Batch) arrive(path string, f File) {
	if slot, ok := b.w.Pending(path); ok && f.Disk == "" {
		f.Disk, f.Mode = path, slot.Mode
		b.w.DropPending(path)
	}
	b.w.Put(path, f)
}

func (b *Batch) failed(path string, err error) error {
	if err == nil {
		return nil
	}
	return b.fail(fmt.Errorf("content of %s: %w", path, err))
}

// holds reports whether the content at a place is data.
func holds(store content.Store, r content.Ref, data []byte) (bool, error) {
	if r.Len != int64(len(data)) {
		return false, nil
	}
	have, err := store.Get(r, nil)
	return string(have) == string(data), err
}

func absent(path string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonAbsent, path, "the workspace has no such file").
		WithHint("check the path; it must be acquired, or added before")
}

func exists(path string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonExists, path, "the workspace has such a file already").
		WithHint("update the file, or choose another path")
}

func onDisk(path, rule string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonExistsOnDisk, path, "%s", rule).
		WithHint("choose another path, or acquire the file so that the run may change it")
}
