package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

func TestTheLogTellsWhatWasPublished(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n", "bin": "\xff"})
	s := p.open()
	base := p.snapshot(s)
	first := p.commits(s, map[string]string{"a": "b\n", "d/n": "n\n"}).Commit
	q := p.proposal(s, first, map[string]string{"bin": "text\n"})
	q.Agent, q.TransactionID = "other", "t:2"
	second, err := s.Settle(t.Context(), q)
	must(t, err)
	p.write("gen", "g\n")
	run, err := s.Absorb(t.Context(), AbsorbRequest{Run: "web", Paths: []string{"gen"}, Read: allow})
	must(t, err)
	for name, tt := range map[string]struct {
		filter Filter
		want   []string
	}{
		"all":      {Filter{}, []string{run.Commit, second.Commit, first, base}},
		"two":      {Filter{Limit: 2}, []string{run.Commit, second.Commit}},
		"a path":   {Filter{Path: "d/n"}, []string{first}},
		"an agent": {Filter{Agent: "other"}, []string{second.Commit}},
		"nobody":   {Filter{Agent: "nobody"}, nil},
	} {
		entries, err := s.Log(t.Context(), tt.filter)
		var got []string
		for _, e := range entries {
			got = append(got, e.Commit)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
		}
	}
	e, diff, err := s.Show(t.Context(), first[:8])
	if err != nil || e.Agent != "A" || e.Transaction != "t" || e.Parent != base || !slices.Equal(e.Paths, []string{"a", "d/n"}) || len(e.Trailers) != 2 || e.Subject != "fettle: 2 file(s)" {
		t.Errorf("got %+v, %v", e, err)
	}
	if want := "--- a/a\n+++ b/a\n@@ -1 +1 @@\n+b\n-a\n--- a/d/n\n+++ b/d/n\n@@ -0,0 +1 @@\n+n\n"; diff != want {
		t.Errorf("got %q, want %q", diff, want)
	}
	if e, _, err := s.Show(t.Context(), ""); err != nil || e.Commit != run.Commit || e.Run != "web" || e.Agent != "" {
		t.Errorf("head: got %+v, %v", e, err)
	}
	if _, diff, err := s.Show(t.Context(), second.Commit); err != nil || !strings.Contains(diff, "not UTF-8: 1 bytes, then 5") {
		t.Errorf("got %q, %v", diff, err)
	}
	for _, name := range []string{"0000000", "xyz", first[:3]} {
		if _, _, err := s.Show(t.Context(), name); !errors.Is(err, ErrNoCommit) {
			t.Errorf("%q: got %v, want ErrNoCommit", name, err)
		}
	}
	if content, ok, err := s.File(t.Context(), base, "bin"); err != nil || !ok || string(content) != "\xff" {
		t.Errorf("got %q, %v, %v", content, ok, err)
	}
	if _, ok, err := s.File(t.Context(), base, "none"); err != nil || ok {
		t.Errorf("no such file: got %v, %v", ok, err)
	}
	if st, err := s.State(t.Context()); err != nil || st.Head != run.Commit || st.Projected != run.Commit || st.Lock != nil {
		t.Errorf("got %+v, %v", st, err)
	}
}

func allow(string) (bool, string) { return true, "" }

// contract-057, contract-058, § 14.6.
func TestUnlockNeedsTheOwnersName(t *testing.T) {
	p := newPlace(t, nil)
	s := p.open()
	p.snapshot(s)
	if got, _, err := s.Unlock(t.Context(), "o1"); got != NotHeld || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, NotHeld)
	}
	foreign := owner.Owner{Name: "o1", Host: "elsewhere:1", PID: 41, AcquiredAt: "2026-01-02T03:04:05Z"}
	lock := p.plantLock(s, foreign)
	if got, held, err := s.Unlock(t.Context(), "o2"); got != HeldByOther || held != foreign || err != nil {
		t.Errorf("got %s of %+v, %v, want %s", got, held, err, HeldByOther)
	}
	if now, _ := s.readRef(refLock); now != lock {
		t.Error("the lock has changed")
	}
	if got, held, err := s.Unlock(t.Context(), "o1"); got != Removed || held != foreign || err != nil {
		t.Errorf("got %s of %+v, %v, want %s", got, held, err, Removed)
	}
	if now, _ := s.readRef(refLock); now != git.Zero {
		t.Error("the lock is still there")
	}
	here := living(t, s.self)
	p.plantLock(s, here)
	if got, held, err := s.Unlock(t.Context(), here.Name); got != AliveHere || held.PID != here.PID || err != nil {
		t.Errorf("got %s of %+v, %v, want %s", got, held, err, AliveHere)
	}
	if _, err := p.settle(s, map[string]string{"a": "a\n"}); err == nil {
		t.Error("the lock of a live process was taken")
	}
}
