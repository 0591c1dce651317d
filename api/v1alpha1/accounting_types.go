package v1alpha1

// Accounting is what a run changed, as the disk says. It is bounded: all rows are in the
// run's report.
type Accounting struct {
	// acquired is how many files were acquired.
	// +optional
	Acquired int64 `json:"acquired,omitempty"`

	// skipped counts matches that were not acquired.
	// +optional
	Skipped *SkippedCounts `json:"skipped,omitempty"`

	// excluded counts what exclude kept out.
	// +optional
	Excluded *ExcludedCounts `json:"excluded,omitempty"`

	// gitignored counts what respectGitignore kept out.
	// +optional
	Gitignored *ExcludedCounts `json:"gitignored,omitempty"`

	// changed counts the files that differ from the acquisition.
	// +required
	Changed ChangedCounts `json:"changed"`

	// diagnostics counts findings by severity.
	// +optional
	Diagnostics *DiagnosticCounts `json:"diagnostics,omitempty"`

	// notes counts what else the report tells.
	// +optional
	Notes *NoteCounts `json:"notes,omitempty"`

	// first rows, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +listType=atomic
	First []ChangeRow `json:"first,omitempty"`

	// digest of all rows.
	// +optional
	Digest Digest `json:"digest,omitempty"`
}

// SkippedCounts counts matches that were not acquired, by reason.
type SkippedCounts struct {
	// unaddressable names.
	// +optional
	Unaddressable int64 `json:"unaddressable,omitempty"`

	// readDenied by the policy.
	// +optional
	ReadDenied int64 `json:"readDenied,omitempty"`

	// nonText by name or by bytes.
	// +optional
	NonText int64 `json:"nonText,omitempty"`
}

// ExcludedCounts counts what an enumeration left out.
type ExcludedCounts struct {
	// files that a pattern matches.
	// +optional
	Files int64 `json:"files,omitempty"`

	// directories that would have been entered, the outermost ones.
	// +optional
	Directories int64 `json:"directories,omitempty"`
}

// ChangedCounts counts rows of the accounting and their lines.
type ChangedCounts struct {
	// files is the number of rows.
	// +required
	Files int64 `json:"files"`

	// added files.
	// +optional
	Added int64 `json:"added,omitempty"`

	// modified files.
	// +optional
	Modified int64 `json:"modified,omitempty"`

	// renamed files, edited or not.
	// +optional
	Renamed int64 `json:"renamed,omitempty"`

	// deleted files.
	// +optional
	Deleted int64 `json:"deleted,omitempty"`

	// linesAdded in all files.
	// +optional
	LinesAdded int64 `json:"linesAdded,omitempty"`

	// linesRemoved in all files.
	// +optional
	LinesRemoved int64 `json:"linesRemoved,omitempty"`
}

// DiagnosticCounts counts findings by severity.
type DiagnosticCounts struct {
	// errors among the findings.
	// +optional
	Errors int64 `json:"errors,omitempty"`

	// warnings among the findings.
	// +optional
	Warnings int64 `json:"warnings,omitempty"`

	// infos among the findings.
	// +optional
	Infos int64 `json:"infos,omitempty"`
}

// NoteCounts counts what the report tells beside changes and diagnostics.
type NoteCounts struct {
	// unreadable files at the end.
	// +optional
	Unreadable int64 `json:"unreadable,omitempty"`

	// withheld files, from one tool or another.
	// +optional
	Withheld int64 `json:"withheld,omitempty"`

	// identity notes: changes of encoding, line ends, mode or owner.
	// +optional
	Identity int64 `json:"identity,omitempty"`

	// discrepancies between what tools claimed and what the disk says.
	// +optional
	Discrepancies int64 `json:"discrepancies,omitempty"`

	// strays: files that changed where nobody was to touch them.
	// +optional
	Strays int64 `json:"strays,omitempty"`
}

// ChangeRow is one row of the accounting.
type ChangeRow struct {
	// path of the file.
	// +required
	Path Path `json:"path"`

	// kind of the change.
	// +required
	Kind ChangeKind `json:"kind"`

	// from is the path it was acquired under, if it was renamed.
	// +optional
	From Path `json:"from,omitempty"`

	// linesAdded in the file.
	// +optional
	LinesAdded int64 `json:"linesAdded,omitempty"`

	// linesRemoved in the file.
	// +optional
	LinesRemoved int64 `json:"linesRemoved,omitempty"`

	// class is eolOnly or whitespaceOnly if only those differ.
	// +optional
	Class ChangeClass `json:"class,omitempty"`
}

// ChangeKind is the kind of a change.
//
// +kubebuilder:validation:Enum=added;modified;renamed;deleted
type ChangeKind string

// The values of ChangeKind.
const (
	ChangeAdded    ChangeKind = "added"
	ChangeModified ChangeKind = "modified"
	ChangeRenamed  ChangeKind = "renamed"
	ChangeDeleted  ChangeKind = "deleted"
)

// ChangeClass says that only line ends or only white space differ.
//
// +kubebuilder:validation:Enum=eolOnly;whitespaceOnly
type ChangeClass string

// The values of ChangeClass.
const (
	ChangeClassEOLOnly        ChangeClass = "eolOnly"
	ChangeClassWhitespaceOnly ChangeClass = "whitespaceOnly"
)
