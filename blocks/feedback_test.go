package blocks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func checkText(t *testing.T, got, want string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The two examples of § 18.10.
func TestFeedbackOfACommitIsTheExample(t *testing.T) {
	r := &Report{
		Status: StatusCommitted, Commit: "3f2c9d1" + strings.Repeat("0", 33), RepoRevision: "3f2c9d1" + strings.Repeat("0", 33),
		Results: []Result{
			{Path: "pkg/queue.go", Mode: ModeDiff, Status: Updated, Added: 2, Removed: 1, EditFormat: FormatGitDiff, EditsProposed: 1, EditsApplied: 1, Fuzz: 3,
				DiffText: "--- a/pkg/queue.go\n+++ b/pkg/queue.go\n@@ -12 +12,2 @@\n+\tlimit := 8\n+\twait := limit / 2\n-\tlimit := 4"},
			{Path: "docs/queue.md", Mode: ModeAppend, Status: Appended, Added: 4, Lines: 31, Notes: []Note{NoteFinalNewlineCompleted}},
			{Path: "CHANGELOG.md", Mode: ModeAppend, Status: Unchanged},
		},
	}
	checkText(t, Feedback(r, Defaults()), "[fettle] committed 3f2c9d1: 2 changed, 1 unchanged\n"+
		"[fettle] pkg/queue.go: updated, +2 -1 (1 edits, drift 3)\n"+
		"[fettle] docs/queue.md: appended, +4, now 31 lines; final-newline-completed\n"+
		"[fettle] append skipped: CHANGELOG.md already ends with this block\n"+
		"``` diff path=pkg/queue.go\n--- a/pkg/queue.go\n+++ b/pkg/queue.go\n@@ -12 +12,2 @@\n+\tlimit := 8\n+\twait := limit / 2\n-\tlimit := 4\n```\n")
}

func TestFeedbackOfAStaleMessageIsTheExample(t *testing.T) {
	id := func(s string) string { return s + strings.Repeat("a", 33) }
	r := &Report{
		Status: StatusStale, RepoRevision: id("77ab01e"),
		StaleFiles: []StaleFile{{
			Path: "pkg/queue.go", Content: []byte("package queue\n\nconst limit = 16\n"),
			ObservedVersion: id("9d2f11c"), FileVersion: id("04be7a5"), RepoRevision: id("77ab01e"),
			ChangesSinceRead: []Change{{Commit: id("77ab01e"), Agent: "reviewer", Message: "fettle: 1 file(s)\n\nmore"}},
		}},
	}
	checkText(t, Feedback(r, Defaults()), "[fettle] stale: nothing was written, 1 file(s) changed since you read them\n"+
		"[fettle] at revision 77ab01e\n"+
		"[fettle] pkg/queue.go: you read 9d2f11c, now 04be7a5\n"+
		"[fettle]   77ab01e by reviewer: fettle: 1 file(s)\n"+
		"``` path=pkg/queue.go numbered\n1: package queue\n2: \n3: const limit = 16\n```\n"+
		"[fettle] send the whole message again, based on the content shown\n")
}

func TestSummariesAreTheStatusPhrases(t *testing.T) {
	errs := []Error{{Code: CodePathEscape}, {Code: CodePathClash}}
	for want, r := range map[string]Report{
		"committed c: 1 changed, 1 unchanged": {Status: StatusCommitted, Commit: "c", Results: []Result{{Status: Created}, {Status: Unchanged}}},
		"unchanged at r":                      {Status: StatusUnchanged, RepoRevision: "r", Hints: []Hint{{Line: 1}}},
		"stale: nothing was written, 2 file(s) changed since you read them":          {Status: StatusStale, StaleFiles: make([]StaleFile, 2)},
		"precondition failed: nothing was written":                                   {Status: StatusPreconditionFailed, Errors: errs},
		"edit unresolved: nothing was written":                                       {Status: StatusEditUnresolved, Errors: errs},
		"workspace has local changes: nothing was written":                           {Status: StatusWorktreeDirty},
		"failed: nothing was written, 2 error(s)":                                    {Status: StatusFailed, Errors: errs},
		"committed c but not projected: tools are blocked":                           {Status: StatusProjectionFailed, Commit: "c", RepoRevision: "c"},
		"committed c but not published: tools are blocked":                           {Status: StatusPublicationFailed, Commit: "c", RepoRevision: "c"},
		"nothing written: 3 block(s) look like writes":                               HintReport(Parsed{Hints: make([]Hint, 3)}, "t"),
		"committed 0123456: 0 changed, 0 unchanged":                                  {Status: StatusCommitted, Commit: strings.Repeat("0123456789abcdef", 4)},
		"committed 0123456789ABCDEF0123456789ABCDEF01234567: 0 changed, 0 unchanged": {Status: StatusCommitted, Commit: "0123456789ABCDEF0123456789ABCDEF01234567"},
	} {
		if got, _, _ := strings.Cut(Feedback(&r, Defaults()), "\n"); got != tag+want {
			t.Errorf("%s: got %q, want %q", r.Status, got, tag+want)
		}
	}
}

func TestErrorsAreNumberedWithTheirHintBelow(t *testing.T) {
	r := FailedReport("t", "", nil,
		Error{Code: CodeUnknownAttr, Path: "a b", Token: "```x", Hint: "one"},
		Error{Code: CodeMaterializeFailed, Detail: "the lock is held\nby o1"})
	checkText(t, Feedback(&r, Defaults()), "[fettle] failed: nothing was written, 2 error(s)\n"+
		"1. file=\"a b\": UNKNOWN_ATTR\n    \"```x\": one\n"+
		"2. MATERIALIZE_FAILED\n    "+CodeMaterializeFailed.Hint()+"\n    the lock is held\ufffdby o1\n")
}

func TestDirtyFeedbackEndsWithHowToTakeTheLocalBytes(t *testing.T) {
	r := &Report{Status: StatusWorktreeDirty, RepoRevision: "r", DirtyFiles: []DirtyFile{
		{Path: "a", Content: []byte("mine\n"), FileVersion: "w", ExpectedVersion: "p", TargetVersion: "t"},
		{Path: "b c", FileVersion: VersionNonFile, ExpectedVersion: "p", TargetVersion: "t"},
	}, Hints: []Hint{{Line: 4, Info: "FILE\t=x"}}}
	checkText(t, Feedback(r, Defaults()), "[fettle] workspace has local changes: nothing was written\n"+
		"[fettle] at revision r\n"+
		"[fettle] a: on disk w, last written p, proposed t\n"+
		"``` path=a numbered\n1: mine\n```\n"+
		"[fettle] \"b c\": on disk non-file, last written p, proposed t\n"+
		"[fettle] \"b c\" is no regular file\n"+
		"[fettle] line 4 looks like a write but is none: FILE =x; a write is a fence with file=PATH\n"+
		"[fettle] whoever keeps the workspace can take the local bytes with `fettle blocks absorb`: a \"b c\"\n")
}

func TestResultLines(t *testing.T) {
	for want, r := range map[string]Result{
		"a: created, 3 lines":                              {Status: Created, Lines: 3, Added: 3},
		"a: deleted, -4":                                   {Status: Deleted, Removed: 4},
		"a: unchanged":                                     {Status: Unchanged, Mode: ModeUpdate},
		"delete skipped: a does not exist":                 {Status: Unchanged, Mode: ModeDelete},
		"a: unchanged (2 edits, drift 0)":                  {Status: Unchanged, Mode: ModeEdit, EditFormat: FormatReplace, EditsApplied: 2},
		"a: updated, +1 -0; eol-changed, no-final-newline": {Status: Updated, Added: 1, Notes: []Note{NoteEOLChanged, NoteNoFinalNewline}},
	} {
		r.Path = "a"
		if got := resultLine(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestACutDiffSaysLimitAndTotals(t *testing.T) {
	d := NewDiff("a", []byte("1\n2\n3\n"), []byte("x\ny\n"), 4)
	if d.Text != "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n+x" || d.TruncatedTo != 4 || d.Added != 2 || d.Removed != 3 {
		t.Errorf("got %+v", d)
	}
	r := &Report{Status: StatusCommitted, Results: []Result{{Path: "a", Status: Updated, DiffText: d.Text, DiffTruncatedTo: 4, Added: 2, Removed: 3}}}
	if got := Feedback(r, Defaults()); !strings.Contains(got, "\n[fettle] a: the diff is cut at 4 lines; in all +2 -3\n") {
		t.Errorf("got %s", got)
	}
}

func TestFilesThatArentShownAreNamed(t *testing.T) {
	cfg := Defaults()
	cfg.MaxEchoBytes = 4
	r := &Report{Status: StatusEditUnresolved, Files: []ShownFile{
		{Path: "absent", FileVersion: VersionAbsent}, {Path: "bin", Content: []byte{0xff}, FileVersion: "v1"}, {Path: "big", Content: []byte("12345"), FileVersion: "v2"},
	}}
	got := Feedback(r, cfg)
	for _, want := range []string{"absent does not exist\n", "bin is not UTF-8 and not shown: 1 bytes, version v1\n", "big is too large to show: 5 bytes, version v2\n"} {
		if !strings.Contains(got, tag+want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestPublicationsAndDriftHaveTheirLines(t *testing.T) {
	r := &Report{Status: StatusCommitted, Commit: "c", Publications: []Publication{{Scope: "ext", Revision: "r1"}, {Scope: "s", Revision: "r2", NoOp: true}}, LocalDrift: []Drift{{"d", "w", "p", "t"}}}
	checkText(t, Feedback(r, Defaults()), "[fettle] committed c: 0 changed, 0 unchanged\n[fettle] ext: published at r1\n[fettle] s: nothing to publish at r2\n[fettle] local change left alone: d is w, last written p, published t\n")
}
