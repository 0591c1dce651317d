package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/linediff"
	"github.com/fettle-dev/fettle/internal/text"
)

// Row is one change of the final workspace against the acquisition baseline (spec §17).
type Row struct {
	Path         string `json:"path"`
	Kind         Kind   `json:"kind"`
	From         string `json:"from,omitempty"` // acquisition path, iff Kind is Renamed
	LinesAdded   int    `json:"linesAdded"`
	LinesRemoved int    `json:"linesRemoved"`
	BytesBefore  int64  `json:"bytesBefore"`
	BytesAfter   int64  `json:"bytesAfter"`
	Class        Class  `json:"class,omitempty"`
	// Inexact is set where the texts are so large and so different that moved lines
	// count as kept.
	Inexact bool `json:"inexact,omitempty"`
}

// Kind of a Row.
type Kind string

// The kinds of spec §17.2.
const (
	Added    Kind = "added"
	Modified Kind = "modified"
	Renamed  Kind = "renamed"
	Deleted  Kind = "deleted"
)

// Class says that a change of content is less than it looks (spec §17.3).
type Class string

// The classes of spec §17.3.
const (
	EOLOnly        Class = "eolOnly"
	WhitespaceOnly Class = "whitespaceOnly"
)

// Account returns the rows of a workspace, sorted by path, at most one for each path
// (spec §17). It reads the contents of changed files only, workers at a time.
func Account(store content.Store, w *Workspace, b *Baselines, workers int) ([]Row, error) {
	changes, err := changed(store, w, b)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(changes))
	errs := make([]error, len(changes))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(max(workers, 1), len(changes)) {
		group.Go(func() {
			for i := range next {
				rows[i], errs[i] = changes[i].row(store)
			}
		})
	}
	for i := range changes {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// fileChange is a row before its contents are read. A side that isn't there has length 0.
type fileChange struct {
	path, from    string
	kind          Kind
	before, after content.Ref
}

// changed returns what there is to account for, sorted by path.
func changed(store content.Store, w *Workspace, b *Baselines) ([]fileChange, error) {
	var list []fileChange
	kept := map[string]bool{} // acquisition paths that live on elsewhere
	for path, f := range w.All() {
		was, _ := b.Acquired(f.Origin)
		switch {
		case f.Origin == "":
			list = append(list, fileChange{path: path, kind: Added, after: f.Content})
		case f.Origin != path:
			kept[f.Origin] = true
			list = append(list, fileChange{path: path, from: f.Origin, kind: Renamed, before: was, after: f.Content})
		default:
			same, err := content.Equal(store, was, f.Content)
			if err != nil {
				return nil, fmt.Errorf("content of %s: %w", path, err)
			}
			if !same {
				list = append(list, fileChange{path: path, kind: Modified, before: was, after: f.Content})
			}
		}
	}
	for path, u := range w.unreadable {
		kept[path], kept[u.Origin] = true, true
	}
	for path, was := range b.AllAcquired() {
		if _, ok := w.files.get(path); !ok && !kept[path] {
			list = append(list, fileChange{path: path, kind: Deleted, before: was})
		}
	}
	slices.SortFunc(list, func(x, y fileChange) int { return strings.Compare(x.path, y.path) })
	return list, nil
}

func (c fileChange) row(store content.Store) (Row, error) {
	row := Row{
		Path: c.path, Kind: c.kind, From: c.from,
		BytesBefore: c.before.Len, BytesAfter: c.after.Len,
	}
	if c.before == c.after {
		return row, nil
	}
	before, after, err := c.contents(store)
	if err != nil || bytes.Equal(before, after) {
		return row, err
	}
	textBefore, formBefore, okBefore := text.Decode(before)
	textAfter, formAfter, okAfter := text.Decode(after)
	if !okBefore || !okAfter {
		return row, fmt.Errorf("content of %s: the store gave back bytes that are no text", c.path)
	}
	stat := linediff.Count([]byte(textBefore), []byte(textAfter))
	row.LinesAdded, row.LinesRemoved, row.Inexact = stat.Added, stat.Removed, !stat.Exact
	if (c.kind == Modified || c.kind == Renamed) &&
		formBefore.Encoding == formAfter.Encoding && formBefore.BOM == formAfter.BOM {
		row.Class = classify(textBefore, textAfter)
	}
	return row, nil
}

func (c fileChange) contents(store content.Store) (before, after []byte, err error) {
	if before, err = store.Get(c.before, nil); err != nil {
		return nil, nil, fmt.Errorf("baseline of %s: %w", c.path, err)
	}
	if after, err = store.Get(c.after, nil); err != nil {
		return nil, nil, fmt.Errorf("content of %s: %w", c.path, err)
	}
	return before, after, nil
}
