package blocks

import (
	"bytes"
	"unicode/utf8"
)

// Observed is what a view has for one path (§§ 6, 11).
type Observed struct {
	Content  []byte // nil: absent
	Version  string // names the bytes; VersionAbsent for none
	Revision string // the state of all paths in which the version was seen
}

// Versions that name no bytes.
const (
	VersionAbsent  = "absent"   // § 1.3
	VersionNonFile = "non-file" // a directory, link or special file (§ 13.3)
)

// Candidate is a block resolved to full content, together with what it was computed
// from (§ 1.5).
type Candidate struct {
	Path     string // the target
	Mode     Mode
	Content  []byte // nil removes the file
	Observed Observed
	Result   Result
}

// Changes reports whether the candidate differs from what was observed.
func (c Candidate) Changes() bool { return c.Result.Status != Unchanged }

// Resolve computes what a validated block makes of the observed content of its target
// (§ 6). The error is one of a failed requirement (Code.Precondition) or of an edit
// that does not resolve, and names the target.
func Resolve(b Block, target string, observed Observed, cfg Config) (Candidate, error) {
	c, err := resolveBlock(b, target, observed, cfg)
	if err != nil {
		return Candidate{}, err
	}
	return c, nil
}

func resolveBlock(b Block, target string, observed Observed, cfg Config) (Candidate, *Error) {
	c := Candidate{Path: target, Mode: b.Mode, Observed: observed}
	if err := require(b, observed.Content); err != nil {
		return c, err.about(b, target)
	}
	edited, err := contentOf(b, observed.Content, cfg)
	if err != nil {
		return c, err.about(b, target)
	}
	c.Content = edited.Content
	c.Result = newResult(b, target, observed.Content, edited, cfg)
	return c, nil
}

// about returns e as a finding about the target of b.
func (e *Error) about(b Block, target string) *Error {
	e.Path, e.Line = target, b.Line
	return e
}

// require checks what a mode asks of the observed content.
func require(b Block, observed []byte) *Error {
	exists := observed != nil
	switch b.Mode {
	case ModeCreate:
		if exists {
			return newError(CodeFileExists, "", "%s", CodeFileExists.Hint())
		}
	case ModeUpdate:
		if !exists {
			return newError(CodeFileNotFound, "", "%s", CodeFileNotFound.Hint())
		}
	case ModeAppend, ModeEdit, ModeDiff:
		if exists && !utf8.Valid(observed) {
			return newError(CodeEncodingInvalid, "", "replace the file as a whole: it is not UTF-8, so it is not edited or appended to")
		}
	}
	return nil
}

// contentOf returns the content that a block asks for, nil for removal.
func contentOf(b Block, observed []byte, cfg Config) (Edited, *Error) {
	switch b.Mode {
	case ModeDelete:
		return Edited{}, nil
	case ModeEdit:
		return resolveReplace(observed, b.Content)
	case ModeDiff:
		return resolveDiff(observed, b.Content, cfg.MaxEditDrift)
	case ModeAppend:
		return Edited{Content: appended(observed, convert(b.Content, b.Newline))}, nil
	}
	return Edited{Content: []byte(convert(b.Content, b.Newline))}, nil
}

// appended returns content with body behind it, unless it ends with body already
// (§§ 6.1, 6.2).
func appended(content []byte, body string) []byte {
	if content == nil {
		return []byte(body)
	}
	if bytes.HasSuffix(content, []byte(body)) {
		return content
	}
	end := ""
	if lacksFinalLF(content) {
		end = dominant(content)
	}
	out := make([]byte, 0, len(content)+len(end)+len(body))
	return append(append(append(out, content...), end...), body...)
}

// lacksFinalLF reports whether content is not empty and its last line is unterminated.
func lacksFinalLF(content []byte) bool { return len(content) > 0 && !endsInLF(content) }
