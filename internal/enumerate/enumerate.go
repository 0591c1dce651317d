// Package enumerate lists the regular files of a tree that lie in a region of globs
// (runtime spec §5.6, §5.7): from static prefixes, past what is excluded, never below
// what no glob can match.
//
// It never follows or lists a link, never opens a file, and concludes no absence: what
// it doesn't find may be beyond its depth. The order is that of the paths' bytes and it
// stops when its consumer does.
package enumerate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/pathdoor"
	"github.com/fettle-dev/fettle/internal/tree"
)

// Query says which files to list.
type Query struct {
	Region   *glob.Region
	Exclude  glob.Exclusion
	Ignored  Ignored // what Git ignores; nil ignores nothing
	MaxDepth int     // directories of so many segments aren't entered
}

// ErrNotOffered says that the driver can't tell what Git ignores.
var ErrNotOffered = errors.New("the driver can't tell what Git ignores")

// Gitignore is how a driver tells what Git ignores now. An error wraps ErrNotOffered
// where there is no telling, for lack of git or of a repository.
type Gitignore func(ctx context.Context) (Ignored, error)

// Ignored says what Git ignores at the time of one enumeration (spec §5.7). A path below
// an ignored directory isn't asked for.
type Ignored interface {
	Ignored(path string, dir bool) bool
}

// Visitor hears what an enumeration meets. File must be set, the others may be nil.
type Visitor struct {
	// File is called for each file, sorted by path; returning false ends the
	// enumeration without error.
	File func(File) bool
	// Enter is asked about each directory that is to be listed, the starts too; if it
	// returns false the directory is left out and not counted. Nil enters all.
	Enter func(dir string) bool
	// Dir is called with each directory before it is listed, in the order of the files
	// that they can hold.
	Dir func(dir string)
	// TooDeep is called with each directory that isn't entered for its depth although
	// a path below it can lie in the region: the enumeration is incomplete.
	TooDeep func(dir string)
}

// File is a regular file that was found. It is valid during the call, Path for ever.
type File struct {
	Path   string // as the disk has it: see Addressable
	cursor glob.Cursor
	name   []byte
}

// MatchedBy says whether entry i of the region's scope matches the file.
func (f File) MatchedBy(i int) bool { return f.cursor.MatchEntry(i, f.name) }

// Count is what an enumeration left out: files that lie in the region, and the outermost
// directories that it would have entered, each once (spec §5.7).
type Count struct {
	Files       int
	Directories int
}

// Summary is what an enumeration left out.
type Summary struct {
	Excluded Count
	Ignored  Count
}

// ListError says that the enumeration failed: a directory can't be listed, or the path
// that it starts from can't be looked at (spec §5.6).
type ListError struct {
	Path string
	Err  error
}

// Error names the path and the cause.
func (e *ListError) Error() string { return fmt.Sprintf("list %q: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *ListError) Unwrap() error { return e.Err }

// Run enumerates. The error is a *ListError, the first in order, or the context's.
func (q Query) Run(ctx context.Context, r tree.Reader, v Visitor) (Summary, error) {
	return q.enumerate(ctx, r, v, (*walker).run)
}

// RunIn enumerates what lies in and below these directories, in the order given, as far
// as a Run would come there. Enter isn't asked about them.
func (q Query) RunIn(ctx context.Context, r tree.Reader, dirs []string, v Visitor) (Summary, error) {
	return q.enumerate(ctx, r, v, func(w *walker) error {
		for _, dir := range dirs {
			if err := w.startDir(dir); err != nil {
				return err
			}
		}
		return nil
	})
}

func (q Query) enumerate(ctx context.Context, r tree.Reader, v Visitor, run func(*walker) error) (Summary, error) {
	w := &walker{ctx: ctx, tree: r, query: q, visitor: v}
	w.collect = w.collectEntry
	err := run(w)
	if errors.Is(err, errStopped) {
		err = nil
	}
	return w.summary, err
}

// Addressable says whether a path that a directory gave is a workspace path that the
// literal door lets through unchanged (spec §9.3), whatever its depth.
func Addressable(path string) bool {
	return utf8.ValidString(path) &&
		strings.IndexByte(path, '\\') < 0 &&
		strings.TrimSpace(path) == path &&
		pathdoor.Classify(path) == ""
}
