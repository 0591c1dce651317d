// Package linediff counts and shows how the lines of two texts differ.
//
// Counts are minimal and exact (runtime spec §17.3): they come from the length of a
// longest common subsequence, in memory linear in the lines and in bounded time; beyond
// the bound the answer says that it isn't exact. Unified diffs are for people, and git
// can apply them. Both depend on the bytes alone, never on a clock. The package reads
// UTF-8 and decodes nothing but UTF-16 for a unified diff; it never touches a disk.
package linediff

// Stat says how many lines a text gained and lost.
type Stat struct {
	Added   int  // lines after less the longest common subsequence
	Removed int  // lines before less the longest common subsequence
	Exact   bool // false beyond the bound: then moved lines count as kept
}

// maxWork bounds the word steps of one exact count: about a second.
const maxWork = 1 << 30

// Count compares the lines of two UTF-8 texts with their terminators (spec §17.3).
func Count(before, after []byte) Stat { return count(before, after, maxWork) }

func count(before, after []byte, work int) Stat {
	p := pair(trim(before, after))
	linesBefore, linesAfter := p.onlyA+len(p.a), p.onlyB+len(p.b)
	kept, exact := p.common(work)
	return Stat{Added: linesAfter - kept, Removed: linesBefore - kept, Exact: exact}
}
