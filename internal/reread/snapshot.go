package reread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/enumerate"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Snapshot is what the envelope held before an invocation (spec §12.4). It must be made
// durable before the fixer may start, and a second attempt keeps the first one: use
// MarshalBinary, for names need not be UTF-8.
//
// A file is taken as unchanged without reading it iff its stat identity (device, inode,
// size, times of modification and change, mode, owner) is the recorded one and the
// recorded time of change is older than Started by a margin that covers the tick of the
// file system's clock. The time of change can't be set by a program, so every change
// since then shows. Directories are judged likewise, and those unchanged aren't listed
// again. What no stat shows is a change through a writable mapping that was made, and
// its page dirtied, before the snapshot: hence End.Alive.
type Snapshot struct {
	// Started is the file system's time before the enumeration, in nanoseconds since
	// the epoch; 0 is unknown, and then nothing is taken as unchanged unread.
	Started int64
	// Files are the regular files found, sorted, with names as the disk has them.
	Files []string
	// Dirs are the directories that were listed, sorted, and Stamps what they looked
	// like afterwards.
	Dirs   []string
	Stamps []DirStamp
	// TooDeep is the first directory that wasn't entered for its depth, "" if none.
	TooDeep string
}

// Snapshot enumerates the envelope. The diagnostics are the warning of spec §12.4 if
// something lies too deep. An error is StepFailed enumeration, and then the fixer must
// not start, or the context's.
func (e Env) Snapshot(ctx context.Context, p *Prepared) (*Snapshot, []diagnostic.Diagnostic, error) {
	s := &Snapshot{Files: make([]string, 0, len(p.known))}
	if e.Now != nil {
		s.Started, _ = e.Now() // where it can't be told, the newest stamp stands for it
	}
	query, err := e.query(ctx, p)
	if err == nil {
		_, err = query.Run(ctx, e.Tree, enumerate.Visitor{
			File:    func(f enumerate.File) bool { s.Files = append(s.Files, f.Path); return true },
			Dir:     func(dir string) { s.Dirs = append(s.Dirs, dir) },
			TooDeep: s.tooDeep,
		})
	}
	if err == nil {
		err = s.stamp(ctx, e.Tree)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if list := (*enumerate.ListError)(nil); errors.As(err, &list) {
		return nil, nil, failedEnumeration(list.Path, list.Err)
	}
	if err != nil {
		return nil, nil, failedEnumeration("", err)
	}
	if s.Started == 0 {
		s.Started = s.newest(p)
	}
	return s, depthWarning(s.TooDeep, e.Bounds.MaxDepth), nil
}

// query is the enumeration of the envelope, but for recorded moves (spec §12.3).
func (e Env) query(ctx context.Context, p *Prepared) (enumerate.Query, error) {
	q := enumerate.Query{Region: p.region, Exclude: e.Exclude, MaxDepth: e.Bounds.MaxDepth}
	if e.Gitignore == nil {
		return q, nil
	}
	ignored, err := e.Gitignore(ctx)
	if errors.Is(err, enumerate.ErrNotOffered) {
		return q, nil
	}
	q.Ignored = ignored
	return q, err
}

// stamp records what the directories look like. A change while they were listed either
// shows in the stamp or is younger than Started, and then the stamp isn't settled.
func (s *Snapshot) stamp(ctx context.Context, r tree.Reader) error {
	slices.Sort(s.Dirs)
	s.Stamps = make([]DirStamp, len(s.Dirs))
	return r.Revisit(ctx, s.Dirs, func(i int, id tree.Identity, err error) bool {
		if err == nil && id.Kind == tree.Directory {
			s.Stamps[i] = stampOf(id)
		}
		return true
	})
}

// newest returns the newest time of change that was seen: it can't be later than now,
// unless somebody set the clock back.
func (s *Snapshot) newest(p *Prepared) int64 {
	var newest int64
	for _, stamp := range s.Stamps {
		newest = max(newest, stamp.Ctime)
	}
	for _, path := range p.known {
		if persisted, ok := p.baselines.Persisted(path); ok {
			newest = max(newest, persisted.ID.Ctime)
		}
	}
	return newest
}

func (s *Snapshot) tooDeep(dir string) {
	if s.TooDeep == "" {
		s.TooDeep = dir
	}
}

func (s *Snapshot) holds(path string) bool {
	_, found := slices.BinarySearch(s.Files, path)
	return found
}

func failedEnumeration(path string, cause error) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonEnumeration, printable(path), "what the invocation may touch can't be listed").
		WithCause(cause).WithHint("make the directory readable, or exclude it")
}

func depthWarning(dir string, maxDepth int) []diagnostic.Diagnostic {
	if dir == "" {
		return nil
	}
	return []diagnostic.Diagnostic{{
		Severity: diagnostic.Warning,
		Reason:   string(fault.ReasonMaxDepth),
		Message: fmt.Sprintf("what lies below bounds.maxDepth (%d) isn't looked at, as in %q; exclude it, or raise the bound",
			maxDepth, dir),
	}}
}

// printable replaces bytes that no text can hold, for people to read.
func printable(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }
