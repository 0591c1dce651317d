package reread

import (
	"context"
	"fmt"
	"iter"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/inorder"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// reconcile judges all items, reading several at a time, and takes over the results in
// order.
func (r *round) reconcile(ctx context.Context) error {
	list, known := r.items()
	clean := cleanFiles{known: r.p.known, probes: r.probes}
	err := inorder.Run(ctx, len(list),
		func(s *reading, i int) { s.read(r, &list[i]) },
		func(s *reading, i int) error {
			if s.failure != nil {
				return fmt.Errorf("content of %s: %w", list[i].path, s.failure)
			}
			if i < known {
				r.keep(clean.before(list[i].path))
				return r.settle(&list[i], s)
			}
			r.keep(clean.rest())
			return r.admit(&list[i], s)
		})
	if err != nil {
		return err
	}
	if len(list) > 0 { // else nothing has changed, and all fit as they did
		r.keep(clean.rest())
	}
	r.reportViolations()
	return nil
}

// keep gives clean files their room. One that doesn't fit any more, since files before
// it have grown, becomes unreadable as any other (spec §13.6).
func (r *round) keep(clean iter.Seq[string]) {
	for path := range clean {
		f, _ := r.p.workspace.File(path)
		if reason := r.room.refuses(f.Content.Len, r.env.Bounds); reason != "" {
			r.lose(&item{probe: probe{path: path}, file: f}, reason, nil)
			continue
		}
		r.room.add(f.Content.Len)
	}
}

// refuses returns the bound that one more file would exceed, or "".
func (r room) refuses(bytes int64, bounds workspace.Bounds) fault.Reason {
	switch {
	case r.files+1 > bounds.MaxFiles:
		return fault.ReasonMaxFiles
	case r.bytes+bytes > bounds.MaxTotalBytes:
		return fault.ReasonMaxTotalBytes
	}
	return ""
}

// settle takes over what became of a known path.
func (r *round) settle(it *item, s *reading) error {
	if v := r.violations[it.path]; v != nil {
		r.violation(v)
	}
	if it.from != "" {
		r.depart(it)
	}
	if it.sight == absent || s.vanished() {
		r.drop(it)
		return nil
	}
	reason, cause := s.refusal(it)
	if reason == "" {
		reason = r.room.refuses(int64(len(s.data)), r.env.Bounds)
	}
	if reason != "" {
		r.lose(it, reason, cause)
		return nil
	}
	return r.take(it, s)
}

// depart takes a moved file away from its source; it arrives, or is lost, at its
// destination with the identity that it had.
func (r *round) depart(it *item) {
	r.w.Drop(it.from)
	r.b.DropPersisted(it.from)
	r.w.DropUnreadable(it.path)
	r.w.DropPending(it.path)
	it.file.Disk = it.path
	r.change(it.from)
	r.change(it.path)
}

func (r *round) drop(it *item) {
	if it.wasUnreadable {
		r.w.DropUnreadable(it.path)
		r.outcome(it.path, UnreadableClearedAbsent)
		return
	}
	r.w.Drop(it.path)
	r.b.DropPersisted(it.path)
	r.outcome(it.path, DroppedAbsent)
	r.change(it.path)
}

// lose makes a known path unreadable: its identity is kept, its text isn't (spec §2.3).
func (r *round) lose(it *item, reason fault.Reason, cause error) {
	r.w.PutUnreadable(it.path, workspace.Unreadable{
		Origin: it.file.Origin, Disk: it.path, Mode: it.file.Mode, DeclaredText: it.file.DeclaredText,
	})
	r.b.DropPersisted(it.path)
	r.inadmissible(it.path, reason, cause, "it is unreadable now: no step of this run sees it until it is mended")
	if it.wasUnreadable {
		r.outcome(it.path, StillUnreadable)
		return
	}
	if reason == fault.ClassLink {
		r.notes = append(r.notes, Note{Path: it.path, Kind: "link", Before: "regular", After: "link"})
	}
	r.outcome(it.path, Unreadable)
	r.change(it.path)
}

// take admits what a known path holds now.
func (r *round) take(it *item, s *reading) error {
	f := it.file
	if !s.same {
		ref, err := r.env.Store.Put(s.data)
		if err != nil {
			return fmt.Errorf("keep %s: %w", it.path, err)
		}
		f.Content = ref
	}
	f.Mode, f.Disk = s.id.Mode, it.path
	switch {
	case s.mime != "":
		f.MIME = s.mime
	case f.MIME == "":
		f.MIME = text.Plain // declared to be text, and unreadable so far
	}
	r.room.add(f.Content.Len)
	r.w.DropUnreadable(it.path)
	r.w.Put(it.path, f)
	r.b.PutPersisted(it.path, workspace.Persisted{Content: f.Content, ID: s.id})
	switch {
	case it.wasUnreadable:
		r.outcome(it.path, Recovered)
		r.change(it.path)
		return nil
	case it.from != "":
		r.outcome(it.path, Renamed)
	case s.same:
		r.outcome(it.path, Unchanged)
	default:
		r.outcome(it.path, Updated)
		r.change(it.path)
	}
	r.notes = append(r.notes, s.notes(it)...)
	return nil
}

// admit takes over a new file (spec §13.3).
func (r *round) admit(it *item, s *reading) error {
	if rule, refused := r.refusedNew(it.path); refused {
		r.refuseNew(it.path, rule)
		return nil
	}
	if s.vanished() || s.special() {
		return nil // new links and the like are ignored
	}
	reason, cause := s.refusal(it)
	if reason == "" {
		reason = r.room.refuses(int64(len(s.data)), r.env.Bounds)
	}
	if reason != "" {
		r.outcome(it.path, NotAdmitted)
		r.inadmissible(it.path, reason, cause, "it stays on disk and isn't part of the workspace")
		return nil
	}
	ref, err := r.env.Store.Put(s.data)
	if err != nil {
		return fmt.Errorf("keep %s: %w", it.path, err)
	}
	r.room.add(ref.Len)
	r.w.DropPending(it.path)
	r.w.Put(it.path, workspace.File{Content: ref, Mode: s.id.Mode, MIME: s.mime, Disk: it.path})
	r.b.PutPersisted(it.path, workspace.Persisted{Content: ref, ID: s.id})
	r.outcome(it.path, Admitted)
	r.change(it.path)
	return nil
}

func (r *round) outcome(path string, kind OutcomeKind) {
	r.outcomes = append(r.outcomes, Outcome{Path: path, Kind: kind})
}

func (r *round) change(path string) { r.changed = append(r.changed, path) }

func (r *round) report(d diagnostic.Diagnostic) {
	d.Severity = diagnostic.Error
	d.Path = printable(d.Path)
	r.errors = append(r.errors, d)
}
