package reread

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/tree"
)

// keepBuffer is the size up to which a buffer is used again.
const keepBuffer = 256 << 10

// reading is what reading one item gave. It is used for one item after the other.
type reading struct {
	data []byte
	id   tree.Identity
	err  error

	mime    string // by name; "" if no textual one
	byName  bool   // text by name, or declared to be text
	byBytes bool
	same    bool // the bytes are those of the persisted baseline
	before  text.Form
	after   text.Form
	failure error // the store's

	odd    bool // the name can't be written as a path
	former []byte
}

// read reads a regular file. One that isn't text by its name is opened and not read,
// since what can't be opened is said before that (spec §13.4).
func (s *reading) read(r *round, it *item) {
	*s = reading{data: s.data[:0], former: s.former[:0]}
	if cap(s.data) > keepBuffer {
		s.data, s.former = nil, nil
	}
	if it.sight != regular {
		return
	}
	if it.fresh {
		if _, refused := r.refusedNew(it.path); refused {
			return
		}
		if s.odd = !enumerate.Addressable(it.path); s.odd {
			return
		}
	}
	limit := r.env.Bounds.MaxBytesPerFile
	s.mime, s.byName = r.env.Types.Resolve(it.path)
	if s.byName = s.byName || it.file.DeclaredText; !s.byName {
		limit = 0
	}
	buf := s.data
	if s.data, s.id, s.err = r.env.Tree.ReadFile(it.path, limit, buf); s.err != nil {
		s.data = buf
		return
	}
	if s.byBytes = text.Valid(s.data); !s.byBytes || it.fresh || it.wasUnreadable {
		return
	}
	s.compare(r, it)
}

// compare compares with the persisted baseline.
func (s *reading) compare(r *round, it *item) {
	was := it.was.Content
	if s.former, s.failure = r.env.Store.Get(was, s.former); s.failure != nil {
		return
	}
	if s.same = bytes.Equal(s.data, s.former); s.same {
		return
	}
	s.before, _ = text.Detect(s.former)
	s.after, _ = text.Detect(s.data)
}

// vanished says that the file has gone since it was seen.
func (s *reading) vanished() bool { return errors.Is(s.err, tree.ErrAbsent) }

// special says that it isn't a regular file any more.
func (s *reading) special() bool {
	return errors.Is(s.err, tree.ErrLink) || errors.Is(s.err, tree.ErrNotRegular)
}

// refusal is the first reason of spec §13.4, but for policy and bounds, that keeps an
// item out; "" if none does.
func (s *reading) refusal(it *item) (fault.Reason, error) {
	if reason := it.reason(); reason != "" {
		return reason, it.err
	}
	switch {
	case s.odd:
		return reasonUnaddressable, nil
	case errors.Is(s.err, tree.ErrLink):
		return fault.ClassLink, nil
	case errors.Is(s.err, tree.ErrNotRegular):
		return fault.ReasonNotRegular, nil
	case errors.Is(s.err, tree.ErrTooLarge) && s.byName:
		return fault.ReasonMaxBytesPerFile, nil
	case s.err != nil && !errors.Is(s.err, tree.ErrTooLarge):
		return reasonReadError, s.err
	case !s.byName || !s.byBytes:
		return fault.ReasonNonText, nil
	}
	return "", nil
}

// notes compares a known file with its former self (spec §13.8).
func (s *reading) notes(it *item) []Note {
	var notes []Note
	note := func(kind, before, after string) {
		if before != after {
			notes = append(notes, Note{Path: it.path, Kind: kind, Before: before, After: after})
		}
	}
	if !s.same {
		note("encoding", string(s.before.Encoding), string(s.after.Encoding))
		note("bom", strconv.FormatBool(s.before.BOM), strconv.FormatBool(s.after.BOM))
		if s.before.EOL != text.NoEOL && s.after.EOL != text.NoEOL {
			note("eol", string(s.before.EOL), string(s.after.EOL))
		}
		if b, a := s.before.FinalNewline, s.after.FinalNewline; b != nil && a != nil {
			note("finalNewline", strconv.FormatBool(*b), strconv.FormatBool(*a))
		}
	}
	note("mode", fmt.Sprintf("%04o", it.was.ID.Mode), fmt.Sprintf("%04o", s.id.Mode))
	note("owner", owner(it.was.ID), owner(s.id))
	return notes
}

func owner(id tree.Identity) string { return fmt.Sprintf("%d:%d", id.UID, id.GID) }
