// Package transactiontest is the suite that every transaction.Backend must pass, whoever
// wrote it (spec/blocks.md § 21.8). Each sentence of the contract has a test here.
//
//	func TestBackend(t *testing.T) {
//		transactiontest.Run(t, func(t *testing.T) transaction.Backend { return mine.New(t.TempDir()) })
//	}
package transactiontest

import (
	"context"
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
)

// Run runs the suite. open returns a new backend that holds no file and lets every
// agent write; it cleans up with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) transaction.Backend) {
	for _, test := range []struct {
		name string
		run  func(s *suite)
	}{
		{"ASnapshotIsHeadAndStaysTheSame", snapshotIsFixed},
		{"HeadHasNoSideEffect", headHasNoSideEffect},
		{"ContentsComeBackExactly", contentsComeBackExactly},
		{"AnAbsentFileIsNilAndAnEmptyOneIsNot", absentIsNotEmpty},
		{"AnUnknownRevisionIsAnError", unknownRevision},
		{"VersionsNameBytes", versionsNameBytes},
		{"OldRevisionsStayReadable", oldRevisionsStay},
		{"AllChangesArePublishedTogether", publishedTogether},
		{"AChangeOfNothingIsUnchanged", unchanged},
		{"AnotherVersionIsStaleAndNothingIsWritten", stale},
		{"ProposingWhatHeadHasIsStaleAllTheSame", staleThoughEqual},
		{"ContentThatWasPutBackIsNotStale", putBackIsNotStale},
		{"OtherPathsKeepWhatOthersPublished", unrelatedChangesStay},
		{"OddNamesAreNames", oddNames},
		{"OfWritersToOneFileOneWins", oneWins},
		{"WritersToDifferentFilesAllWin", allWin},
		{"AnEndedContextPublishesNothing", endedContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(&suite{t: t, b: open(t), sc: transaction.Context{Root: "/root", Scope: "scope", AgentID: "agent"}})
		})
	}
}

// suite is one test.
type suite struct {
	t  *testing.T
	b  transaction.Backend
	sc transaction.Context
	n  int
}

func (s *suite) snapshot() string {
	s.t.Helper()
	revision, err := s.b.CaptureSnapshot(s.t.Context(), s.sc)
	if err != nil || revision == "" {
		s.t.Fatalf("CaptureSnapshot: got %q, %v", revision, err)
	}
	return revision
}

func (s *suite) head() string {
	s.t.Helper()
	revision, err := s.b.Head(s.t.Context(), s.sc)
	if err != nil || revision == "" {
		s.t.Fatalf("Head: got %q, %v", revision, err)
	}
	return revision
}

func (s *suite) read(revision, path string) transaction.File {
	s.t.Helper()
	f, err := s.b.ReadFile(s.t.Context(), s.sc, revision, path)
	if err != nil {
		s.t.Fatalf("ReadFile %q: %v", path, err)
	}
	if f.Version == "" || (f.Content == nil) != (f.Version == transaction.VersionAbsent) {
		s.t.Fatalf("ReadFile %q: content %q and version %q don't fit", path, f.Content, f.Version)
	}
	return f
}

// wants checks what head has at a path, nil for nothing.
func (s *suite) wants(path string, want []byte) {
	s.t.Helper()
	if got := s.read(s.head(), path).Content; string(got) != string(want) || (got == nil) != (want == nil) {
		s.t.Errorf("%q: got %q, want %q", path, got, want)
	}
}

// change is a change computed from what a revision has.
func (s *suite) change(revision, path string, content []byte) transaction.Change {
	s.t.Helper()
	before := s.read(revision, path)
	c := transaction.Change{Path: path, Mode: blocks.ModeWrite, Content: content, ExpectedVersion: before.Version, ObservedRevision: revision}
	c.Result = blocks.Result{Path: path, Mode: c.Mode, Status: blocks.Updated, Encoding: "utf-8"}
	if content == nil {
		c.Mode = blocks.ModeDelete
	}
	return c
}

func (s *suite) request(revision string, changes ...transaction.Change) transaction.CommitRequest {
	s.n++
	return transaction.CommitRequest{Context: s.sc, ViewRevision: revision, TransactionID: fmt.Sprintf("t%d", s.n), Changes: changes}
}

// commit commits and checks the status and what every report of it must say.
func (s *suite) commit(want blocks.Status, revision string, changes ...transaction.Change) transaction.Report {
	s.t.Helper()
	r, err := s.b.Commit(s.t.Context(), s.request(revision, changes...))
	if err != nil {
		s.t.Fatalf("Commit: %v", err)
	}
	if r.Status != want {
		s.t.Fatalf("Commit: got %s %v, want %s", r.Status, r.Errors, want)
	}
	if err := fits(r, changes); err != nil {
		s.t.Fatalf("Commit: the report of %s makes no sense: %v", r.Status, err)
	}
	return r
}

// fits checks a report by § 21.4.
func fits(r transaction.Report, changes []transaction.Change) error {
	switch {
	case r.Status == blocks.StatusCommitted && (r.Commit == "" || r.Commit != r.RepoRevision):
		return fmt.Errorf("commit %q, revision %q", r.Commit, r.RepoRevision)
	case r.Status != blocks.StatusCommitted && r.Commit != "":
		return fmt.Errorf("commit %q", r.Commit)
	case r.Status != blocks.StatusFailed && r.RepoRevision == "":
		return fmt.Errorf("no revision")
	case (r.Status == blocks.StatusStale) != (len(r.StaleFiles) > 0):
		return fmt.Errorf("%d stale files", len(r.StaleFiles))
	}
	submitted := map[string]string{}
	for _, c := range changes {
		submitted[c.Path] = c.ExpectedVersion
	}
	for _, f := range r.StaleFiles {
		if expected, ok := submitted[f.Path]; !ok || f.ObservedVersion != expected || f.FileVersion == expected {
			return fmt.Errorf("stale file %+v", f)
		}
	}
	return nil
}

// with puts files into the backend and returns head.
func (s *suite) with(files map[string]string) string {
	s.t.Helper()
	base := s.snapshot()
	var changes []transaction.Change
	for path, content := range files {
		changes = append(changes, s.change(base, path, []byte(content)))
	}
	return s.commit(blocks.StatusCommitted, base, changes...).RepoRevision
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
