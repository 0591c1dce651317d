package status

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/report"
)

// Bounds of the schema.
const (
	maxFirst = 20
	maxPath  = 1024
)

// accountingOf is what a status has of a report: counts, first rows, a digest of all.
func accountingOf(r report.Report) *v1alpha1.Accounting {
	a := &v1alpha1.Accounting{
		Acquired:    int64(r.Acquisition.Files),
		Skipped:     skippedOf(r.Acquisition.Skipped),
		Excluded:    countsOf(r.Acquisition.Excluded),
		Gitignored:  countsOf(r.Acquisition.Gitignored),
		Changed:     changedOf(r.Changes),
		Diagnostics: severitiesOf(r.Diagnostics),
		Notes:       notesOf(r),
		Digest:      digestOf(r.Changes),
	}
	for _, c := range r.Changes {
		if len(a.First) == maxFirst {
			break
		}
		if fits(c.Path) && (c.From == "" || fits(c.From)) {
			a.First = append(a.First, rowOf(c))
		}
	}
	return a
}

// fits says whether a path can stand in an object: no longer than its schema has it, and
// UTF-8, as everything in JSON is.
func fits(path string) bool {
	return path != "" && utf8.RuneCountInString(path) <= maxPath && utf8.ValidString(path)
}

func rowOf(c report.Change) v1alpha1.ChangeRow {
	return v1alpha1.ChangeRow{
		Path: v1alpha1.Path(c.Path), Kind: v1alpha1.ChangeKind(c.Kind), From: v1alpha1.Path(c.From),
		LinesAdded: int64(c.LinesAdded), LinesRemoved: int64(c.LinesRemoved), Class: v1alpha1.ChangeClass(c.Class),
	}
}

func skippedOf(skips []report.Skip) *v1alpha1.SkippedCounts {
	var s v1alpha1.SkippedCounts
	for _, skip := range skips {
		switch skip.Reason {
		case acquire.Unaddressable:
			s.Unaddressable = int64(skip.Count)
		case acquire.ReadDenied:
			s.ReadDenied = int64(skip.Count)
		case acquire.NonText:
			s.NonText = int64(skip.Count)
		}
	}
	return unlessZero(s)
}

func countsOf(c report.Counts) *v1alpha1.ExcludedCounts {
	return unlessZero(v1alpha1.ExcludedCounts{Files: int64(c.Files), Directories: int64(c.Directories)})
}

func changedOf(changes []report.Change) v1alpha1.ChangedCounts {
	c := v1alpha1.ChangedCounts{Files: int64(len(changes))}
	for _, row := range changes {
		switch v1alpha1.ChangeKind(row.Kind) {
		case v1alpha1.ChangeAdded:
			c.Added++
		case v1alpha1.ChangeModified:
			c.Modified++
		case v1alpha1.ChangeRenamed:
			c.Renamed++
		case v1alpha1.ChangeDeleted:
			c.Deleted++
		}
		c.LinesAdded += int64(row.LinesAdded)
		c.LinesRemoved += int64(row.LinesRemoved)
	}
	return c
}

func severitiesOf(list []diagnostic.Diagnostic) *v1alpha1.DiagnosticCounts {
	var c v1alpha1.DiagnosticCounts
	for _, d := range list {
		switch d.Severity {
		case diagnostic.Error:
			c.Errors++
		case diagnostic.Warning:
			c.Warnings++
		case diagnostic.Info:
			c.Infos++
		}
	}
	return unlessZero(c)
}

func notesOf(r report.Report) *v1alpha1.NoteCounts {
	return unlessZero(v1alpha1.NoteCounts{
		Unreadable: int64(len(r.Unreadable)), Withheld: int64(len(r.Withheld)), Identity: int64(len(r.Identity)),
		Discrepancies: int64(len(r.Discrepancies)), Strays: int64(len(r.Strays)),
	})
}

// digestOf is over all rows, as the report has them.
func digestOf(changes []report.Change) v1alpha1.Digest {
	sum := sha256.New()
	out := json.NewEncoder(sum)
	for _, c := range changes {
		_ = out.Encode(c) // neither a row nor a hash can fail
	}
	return v1alpha1.Digest("sha256:" + hex.EncodeToString(sum.Sum(nil)))
}

func unlessZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
