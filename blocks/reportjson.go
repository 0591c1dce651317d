package blocks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// null is a string that is null in JSON when it is empty.
type null string

func (n null) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return marshal(string(n))
}

// marshal leaves <, > and & as they are; an encoder that wants them escaped does so.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// list returns l, or an empty list in place of nil, so that JSON never says null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// reportJSON is the form of § 16.1. omitzero leaves out nil lists and keeps empty ones.
type reportJSON struct {
	Status        Status        `json:"status"`
	OK            bool          `json:"ok"`
	Commit        null          `json:"commit"`
	RepoRevision  null          `json:"repoRevision"`
	TransactionID string        `json:"transactionId"`
	Results       []Result      `json:"results"`
	Errors        []Error       `json:"errors"`
	Hints         []Hint        `json:"hints,omitempty"`
	Scope         string        `json:"scope,omitempty"`
	LocalDrift    []Drift       `json:"localDrift,omitempty"`
	Publications  []Publication `json:"publications,omitzero"`
	StaleFiles    []StaleFile   `json:"staleFiles,omitzero"`
	Files         []ShownFile   `json:"files,omitzero"`
	DirtyFiles    []DirtyFile   `json:"dirtyFiles,omitzero"`
}

// MarshalJSON renders the report by § 16.
func (r Report) MarshalJSON() ([]byte, error) {
	j := reportJSON{
		Status: r.Status, OK: r.OK(), Commit: null(r.Commit), RepoRevision: null(r.RepoRevision),
		TransactionID: r.TransactionID, Results: list(r.Results), Errors: list(r.Errors), Hints: r.Hints,
		Scope: r.Scope, LocalDrift: r.LocalDrift, Publications: r.Publications,
		StaleFiles: r.StaleFiles, Files: r.Files, DirtyFiles: r.DirtyFiles,
	}
	switch r.Status {
	case StatusCommitted, StatusUnchanged:
		j.Publications = list(r.Publications)
	case StatusStale:
		j.StaleFiles = list(r.StaleFiles)
	case StatusPreconditionFailed, StatusEditUnresolved:
		j.Files = list(r.Files)
	case StatusWorktreeDirty:
		j.DirtyFiles = list(r.DirtyFiles)
	}
	return marshal(j)
}

// UnmarshalJSON reads a report. ok is not read: it follows from the status.
func (r *Report) UnmarshalJSON(data []byte) error {
	var j reportJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Report{
		Status: j.Status, Commit: string(j.Commit), RepoRevision: string(j.RepoRevision),
		TransactionID: j.TransactionID, Results: j.Results, Errors: j.Errors, Hints: j.Hints,
		Scope: j.Scope, LocalDrift: j.LocalDrift, Publications: j.Publications,
		StaleFiles: j.StaleFiles, Files: j.Files, DirtyFiles: j.DirtyFiles,
	}
	return nil
}

type resultJSON struct {
	Path            string       `json:"path"`
	Mode            Mode         `json:"mode"`
	Status          ResultStatus `json:"status"`
	Lines           int          `json:"lines"`
	Added           int          `json:"added"`
	Removed         int          `json:"removed"`
	DiffText        null         `json:"diffText"`
	DiffTruncatedTo int          `json:"diffTruncatedTo,omitempty"`
	EditFormat      null         `json:"editFormat"`
	EditsProposed   int          `json:"editsProposed"`
	EditsApplied    int          `json:"editsApplied"`
	Fuzz            int          `json:"fuzz"`
	Encoding        string       `json:"encoding"`
	EOL             null         `json:"eol"`
	Notes           []Note       `json:"notes"`
}

// MarshalJSON renders the result by § 16.2.
func (r Result) MarshalJSON() ([]byte, error) {
	return marshal(resultJSON{
		Path: r.Path, Mode: r.Mode, Status: r.Status, Lines: r.Lines, Added: r.Added, Removed: r.Removed,
		DiffText: null(r.DiffText), DiffTruncatedTo: r.DiffTruncatedTo, EditFormat: null(r.EditFormat),
		EditsProposed: r.EditsProposed, EditsApplied: r.EditsApplied, Fuzz: r.Fuzz, Encoding: r.Encoding,
		EOL: null(r.EOL), Notes: list(r.Notes),
	})
}

// UnmarshalJSON reads a result.
func (r *Result) UnmarshalJSON(data []byte) error {
	var j resultJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Result{
		Path: j.Path, Mode: j.Mode, Status: j.Status, Lines: j.Lines, Added: j.Added, Removed: j.Removed,
		DiffText: string(j.DiffText), DiffTruncatedTo: j.DiffTruncatedTo, EditFormat: EditFormat(j.EditFormat),
		EditsProposed: j.EditsProposed, EditsApplied: j.EditsApplied, Fuzz: j.Fuzz, Encoding: j.Encoding,
		EOL: EOL(j.EOL), Notes: j.Notes,
	}
	return nil
}

type errorJSON struct {
	Code          Code   `json:"code"`
	Path          null   `json:"path"`
	Hint          string `json:"hint"`
	Token         string `json:"token,omitempty"`
	Detail        string `json:"detail,omitempty"`
	Edit          int    `json:"edit,omitempty"`
	OtherEdit     int    `json:"otherEdit,omitempty"`
	BodyLine      int    `json:"bodyLine,omitempty"`
	Matches       int    `json:"matches,omitempty"`
	Lines         []int  `json:"lines,omitempty"`
	EditsProposed *int   `json:"editsProposed,omitempty"`
	EditsApplied  *int   `json:"editsApplied,omitempty"`
}

// MarshalJSON renders the error by § 16.3.
func (e Error) MarshalJSON() ([]byte, error) {
	j := errorJSON{Code: e.Code, Path: null(e.Path), Hint: e.Hint, Token: e.Token, Detail: e.Detail}
	if x := e.Edit; x != nil {
		j.Edit, j.OtherEdit, j.BodyLine, j.Matches, j.Lines = x.Edit, x.OtherEdit, x.BodyLine, x.Matches, x.Lines
		j.EditsProposed, j.EditsApplied = &x.Proposed, &x.Applied
	}
	return marshal(j)
}

// UnmarshalJSON reads an error.
func (e *Error) UnmarshalJSON(data []byte) error {
	var j errorJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*e = Error{Code: j.Code, Path: string(j.Path), Hint: j.Hint, Token: j.Token, Detail: j.Detail}
	if j.EditsProposed != nil && j.EditsApplied != nil {
		e.Edit = &EditError{
			Edit: j.Edit, OtherEdit: j.OtherEdit, BodyLine: j.BodyLine, Matches: j.Matches, Lines: j.Lines,
			Proposed: *j.EditsProposed, Applied: *j.EditsApplied,
		}
	}
	return nil
}

// bytesJSON is the form of a content (§ 16.4).
type bytesJSON struct {
	Content  *string `json:"content"`
	Encoding string  `json:"contentEncoding,omitempty"`
}

func contentJSON(content []byte) bytesJSON {
	if content == nil {
		return bytesJSON{}
	}
	text, encoding := string(content), ""
	if !utf8.ValidString(text) {
		text, encoding = base64.StdEncoding.EncodeToString(content), "base64"
	}
	return bytesJSON{Content: &text, Encoding: encoding}
}

func (b bytesJSON) bytes() ([]byte, error) {
	switch {
	case b.Content == nil:
		return nil, nil
	case b.Encoding == "":
		return []byte(*b.Content), nil
	case b.Encoding != "base64":
		return nil, fmt.Errorf("contentEncoding: %q: must be base64", b.Encoding)
	}
	content, err := base64.StdEncoding.AppendDecode([]byte{}, []byte(*b.Content))
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return content, nil
}
