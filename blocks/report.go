package blocks

// Status says what became of a transaction (§ 16.1).
type Status string

// The statuses of a report.
const (
	StatusCommitted          Status = "committed"
	StatusUnchanged          Status = "unchanged"
	StatusStale              Status = "stale"
	StatusPreconditionFailed Status = "precondition-failed"
	StatusEditUnresolved     Status = "edit-unresolved"
	StatusWorktreeDirty      Status = "worktree-dirty"
	StatusFailed             Status = "failed"
	StatusProjectionFailed   Status = "projection-failed"
	StatusPublicationFailed  Status = "publication-failed"
)

// OK reports whether tools may run after a report of this status (§§ 16.1, 23.4).
func (s Status) OK() bool { return s == StatusCommitted || s == StatusUnchanged }

// Report is what became of one transaction (§ 16). It is a value: nothing in it depends
// on time, locale or the order of maps. Which of the lists belong to which status is
// said by the table of § 16.1; those that don't are nil. Its JSON form is that of § 16,
// in both directions.
type Report struct {
	Status        Status
	Commit        string // empty: null
	RepoRevision  string // empty: null
	TransactionID string
	Results       []Result
	Errors        []Error
	Hints         []Hint
	Scope         string // empty: none was resolved, or the policy mode refused
	LocalDrift    []Drift

	Publications []Publication // of committed and unchanged
	StaleFiles   []StaleFile   // of stale
	Files        []ShownFile   // of precondition-failed and edit-unresolved
	DirtyFiles   []DirtyFile   // of worktree-dirty
}

// OK reports whether tools may run.
func (r *Report) OK() bool { return r.Status.OK() }

// ShownFile is a file whose content explains a failure (§ 16.1).
type ShownFile struct {
	Path        string
	Content     []byte // nil: absent, or no regular file
	FileVersion string
}

// StaleFile is a target that changed since it was read (§ 11.6).
type StaleFile struct {
	Path             string
	Content          []byte // as it is now; nil: absent
	FileVersion      string // the current one
	ObservedVersion  string
	RepoRevision     string
	ChangesSinceRead []Change // newest first
}

// Change is a commit that changed a path (§ 11.6).
type Change struct {
	Commit  string
	Agent   string // empty: unknown, null
	Message string
}

// DirtyFile is a target whose disk content is local work (§ 13.3).
type DirtyFile struct {
	Path            string
	Content         []byte // of the disk; nil: absent, or no regular file
	FileVersion     string // of the disk
	ExpectedVersion string // as last projected
	TargetVersion   string // as proposed
}

// Drift is local work that projection left as it is (§ 13.2).
type Drift struct {
	Path            string `json:"path"`
	FileVersion     string `json:"fileVersion"`
	ExpectedVersion string `json:"expectedVersion"`
	TargetVersion   string `json:"targetVersion"`
}

// Publication is the receipt of a publisher (§ 16.5).
type Publication struct {
	Scope    string `json:"scope"`
	Revision string `json:"revision"`
	NoOp     bool   `json:"noOp"`
}

// HintReport returns the report of a message that only holds near misses (§ 2.11).
func HintReport(p Parsed, transactionID string) Report {
	return Report{Status: StatusUnchanged, TransactionID: transactionID, Hints: p.Hints}
}

// FailedReport returns a report of status failed, after which nothing has happened.
func FailedReport(transactionID, scope string, hints []Hint, errs ...Error) Report {
	return Report{Status: StatusFailed, TransactionID: transactionID, Scope: scope, Hints: hints, Errors: errs}
}
