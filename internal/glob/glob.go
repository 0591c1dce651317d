// Package glob is the one grammar of path patterns (runtime spec §5): it parses
// entries, matches paths, and answers which directories can hold a match, whether two
// entries share one, where an enumeration starts and what an exclusion covers.
//
// It refuses syntax that could be read in two ways instead of choosing a reading, and
// never touches a disk: it is asked about names, the walking is done elsewhere.
//
// All answers come from one machine, a set of positions of a pattern that advances over
// the segments of a path, so they agree with each other.
package glob

import "strings"

// Entry is one parsed entry: a pattern, or a literal, which matches itself only. It is
// immutable and safe for concurrent use. The zero Entry matches nothing.
type Entry struct {
	text    string    // normalised form
	segs    []segment // never two adjacent **
	literal bool
	hidden  bool // * and ** match segments that start with a dot, too (spec §6.1)
}

// String returns the normalised form.
func (e Entry) String() string { return e.text }

// IsLiteral says whether e holds no wildcard.
func (e Entry) IsLiteral() bool { return e.literal }

// Match says whether e matches the whole of path, a workspace path (spec §5.2). It
// doesn't allocate.
func (e Entry) Match(path string) bool {
	var a, b [stackWords]uint64
	dir, base := split(path)
	at := e.reach(dir, e.blank(a[:]), e.blank(b[:]))
	return e.ends(at, base)
}

// Below says whether a path strictly below the directory dir can match e (spec §5.5).
// dir is a workspace path, or "." for the root. It doesn't allocate.
func (e Entry) Below(dir string) bool {
	var a, b [stackWords]uint64
	at := e.reach(segments(dir), e.blank(a[:]), e.blank(b[:]))
	return e.open(at)
}

// AsDeny returns e as a list reads it that takes away (deny, exclude; spec §5.7, §6.1):
// * and ** match hidden segments too, and a literal covers what lies below it.
// Its String is that of e.
func (e Entry) AsDeny() Entry {
	e.hidden = true
	return e.coveringBelow()
}

// AsAllow returns e as an allow list of a policy reads it (spec §6.1): a pattern as it
// is, while a literal also covers everything below it, whatever the dots. Its String is
// that of e.
func (e Entry) AsAllow() Entry {
	if e.literal {
		e.hidden = true
	}
	return e.coveringBelow()
}

func (e Entry) coveringBelow() Entry {
	if !e.literal || len(e.segs) == 0 || e.segs[len(e.segs)-1].double {
		return e
	}
	segs := make([]segment, 0, len(e.segs)+1)
	e.segs = append(append(segs, e.segs...), segment{text: "**", double: true})
	return e
}

// split cuts a path before its last segment.
func split(path string) (dir, base string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// segments is a directory's path as positions advance over it: the root has none.
func segments(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}
