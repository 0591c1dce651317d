package blocks

// Code says which rule a message broke or what stood in its way (§ 17). Codes are
// stable; new ones may be added. A Code is an error, so that every error of this
// package and of the transaction packages unwraps to one: errors.Is(err,
// CodePathEscape).
type Code string

// The codes of § 17.
const (
	CodePathRequired        Code = "PATH_REQUIRED"         // the path is empty or ends with a slash
	CodePathAbsolute        Code = "PATH_ABSOLUTE"         // outside the root, or a drive path
	CodePathEscape          Code = "PATH_ESCAPE"           // a control character, or a "." or ".." segment
	CodePathReserved        Code = "PATH_RESERVED"         // a name that Git reserves
	CodePathTooLong         Code = "PATH_TOO_LONG"         // a segment above 255 bytes, or a path above 4095
	CodePathDenied          Code = "PATH_DENIED"           // refused by the policy or a mandatory deny
	CodePathSymlink         Code = "PATH_SYMLINK"          // the target or an ancestor is a symbolic link
	CodePathClash           Code = "PATH_CLASH"            // a file against a directory, or two spellings of one name
	CodeDuplicatePath       Code = "DUPLICATE_PATH"        // a second block for one target
	CodeMixedRootScope      Code = "MIXED_ROOT_SCOPE"      // more than one root, scope or backend
	CodeSandboxDenied       Code = "SANDBOX_DENIED"        // the policy mode refuses
	CodeBackendUnsupported  Code = "BACKEND_UNSUPPORTED"   // the backend does not speak version 1
	CodeUnknownAttr         Code = "UNKNOWN_ATTR"          // a token of the info string that means nothing
	CodeDuplicateAttr       Code = "DUPLICATE_ATTR"        // an attribute given twice
	CodeUnterminatedBlock   Code = "UNTERMINATED_BLOCK"    // the reply was cut inside a block
	CodeInvalidMode         Code = "INVALID_MODE"          // a mode that does not exist
	CodeInvalidDiff         Code = "INVALID_DIFF"          // a diff detail that does not exist
	CodeInvalidEncoding     Code = "INVALID_ENCODING"      // an encoding other than utf-8
	CodeInvalidNewline      Code = "INVALID_NEWLINE"       // a line end conversion that does not exist
	CodeDeleteContent       Code = "DELETE_CONTENT"        // a delete block that is not empty
	CodeEditModeDisabled    Code = "EDIT_MODE_DISABLED"    // the other edit dialect is active, or none
	CodeEditEmpty           Code = "EDIT_EMPTY"            // an edit block that is blank
	CodeEditNewlineAttr     Code = "EDIT_NEWLINE_ATTR"     // newline= on an edit block
	CodeSizeExceeded        Code = "SIZE_EXCEEDED"         // one body or one final content is too large
	CodeTotalSizeExceeded   Code = "TOTAL_SIZE_EXCEEDED"   // all together are too large
	CodeTooManyFiles        Code = "TOO_MANY_FILES"        // too many blocks
	CodeEncodingInvalid     Code = "ENCODING_INVALID"      // the message, or the file to edit or append to, is not UTF-8
	CodeFileExists          Code = "FILE_EXISTS"           // create of a file that exists
	CodeFileNotFound        Code = "FILE_NOT_FOUND"        // update or edit of a file that does not
	CodeEditMalformed       Code = "EDIT_MALFORMED"        // an edit body that breaks its grammar
	CodeEditSearchNotFound  Code = "EDIT_SEARCH_NOT_FOUND" // a SEARCH section that occurs nowhere
	CodeEditSearchAmbiguous Code = "EDIT_SEARCH_AMBIGUOUS" // a SEARCH section that occurs more than once
	CodeEditSpanOverlap     Code = "EDIT_SPAN_OVERLAP"     // two edits of the same lines
	CodeEditContextMismatch Code = "EDIT_CONTEXT_MISMATCH" // a hunk that fits nowhere near its line
	CodeAbsorbConflict      Code = "ABSORB_CONFLICT"       // a local change made on an older version
	CodeMaterializeFailed   Code = "MATERIALIZE_FAILED"    // store, lock, projection or backend
	CodePublicationFailed   Code = "PUBLICATION_FAILED"    // a publisher refused
)

// Codes returns every code of § 17, in its order.
func Codes() []Code {
	return []Code{
		CodePathRequired, CodePathAbsolute, CodePathEscape, CodePathReserved, CodePathTooLong,
		CodePathDenied, CodePathSymlink, CodePathClash, CodeDuplicatePath, CodeMixedRootScope,
		CodeSandboxDenied, CodeBackendUnsupported, CodeUnknownAttr, CodeDuplicateAttr,
		CodeUnterminatedBlock, CodeInvalidMode, CodeInvalidDiff, CodeInvalidEncoding,
		CodeInvalidNewline, CodeDeleteContent, CodeEditModeDisabled, CodeEditEmpty,
		CodeEditNewlineAttr, CodeSizeExceeded, CodeTotalSizeExceeded, CodeTooManyFiles,
		CodeEncodingInvalid, CodeFileExists, CodeFileNotFound, CodeEditMalformed,
		CodeEditSearchNotFound, CodeEditSearchAmbiguous, CodeEditSpanOverlap,
		CodeEditContextMismatch, CodeAbsorbConflict, CodeMaterializeFailed, CodePublicationFailed,
	}
}

// Error returns the code itself.
func (c Code) Error() string { return string(c) }

// Precondition reports whether c is a failed requirement of a mode (§ 6.3) when a block
// is resolved, which makes a report precondition-failed.
func (c Code) Precondition() bool {
	return c == CodeFileExists || c == CodeFileNotFound || c == CodeEncodingInvalid
}

// Hint says in one sentence what to do next about any error of this code. An Error's
// own Hint is more precise where there is something to be precise about.
func (c Code) Hint() string {
	switch c {
	case CodePathRequired:
		return "name a file: a path must not be empty or end with a slash"
	case CodePathAbsolute:
		return "use a path relative to the root"
	case CodePathEscape:
		return `stay inside the root: a path must not hold control characters or the segments "." and ".."`
	case CodePathReserved:
		return "choose another name: Git reserves this one"
	case CodePathTooLong:
		return "shorten the path: at most 255 bytes for each name and 4095 in all"
	case CodePathDenied:
		return "leave this path alone: the policy denies it"
	case CodePathSymlink:
		return "write the real path: this one is, or runs through, a symbolic link"
	case CodePathClash:
		return "rename the file, or delete what is in its way first, in a message of its own"
	case CodeDuplicatePath:
		return "merge the blocks: a message has one block for each file"
	case CodeMixedRootScope:
		return "send one message for each root"
	case CodeSandboxDenied:
		return "ask for another policy mode outside the message: this one does not allow the write"
	case CodeBackendUnsupported:
		return "upgrade the backend to protocol version 1: nothing was written"
	case CodeUnknownAttr:
		return "use only the attributes file, mode, diff, encoding and newline, as key=value; quote a path with spaces"
	case CodeDuplicateAttr:
		return "give each attribute once"
	case CodeUnterminatedBlock:
		return "send the whole block again and close it: the reply was cut inside it"
	case CodeInvalidMode:
		return "use one of the modes write, create, update, append, delete or the active edit mode"
	case CodeInvalidDiff:
		return "use one of full, limited, stats, none for diff"
	case CodeInvalidEncoding:
		return "use utf-8, so spelled, for encoding, or omit it"
	case CodeInvalidNewline:
		return "use one of preserve, lf, crlf for newline"
	case CodeDeleteContent:
		return "empty the block: a delete block has no content, not even a blank line"
	case CodeEditModeDisabled:
		return "use the active edit mode, or send the full content"
	case CodeEditEmpty:
		return "give an edit: the block is blank"
	case CodeEditNewlineAttr:
		return "omit newline: an edit keeps the line ends of the file"
	case CodeSizeExceeded, CodeTotalSizeExceeded:
		return "split or shrink it"
	case CodeTooManyFiles:
		return "split the message"
	case CodeEncodingInvalid:
		return "send UTF-8"
	case CodeFileExists:
		return "use mode=update or mode=write: the file exists"
	case CodeFileNotFound:
		return "use mode=create or mode=write: the file does not exist"
	case CodeEditMalformed:
		return "follow the grammar of the edit mode"
	case CodeEditSearchNotFound:
		return "copy whole lines from the content shown"
	case CodeEditSearchAmbiguous:
		return "add neighbouring lines until the SEARCH occurs once"
	case CodeEditSpanOverlap:
		return "merge the two edits"
	case CodeEditContextMismatch:
		return "compare the hunk with the content shown"
	case CodeAbsorbConflict:
		return "look at both versions, then absorb again"
	case CodeMaterializeFailed:
		return "try again; if it fails again, look at the store"
	case CodePublicationFailed:
		return "look at the external system, then try again"
	}
	return "look at the code and try again"
}
