package transactiontest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
)

func snapshotIsFixed(s *suite) {
	base := s.snapshot()
	if again := s.snapshot(); again != base {
		s.t.Errorf("two snapshots of one state: %q and %q", base, again)
	}
	if head := s.head(); head != base {
		s.t.Errorf("the snapshot is %q, head is %q", base, head)
	}
	r := s.commit(blocks.StatusCommitted, base, s.change(base, "a", []byte("a\n")))
	if s.read(base, "a").Content != nil {
		s.t.Error("the snapshot shows a later commit")
	}
	if later := s.snapshot(); later != r.RepoRevision {
		s.t.Errorf("a later snapshot is %q, want %q", later, r.RepoRevision)
	}
}

func headHasNoSideEffect(s *suite) {
	base := s.snapshot()
	for range 3 {
		if head := s.head(); head != base {
			s.t.Errorf("got %q, want %q", head, base)
		}
	}
}

func contentsComeBackExactly(s *suite) {
	for i, content := range []string{
		"a\n", "a", "", "a\r\nb\n", "\ufeffa\n", "\x00\n", "\xff\xfe", "\r", "é\u0301\n", strings.Repeat("long\n", 1<<17),
	} {
		path := fmt.Sprintf("dir/f%d", i)
		s.with(map[string]string{path: content})
		s.wants(path, []byte(content))
	}
}

func absentIsNotEmpty(s *suite) {
	head := s.with(map[string]string{"d/empty": ""})
	if f := s.read(head, "d/empty"); f.Content == nil || len(f.Content) > 0 {
		s.t.Errorf("an empty file: got %+v", f)
	}
	for _, path := range []string{"none", "d/none", "d", "d/empty/below"} {
		if f := s.read(head, path); f.Content != nil {
			s.t.Errorf("%q: got %+v, want no file", path, f)
		}
	}
}

func unknownRevision(s *suite) {
	s.snapshot()
	for _, revision := range []string{"", "no such revision", strings.Repeat("0", 40)} {
		if f, err := s.b.ReadFile(s.t.Context(), s.sc, revision, "a"); err == nil {
			s.t.Errorf("%q: got %+v, want an error", revision, f)
		}
	}
}

func versionsNameBytes(s *suite) {
	head := s.with(map[string]string{"a": "same\n", "b": "same\n", "c": "other\n"})
	a, c := s.read(head, "a").Version, s.read(head, "c").Version
	if a == c {
		s.t.Errorf("two contents have the version %q", a)
	}
	later := s.commit(blocks.StatusCommitted, head, s.change(head, "c", []byte("third\n"))).RepoRevision
	if now := s.read(later, "a").Version; now != a {
		s.t.Errorf("the version of an unchanged file went from %q to %q", a, now)
	}
}

func oldRevisionsStay(s *suite) {
	first := s.with(map[string]string{"a": "1\n", "b": "1\n"})
	second := s.commit(blocks.StatusCommitted, first, s.change(first, "a", []byte("2\n")), s.change(first, "b", nil)).RepoRevision
	if got := s.read(first, "a").Content; string(got) != "1\n" {
		s.t.Errorf("first: got %q", got)
	}
	if got := s.read(second, "a").Content; string(got) != "2\n" {
		s.t.Errorf("second: got %q", got)
	}
	if s.read(first, "b").Content == nil || s.read(second, "b").Content != nil {
		s.t.Error("a removed file: it was there at first and isn't any more")
	}
}

func publishedTogether(s *suite) {
	base := s.with(map[string]string{"keep": "k\n", "update": "1\n", "remove/it": "x\n"})
	r := s.commit(blocks.StatusCommitted, base,
		s.change(base, "create/new", []byte("n\n")), s.change(base, "update", []byte("2\n")), s.change(base, "remove/it", nil))
	if r.RepoRevision == base {
		s.t.Error("the revision has not moved")
	}
	if head := s.head(); head != r.RepoRevision {
		s.t.Errorf("head is %q, want %q", head, r.RepoRevision)
	}
	s.wants("create/new", []byte("n\n"))
	s.wants("update", []byte("2\n"))
	s.wants("remove/it", nil)
	s.wants("keep", []byte("k\n"))
}

func unchanged(s *suite) {
	base := s.with(map[string]string{"a": "1\n"})
	r := s.commit(blocks.StatusUnchanged, base, s.change(base, "a", []byte("1\n")), s.change(base, "none", nil))
	if head := s.head(); head != base || r.RepoRevision != base {
		s.t.Errorf("head is %q, the report says %q, want %q", head, r.RepoRevision, base)
	}
}

func stale(s *suite) {
	base := s.with(map[string]string{"a": "1\n", "b": "1\n"})
	winner := s.commit(blocks.StatusCommitted, base, s.change(base, "a", []byte("2\n"))).RepoRevision
	r := s.commit(blocks.StatusStale, base, s.change(base, "b", []byte("loser\n")), s.change(base, "a", []byte("loser\n")), s.change(base, "new", []byte("loser\n")))
	if len(r.StaleFiles) != 1 || r.StaleFiles[0].Path != "a" || string(r.StaleFiles[0].Content) != "2\n" || r.RepoRevision != winner {
		s.t.Errorf("got %+v at %q, want a row for a with its content at %q", r.StaleFiles, r.RepoRevision, winner)
	}
	if now := s.read(winner, "a").Version; r.StaleFiles[0].FileVersion != now {
		s.t.Errorf("got the version %q, want %q", r.StaleFiles[0].FileVersion, now)
	}
	s.wants("a", []byte("2\n"))
	s.wants("b", []byte("1\n"))
	s.wants("new", nil)
	removed := s.commit(blocks.StatusCommitted, winner, s.change(winner, "a", nil)).RepoRevision
	r = s.commit(blocks.StatusStale, removed, s.change(winner, "a", []byte("3\n")))
	if f := r.StaleFiles[0]; f.Content != nil || f.FileVersion != transaction.VersionAbsent {
		s.t.Errorf("a removed file: got %+v", f)
	}
}

func staleThoughEqual(s *suite) {
	base := s.with(map[string]string{"a": "1\n"})
	s.commit(blocks.StatusCommitted, base, s.change(base, "a", []byte("2\n")))
	s.commit(blocks.StatusStale, base, s.change(base, "a", []byte("2\n")))
	s.commit(blocks.StatusCommitted, base, s.change(base, "n", []byte("n\n")))
	s.commit(blocks.StatusStale, base, s.change(base, "n", []byte("n\n")))
}

func putBackIsNotStale(s *suite) {
	base := s.with(map[string]string{"a": "1\n"})
	second := s.commit(blocks.StatusCommitted, base, s.change(base, "a", []byte("2\n"))).RepoRevision
	s.commit(blocks.StatusCommitted, second, s.change(second, "a", []byte("1\n")))
	s.commit(blocks.StatusCommitted, base, s.change(base, "a", []byte("3\n")))
	s.wants("a", []byte("3\n"))
}

func unrelatedChangesStay(s *suite) {
	base := s.with(map[string]string{"d/a": "1\n", "d/b": "1\n"})
	s.commit(blocks.StatusCommitted, base, s.change(base, "d/b", []byte("2\n")), s.change(base, "e/new", []byte("n\n")))
	s.commit(blocks.StatusCommitted, base, s.change(base, "d/a", []byte("2\n")))
	s.wants("d/a", []byte("2\n"))
	s.wants("d/b", []byte("2\n"))
	s.wants("e/new", []byte("n\n"))
}

func oddNames(s *suite) {
	files := map[string]string{}
	for i, path := range []string{
		":a", ":(glob)x", "-rf", "*.txt", "a b", "\"q\"", "é", "e\u0301", "A", "a", ".gitignore", "d/.hidden", "a'b$c`d", strings.Repeat("n", 255), strings.Repeat("d/", 200) + "deep",
	} {
		files[path] = fmt.Sprintf("%d\n", i)
	}
	head := s.with(files)
	for path, content := range files {
		if got := s.read(head, path).Content; string(got) != content {
			s.t.Errorf("%q: got %q, want %q", path, got, content)
		}
	}
}

func oneWins(s *suite) {
	base := s.with(map[string]string{"a": "0\n"})
	results := s.together(base, 8, func(int) string { return "a" })
	won := 0
	for i, r := range results {
		switch r.Status {
		case blocks.StatusCommitted:
			won++
			s.wants("a", fmt.Appendf(nil, "%d\n", i))
		case blocks.StatusStale:
		default:
			s.t.Errorf("writer %d: got %s %v", i, r.Status, r.Errors)
		}
	}
	if won != 1 {
		s.t.Errorf("%d writers won", won)
	}
}

func allWin(s *suite) {
	base := s.with(map[string]string{"a": "0\n"})
	path := func(i int) string { return fmt.Sprintf("d/f%d", i) }
	for i, r := range s.together(base, 8, path) {
		if r.Status != blocks.StatusCommitted {
			s.t.Errorf("writer %d: got %s %v", i, r.Status, r.Errors)
		}
		s.wants(path(i), fmt.Appendf(nil, "%d\n", i))
	}
	s.wants("a", []byte("0\n"))
}

// together has n writers commit at once, each to the path of its number.
func (s *suite) together(base string, n int, path func(i int) string) []transaction.Report {
	s.t.Helper()
	requests := make([]transaction.CommitRequest, n)
	for i := range n {
		requests[i] = s.request(base, s.change(base, path(i), fmt.Appendf(nil, "%d\n", i)))
	}
	results, errs := make([]transaction.Report, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { results[i], errs[i] = s.b.Commit(s.t.Context(), requests[i]) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			s.t.Errorf("writer %d: %v", i, err)
		}
	}
	return results
}

func endedContext(s *suite) {
	base := s.with(map[string]string{"a": "1\n"})
	req := s.request(base, s.change(base, "a", []byte("2\n")))
	if r, err := s.b.Commit(cancelled(s.t), req); err == nil {
		s.t.Errorf("got %s, want an error", r.Status)
	}
	s.wants("a", []byte("1\n"))
}
