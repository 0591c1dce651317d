package runtime

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/plan"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// Interceptor stands around every step of a run (spec §20). A host program hands one
// over at construction; nothing else configures it.
type Interceptor interface {
	// Intercept is called instead of each step. It calls run exactly once, or returns a
	// replacement of the workspace and doesn't call it. What run returns is the step's
	// error; Intercept may return it, or nil, which doesn't undo the failure.
	Intercept(ctx context.Context, step plan.Step, before View, run func() (View, error)) (*View, error)
}

// View is what steps, interceptors and reports see of a workspace (spec §2.2).
type View struct {
	Files            map[string]ViewFile
	Unreadable       []string
	Token            string
	Diagnostics      []diagnostic.Diagnostic
	Renames          map[string]string
	PersistedPaths   map[string]string
	PendingDeletions []workspace.Deletion
	Recreated        []string
}

// ViewFile is a file of a View.
type ViewFile struct {
	Text     string
	MIMEType string
}

// mint issues a new token: disk and workspace have moved together (spec §20).
func (x *execution) mint() error {
	var b [16]byte
	if _, err := io.ReadFull(x.Random, b[:]); err != nil {
		return fmt.Errorf("draw a token: %w", err)
	}
	x.token = hex.EncodeToString(b[:])
	return nil
}

// intercepted runs a step through the interceptor, if there is one.
func (x *execution) intercepted(ctx context.Context, step plan.Step, run func() error) error {
	if x.Intercept == nil {
		return run()
	}
	before, err := x.view()
	if err != nil {
		return err
	}
	calls := 0
	var failure error
	replacement, err := x.Intercept.Intercept(ctx, step, before, func() (View, error) {
		if calls++; calls > 1 {
			return View{}, interceptorFault("the interceptor called the step twice")
		}
		if failure = run(); failure != nil {
			return View{}, failure
		}
		return x.view()
	})
	switch {
	case failure != nil:
		return failure
	case calls > 1:
		return interceptorFault("the interceptor called the step twice")
	case err != nil:
		return interceptorFault("the interceptor failed").WithCause(err)
	case (calls == 1) == (replacement != nil):
		return interceptorFault("the interceptor must either call the step or replace the workspace")
	case replacement != nil:
		return x.replace(*replacement)
	}
	return nil
}

func interceptorFault(message string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonInterceptor, "", "%s", message)
}

// view renders the workspace as others see it.
func (x *execution) view() (View, error) {
	w := x.books.Workspace
	v := View{
		Files: make(map[string]ViewFile, w.Len()), Unreadable: w.UnreadablePaths(), Token: x.token,
		Diagnostics: slices.Clone(x.report.Diagnostics), Renames: w.Renames(), PersistedPaths: w.PersistedPaths(),
		PendingDeletions: w.PendingDeletions(), Recreated: w.Recreated(x.books.Baselines),
	}
	for path, f := range w.All() {
		data, err := x.State.Store().Get(f.Content, nil)
		if err != nil {
			return View{}, fmt.Errorf("content of %s: %w", path, err)
		}
		s, _, _ := text.Decode(data) // what is in the workspace is text
		v.Files[path] = ViewFile{Text: s, MIMEType: f.MIME}
	}
	return v, nil
}

// replace takes over a workspace from an interceptor (spec §20). Files keep their
// identity by the maps of the view; baselines stay.
func (x *execution) replace(v View) error {
	if v.Token != x.token {
		return fault.New(fault.StepFailed, fault.ReasonStaleToken, "", "the replacement's token isn't the current one of this run").
			WithHint("replace the workspace that the interceptor was shown last")
	}
	old := x.books.Workspace
	next := workspace.New(len(v.Files))
	kept := map[string]bool{}
	for path, file := range v.Files {
		f, err := x.replaced(path, file, v)
		if err != nil {
			return err
		}
		if f.Disk != "" {
			kept[f.Disk] = true
		}
		next.Put(path, f)
	}
	for _, path := range v.Unreadable {
		u, ok := old.Unreadable(path)
		if !ok {
			return interceptorFault(fmt.Sprintf("the replacement calls %q unreadable, which it isn't", path))
		}
		next.PutUnreadable(path, u)
	}
	for _, d := range v.PendingDeletions {
		if err := keepPending(old, next, d); err != nil {
			return err
		}
	}
	for path, f := range old.All() {
		if _, pending := next.Pending(f.Disk); f.Disk != "" && !kept[f.Disk] && !pending {
			next.PutPending(f.Disk, workspace.PendingDeletion{LastPath: path, Mode: f.Mode})
		}
	}
	if err := x.Acquire.Bounds.Check(next); err != nil {
		return err
	}
	x.books.Workspace = next
	return nil
}

// replaced is a file of a replacement: identity by disk path, then by origin.
func (x *execution) replaced(path string, file ViewFile, v View) (workspace.File, error) {
	f := workspace.File{Mode: workspace.NewFileMode, MIME: file.MIMEType}
	form := text.NewFile()
	if disk, ok := v.PersistedPaths[path]; ok {
		key, known := x.books.Workspace.AtDisk(disk)
		was, isFile := x.books.Workspace.File(key)
		if !known || !isFile {
			return f, interceptorFault(fmt.Sprintf("the replacement says that %q is on disk at %q, which this run doesn't know", path, disk))
		}
		f.Disk, f.Mode, f.Origin, f.DeclaredText = disk, was.Mode, was.Origin, was.DeclaredText
		var err error
		if form, err = workspace.FormOf(x.State.Store(), was.Content); err != nil {
			return f, err
		}
	}
	if origin, ok := v.Renames[path]; ok {
		if _, acquired := x.books.Baselines.Acquired(origin); !acquired {
			return f, interceptorFault(fmt.Sprintf("the replacement says that %q was %q, which was never acquired", path, origin))
		}
		f.Origin = origin
	}
	data, err := text.Encode(path, file.Text, form)
	if err != nil {
		return f, err
	}
	f.Content, err = x.State.Store().Put(data)
	return f, err
}

func keepPending(old, next *workspace.Workspace, d workspace.Deletion) error {
	p, ok := old.Pending(d.Disk)
	if !ok {
		return interceptorFault(fmt.Sprintf("the replacement deletes %q, which isn't pending deletion", d.Disk))
	}
	next.PutPending(d.Disk, p)
	return nil
}
