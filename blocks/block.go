package blocks

// Mode says what a block does to its file (§ 6).
type Mode string

// The modes of § 3.
const (
	ModeWrite  Mode = "write"
	ModeCreate Mode = "create"
	ModeUpdate Mode = "update"
	ModeAppend Mode = "append"
	ModeDelete Mode = "delete"
	ModeEdit   Mode = "edit" // SEARCH/REPLACE, § 7
	ModeDiff   Mode = "diff" // git_diff, § 8
)

// Detail says how much of a change the feedback shows (§ 19.4).
type Detail string

// The values of the attribute diff.
const (
	DetailFull    Detail = "full"
	DetailLimited Detail = "limited"
	DetailStats   Detail = "stats"
	DetailNone    Detail = "none"
)

// Newline says how line ends of a body are converted (§ 3.3).
type Newline string

// The values of the attribute newline.
const (
	NewlinePreserve Newline = "preserve"
	NewlineLF       Newline = "lf"
	NewlineCRLF     Newline = "crlf"
)

// encodingUTF8 is the one encoding there is (§ 3).
const encodingUTF8 = "utf-8"

// Block is one well-formed fence with file= (§ 1.1). Its values stand as they were
// written, defaults filled in; Validate judges them.
type Block struct {
	Path            string  `json:"path"` // the raw value of file
	Lang            string  `json:"lang,omitempty"`
	Mode            Mode    `json:"mode"`
	Diff            Detail  `json:"diff"`
	Encoding        string  `json:"encoding"`
	Newline         Newline `json:"newline"`
	NewlineExplicit bool    `json:"newlineExplicit"` // newline was written (§ 2.10)
	Content         string  `json:"content"`
	Index           int     `json:"index"` // from 0, malformed blocks not counted
	Line            int     `json:"line"`  // of the opening fence, from 1
}

// Hint is a near miss: a fence that looks like a failed write and writes nothing (§ 2.7).
type Hint struct {
	Line int    `json:"line"` // of the fence, from 1
	Info string `json:"info"` // its info string without surrounding white space
}

func (m Mode) valid() bool {
	switch m {
	case ModeWrite, ModeCreate, ModeUpdate, ModeAppend, ModeDelete, ModeEdit, ModeDiff:
		return true
	}
	return false
}

func (m Mode) isEdit() bool { return m == ModeEdit || m == ModeDiff }

func (d Detail) valid() bool {
	return d == DetailFull || d == DetailLimited || d == DetailStats || d == DetailNone
}

func (n Newline) valid() bool {
	return n == NewlinePreserve || n == NewlineLF || n == NewlineCRLF
}
