package blocks

import (
	"bytes"
	"unicode/utf8"
)

// ResultStatus says what a block did to its file (§ 6).
type ResultStatus string

// The statuses of a result.
const (
	Created   ResultStatus = "created"
	Updated   ResultStatus = "updated"
	Appended  ResultStatus = "appended"
	Deleted   ResultStatus = "deleted"
	Unchanged ResultStatus = "unchanged"
)

// Note is a remark about a result (§ 6.7).
type Note string

// The notes, in the order in which they stand.
const (
	NoteReplacedNonUTF8       Note = "replaced-non-utf8"
	NoteEOLChanged            Note = "eol-changed"
	NoteFinalNewlineCompleted Note = "final-newline-completed"
	NoteFinalNewlineAdded     Note = "final-newline-added"
	NoteFinalNewlineRemoved   Note = "final-newline-removed"
	NoteNoFinalNewline        Note = "no-final-newline"
)

// Result is what became of one block (§ 16.2).
type Result struct {
	Path            string
	Mode            Mode
	Status          ResultStatus
	Lines           int    // of the result; 0 when deleted
	Added, Removed  int    // lines (§ 6.4)
	DiffText        string // without a final LF; empty: none
	DiffTruncatedTo int    // lines kept of a longer text; 0: not cut
	EditFormat      EditFormat
	EditsProposed   int // these three are 0 for blocks that are not edits
	EditsApplied    int
	Fuzz            int
	Encoding        string
	EOL             EOL // empty when deleted
	Notes           []Note
}

// newResult describes what a block made of the observed content.
func newResult(b Block, target string, observed []byte, edited Edited, cfg Config) Result {
	r := Result{
		Path:          target,
		Mode:          b.Mode,
		Status:        statusOf(b.Mode, observed, edited.Content),
		Lines:         countLines(edited.Content),
		EditsProposed: edited.Proposed,
		EditsApplied:  edited.Proposed,
		Fuzz:          edited.Fuzz,
		Encoding:      encodingUTF8,
		Notes:         notesOf(b.Mode, observed, edited.Content),
	}
	switch b.Mode {
	case ModeEdit:
		r.EditFormat = FormatReplace
	case ModeDiff:
		r.EditFormat = FormatGitDiff
	}
	if edited.Content != nil {
		r.EOL = lineEnds(edited.Content)
	}
	r.count(b, observed, edited.Content, cfg)
	return r
}

func statusOf(mode Mode, observed, content []byte) ResultStatus {
	switch {
	case content == nil && observed == nil:
		return Unchanged
	case content == nil:
		return Deleted
	case observed == nil:
		return Created
	case bytes.Equal(observed, content):
		return Unchanged
	case mode == ModeAppend:
		return Appended
	}
	return Updated
}

// count sets added, removed and the diff text (§§ 6.4, 19).
func (r *Result) count(b Block, observed, content []byte, cfg Config) {
	switch {
	case r.Status == Unchanged:
	case b.Mode == ModeCreate, b.Mode == ModeAppend && r.Status == Created:
		r.Added = r.Lines
	case b.Mode == ModeAppend:
		r.Added = countLines([]byte(convert(b.Content, b.Newline)))
	case !utf8.Valid(observed):
		r.Added, r.Removed = countLines(content), countLines(observed)
	default:
		d := NewDiff(r.Path, observed, content, diffLines(b.Diff, cfg))
		r.Added, r.Removed = d.Added, d.Removed
		r.DiffText, r.DiffTruncatedTo = d.Text, d.TruncatedTo
	}
}

// diffLines returns how many lines of a diff to show, AllLines for all (§ 19.4).
func diffLines(d Detail, cfg Config) int {
	switch d {
	case DetailFull:
		return AllLines
	case DetailLimited:
		return cfg.DiffLineLimit
	}
	return 0
}

// notesOf returns the notes that hold, in their order (§ 6.7).
func notesOf(mode Mode, observed, content []byte) []Note {
	notes := []Note{}
	if content == nil {
		return notes
	}
	if observed != nil && !bytes.Equal(observed, content) {
		notes = append(notes, changeNotes(mode, observed, content)...)
	}
	if lacksFinalLF(content) {
		notes = append(notes, NoteNoFinalNewline)
	}
	return notes
}

// changeNotes are the notes that compare the content with what was observed.
func changeNotes(mode Mode, observed, content []byte) []Note {
	var notes []Note
	if !utf8.Valid(observed) {
		notes = append(notes, NoteReplacedNonUTF8)
	}
	before, after := lineEnds(observed), lineEnds(content)
	if before != EOLNone && after != EOLNone && before != after {
		notes = append(notes, NoteEOLChanged)
	}
	switch {
	case lacksFinalLF(observed) && mode == ModeAppend:
		notes = append(notes, NoteFinalNewlineCompleted)
	case lacksFinalLF(observed) && endsInLF(content):
		notes = append(notes, NoteFinalNewlineAdded)
	case endsInLF(observed) && lacksFinalLF(content):
		notes = append(notes, NoteFinalNewlineRemoved)
	}
	return notes
}
