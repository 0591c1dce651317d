package acquire

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/inorder"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Read reads what was resolved, in parallel, and admits it in path order (spec §9.5,
// §9.6). Errors are *fault.Error, that of the first file in order, or the context's, or
// the store's.
//
// A match of a pattern that has gone since, or is no regular file any more, isn't one.
func (s Source) Read(ctx context.Context, req Request, res *Resolution, store content.Store) (*Result, error) {
	a := &admission{
		req:   req,
		store: store,
		skips: res.skips.clone(),
		result: &Result{
			Workspace:  workspace.New(len(res.targets)),
			Baselines:  workspace.NewBaselines(len(res.targets)),
			Excluded:   res.Excluded,
			Gitignored: res.Gitignored,
		},
	}
	err := inorder.Run(ctx, len(res.targets),
		func(f *file, i int) { f.read(s.Tree, res.targets[i].path, req.Bounds.MaxBytesPerFile) },
		func(f *file, i int) error { return a.admit(res.targets[i], f) })
	if err != nil {
		return nil, err
	}
	a.result.Warnings = append(a.skips.warnings(), res.warnings...)
	return a.result, nil
}

// keepBuffer is the size up to which a buffer is used again.
const keepBuffer = 256 << 10

// file is what reading one file gave. It is used for one after the other.
type file struct {
	data []byte
	id   tree.Identity
	text bool
	err  error
}

func (f *file) read(r tree.Reader, path string, limit int64) {
	buf := f.data
	if cap(buf) > keepBuffer {
		buf = nil
	}
	if f.data, f.id, f.err = r.ReadFile(path, limit, buf[:0]); f.err != nil {
		f.data = buf
		return
	}
	f.text = text.Valid(f.data)
}

// admission collects files in path order.
type admission struct {
	req    Request
	store  content.Store
	skips  skips
	total  int64
	result *Result
}

func (a *admission) admit(t target, f *file) error {
	switch {
	case errors.Is(f.err, tree.ErrTooLarge):
		return a.tooLarge(t.path)
	case f.err != nil && !t.literal && (errors.Is(f.err, tree.ErrAbsent) || errors.Is(f.err, tree.ErrLink) || errors.Is(f.err, tree.ErrNotRegular)):
		return nil
	case f.err != nil:
		return refuseLook(t.path, f.err)
	case !f.text && (t.literal || a.req.OnNonText == Fail):
		return refuseNonText(t.path, "its bytes are neither UTF-8 nor UTF-16 with its mark, or hold NUL")
	case !f.text:
		a.skips.add(NonText, t.path)
		return nil
	}
	if a.total += int64(len(f.data)); a.total > a.req.Bounds.MaxTotalBytes {
		refusal := a.req.Bounds.TotalTooLarge(a.total)
		refusal.Path = t.path
		return refusal
	}
	ref, err := a.store.Put(f.data)
	if err != nil {
		return fmt.Errorf("keep %s: %w", t.path, err)
	}
	a.result.Workspace.Put(t.path, workspace.File{Content: ref, Mode: f.id.Mode, MIME: t.mime, Origin: t.path, Disk: t.path})
	a.result.Baselines.PutAcquired(t.path, ref)
	a.result.Baselines.PutPersisted(t.path, workspace.Persisted{Content: ref, ID: f.id})
	return nil
}

func (a *admission) tooLarge(path string) error {
	return fault.New(fault.WorkspaceBounds, fault.ReasonMaxBytesPerFile, path,
		"the file is larger than bounds.maxBytesPerFile, which is %d", a.req.Bounds.MaxBytesPerFile).
		WithHint("exclude the file, or raise bounds.maxBytesPerFile")
}
