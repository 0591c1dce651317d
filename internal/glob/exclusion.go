package glob

import "strings"

// DefaultExclude returns the entries of workspace.exclude where a pipeline names none
// (spec §5.7).
func DefaultExclude() []string { return []string{"**/node_modules/**", "**/.git/**"} }

// Exclusion is what no enumeration of a run finds (spec §5.7). The zero Exclusion
// excludes nothing. It is immutable and safe for concurrent use.
type Exclusion struct {
	region *Region
}

// NewExclusion returns the exclusion of parsed entries.
func NewExclusion(entries Entries) Exclusion {
	covering := make(Entries, len(entries))
	for i, e := range entries {
		covering[i] = e.AsDeny()
	}
	return Exclusion{region: NewRegion(covering, nil)}
}

// CoversFile says whether some entry covers the file path: it is then no match of any
// pattern.
func (x Exclusion) CoversFile(path string) bool {
	return x.region != nil && x.region.Match(path)
}

// CoversDir says whether one entry covers the directory dir wholly: it is then not
// entered.
func (x Exclusion) CoversDir(dir string) bool {
	return x.region != nil && x.region.At(dir).coversWhole()
}

// Outermost returns the outermost directory among dir and those above it that is covered
// wholly, and whether there is one: a walk that would start at dir doesn't.
func (x Exclusion) Outermost(dir string) (string, bool) {
	if x.CoversDir(".") {
		return ".", true
	}
	for end := 0; end < len(dir); {
		next := strings.IndexByte(dir[end+1:], '/')
		end += next + 1
		if next < 0 {
			end = len(dir)
		}
		if x.CoversDir(dir[:end]) {
			return dir[:end], true
		}
	}
	return "", false
}

// At returns the exclusion as seen from a directory, for a walk.
func (x Exclusion) At(dir string) ExclusionCursor {
	if x.region == nil {
		return ExclusionCursor{}
	}
	return ExclusionCursor{cursor: x.region.At(dir)}
}

// ExclusionCursor is to an Exclusion what Cursor is to a Region.
type ExclusionCursor struct {
	cursor Cursor
}

// Enter returns the cursor of the directory name in c's; see Cursor.Enter.
func (c ExclusionCursor) Enter(name []byte, reuse ExclusionCursor) ExclusionCursor {
	if c.cursor.region == nil {
		return c
	}
	return ExclusionCursor{cursor: c.cursor.Enter(name, reuse.cursor)}
}

// CoversFile says whether the file name in c's directory is covered. It doesn't
// allocate.
func (c ExclusionCursor) CoversFile(name []byte) bool {
	return c.cursor.region != nil && c.cursor.Match(name)
}

// CoversWhole says whether c's directory is covered wholly. It doesn't allocate.
func (c ExclusionCursor) CoversWhole() bool {
	return c.cursor.region != nil && c.cursor.coversWhole()
}
