package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// contract-001: somebody writes a target after it was compared: it keeps these bytes.
func TestWorkOnATargetIsKept(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n", "b": "b\n"})
	s := p.open()
	p.snapshot(s)
	s.Probe = func(at Point, path string) {
		if at == BeforeReplace && path == "a" {
			p.write("a", "local\n")
		}
	}
	r, err := p.settle(s, map[string]string{"a": "new\n", "b": "new\n"})
	if err != nil || r.Status != blocks.StatusProjectionFailed || len(r.Errors) != 1 || len(r.Results) != 2 || r.Commit != r.RepoRevision {
		t.Errorf("got %s %+v, %v", r.Status, r.Errors, err)
	}
	if want := (blocks.Drift{Path: "a", FileVersion: versionOf("local\n"), ExpectedVersion: versionOf("a\n"), TargetVersion: versionOf("new\n")}); !slices.Equal(r.LocalDrift, []blocks.Drift{want}) {
		t.Errorf("got %+v, want %+v", r.LocalDrift, want)
	}
	p.wants("a", "local\n")
	p.wants("b", "new\n")
}

func versionOf(text string) string {
	return string(git.Object{Kind: git.Blob, Data: []byte(text)}.ID())
}

// contract-002: a projection that fails stays published, and the next transaction
// finishes it.
func TestAProjectionThatFailedIsFinishedByTheNext(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n", "b": "b\n"})
	s := p.open()
	before := p.snapshot(s)
	temp := p.root + ".fettle-tmp"
	s.Probe = func(at Point, _ string) {
		if at == AfterSwap {
			os.RemoveAll(temp)
		}
	}
	r, err := p.settle(s, map[string]string{"a": "new\n", "b": "new\n"})
	s.Probe = nil
	if err != nil || r.Status != blocks.StatusProjectionFailed || len(r.Errors) != 1 || r.Errors[0].Code != blocks.CodeMaterializeFailed {
		t.Fatalf("got %s %+v, %v", r.Status, r.Errors, err)
	}
	if head, _ := s.Head(t.Context()); head != r.Commit {
		t.Errorf("head is %s, want %s", head, r.Commit)
	}
	if cursor, _ := s.readRef(refCursor); string(cursor) != before {
		t.Errorf("the cursor is at %s, want %s", cursor, before)
	}
	p.wants("a", "a\n")
	os.Mkdir(temp, 0o700)
	other := p.open()
	p.commits(other, map[string]string{"c": "c\n"})
	p.wants("a", "new\n")
	p.wants("b", "new\n")
	if cursor, _ := s.readRef(refCursor); cursor == git.ID(before) {
		t.Error("the cursor has not moved")
	}
}

// contract-003: what is written already isn't written again.
func TestRecoveryRewritesNothing(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n"})
	s := p.open()
	before := p.snapshot(s)
	p.commits(s, map[string]string{"a": "new\n", "d/n": "n\n"})
	p.git("update-ref", refCursor, before) // killed after the last rename
	inode := func(path string) os.FileInfo { info, err := os.Stat(p.at(path)); must(t, err); return info }
	a, n := inode("a"), inode("d/n")
	other := p.open()
	head, drift, err := other.Recover(t.Context())
	if err != nil || len(drift) > 0 {
		t.Fatalf("got %+v, %v", drift, err)
	}
	if cursor, _ := other.readRef(refCursor); string(cursor) != head {
		t.Errorf("the cursor is at %s, want %s", cursor, head)
	}
	if !os.SameFile(a, inode("a")) || !os.SameFile(n, inode("d/n")) {
		t.Error("a file was written again")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contract-004: a new agent's view writes nothing, whatever somebody did to the
// directory.
func TestANewAgentWritesNothing(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n", "b": "b\n"})
	s := p.open()
	p.snapshot(s)
	for i := range 5 {
		p.commits(s, map[string]string{"a": strings.Repeat("x\n", i+1)})
	}
	p.write("a", "edited\n")
	p.write("b", "edited\n")
	if _, drift, err := s.Prepare(t.Context(), "new", "workspace"); err != nil || len(drift) > 0 {
		t.Errorf("got %+v, %v", drift, err)
	}
	p.wants("a", "edited\n")
	p.wants("b", "edited\n")
}

// contract-019, § 12.7.
func TestADamagedCanonicalRefFailsAndTouchesNothing(t *testing.T) {
	for name, damage := range map[string]func(p *place){
		"it names nothing that exists": func(p *place) {
			p.writeStore("refs/heads/agent-canonical", strings.Repeat("1", 40)+"\n")
		},
		"it names a blob": func(p *place) {
			p.writeStore("refs/heads/agent-canonical", p.git("hash-object", "-w", "--stdin", "--path", "x")+"\n")
		},
		"it is gone": func(p *place) { os.Remove(p.root + ".fettle-git/refs/heads/agent-canonical") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a": "a\n"})
			s := p.open()
			head := p.snapshot(s)
			q := p.proposal(s, head, map[string]string{"a": "b\n"})
			damage(p)
			other := p.open()
			if r, err := other.Settle(t.Context(), q); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %s, %v, want ErrDamaged", r.Status, err)
			}
			if _, _, err := other.Prepare(t.Context(), "A", "workspace"); !errors.Is(err, ErrDamaged) {
				t.Errorf("prepare: got %v, want ErrDamaged", err)
			}
			p.wants("a", "a\n")
		})
	}
}

func (p *place) writeStore(path, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.root+".fettle-git", path), []byte(text), 0o644))
}

// A store that somebody else made could name anything: what is no file and what Git
// reserves is never written.
func TestAPlantedStoreWritesNothingOutsideItsFiles(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "a\n", ".git/HEAD": "mine\n"})
	s := p.open()
	p.snapshot(s)
	blob := git.Object{Kind: git.Blob, Data: []byte("evil\n")}
	h, err := s.readHead()
	must(t, err)
	file := func(path string, mode git.Mode) git.Change {
		return git.Change{Path: path, Entry: git.Entry{Mode: mode, ID: blob.ID()}}
	}
	root, trees, err := s.repo.Trees().Edit(h.Tree, []git.Change{
		file(".git/hooks/post-commit", git.ModeFile), file("../outside", git.ModeFile), file("d/.GIT/config", git.ModeFile),
		file("link", git.ModeLink), file("module", git.ModeSubmodule), file("good", git.ModeFile), file("a\nb", git.ModeFile),
	})
	must(t, err)
	who := git.FormatIdentity("", "", time.Unix(1, 0))
	c := git.CommitInfo{Tree: root, Parent: h.id, Author: who, Committer: who, Message: "evil\n"}.Format()
	must(t, s.repo.Write(t.Context(), append(trees, blob, c)))
	must(t, s.repo.Update(t.Context(), git.Update{Ref: s.CanonicalRef, Old: h.id, New: c.ID()}))
	_, drift, err := s.Recover(t.Context())
	if err != nil || len(drift) != 6 {
		t.Errorf("got %+v, %v, want 6 paths left", drift, err)
	}
	p.wants("good", "evil\n")
	for _, path := range []string{".git/hooks", "../outside", "d", "link", "module", "a\nb"} {
		if _, err := os.Lstat(p.at(path)); err == nil {
			t.Errorf("%q was written", path)
		}
	}
}

// contract-014, contract-056: what clean-up removes.
func TestCleanUpRemovesOldTempFilesOfTheDead(t *testing.T) {
	p := newPlace(t, nil)
	temp := t.TempDir()
	p.host.Environ = append(os.Environ(), "FETTLE_TMP="+temp)
	p.host.DeadOwners = []string{"o1"}
	s := p.open()
	p.snapshot(s)
	at := time.Unix(1700000000, 0)
	plant := func(o owner.Owner) string {
		name := o.TempName()
		must(t, os.WriteFile(filepath.Join(temp, name), nil, 0o600))
		at = at.Add(time.Second)
		must(t, os.Chtimes(filepath.Join(temp, name), at, at))
		return name
	}
	dead := owner.Owner{Name: "o", Host: s.self.Host, PID: 1 << 30, StartTime: 1}
	var old, fresh, kept []string
	for range 4 {
		old = append(old, plant(dead))
	}
	for i := range 16 {
		if i%2 == 0 {
			dead.Host, dead.Name = "elsewhere:1", "o1"
		} else {
			dead.Host, dead.Name = s.self.Host, "o"
		}
		fresh = append(fresh, plant(dead))
	}
	kept = append(fresh, plant(living(t, s.self)), plant(owner.Owner{Name: "o2", Host: "elsewhere:1", PID: 1}))
	must(t, os.WriteFile(filepath.Join(temp, "notes.txt"), nil, 0o600))
	p.commits(s, map[string]string{"a": "b\n"})
	entries, err := os.ReadDir(temp)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	kept = append(kept, "notes.txt")
	slices.Sort(kept)
	if !slices.Equal(got, kept) {
		t.Errorf("got %d files, want %d; old ones: %q\n got %q\nwant %q", len(got), len(kept), old, got, kept)
	}
}

// contract-015.
func TestTempFilesBelowTheRootAreRefused(t *testing.T) {
	for _, temp := range []string{"tmp", ".", "a/../b"} {
		p := newPlace(t, nil)
		p.host.Environ = append(os.Environ(), "FETTLE_TMP="+temp)
		o, err := p.host.Options(p.root)
		must(t, err)
		if s, err := Open(o); err == nil || !strings.Contains(err.Error(), "FETTLE_TMP") {
			t.Errorf("%s: got %v, %v, want an error that names FETTLE_TMP", temp, s, err)
		}
	}
}

// contract-061, contract-060.
func TestPathsOnAVolume(t *testing.T) {
	for _, path := range []string{"/src/", "src", "//src", "./src"} {
		dir, temp, err := VolumePaths(path)
		if err != nil || dir != ".fettle/25a6634263c1b1f6/store" || temp != ".fettle/25a6634263c1b1f6/tmp" {
			t.Errorf("%q: got %q, %q, %v", path, dir, temp, err)
		}
	}
	for _, path := range []string{"", "/", ".", "..", "../x", ".fettle", ".fettle/x", "a/../.fettle/x", "a/.."} {
		if dir, _, err := VolumePaths(path); err == nil {
			t.Errorf("%q: got %q, want an error", path, dir)
		}
	}
}

// An ended context ends the waiting; after the swap it ends nothing.
func TestAnEndedContextCountsUntilTheSwap(t *testing.T) {
	for at, want := range map[Point]bool{AfterLock: false, AfterSwap: true} {
		p := newPlace(t, map[string]string{"a": "a\n"})
		s := p.open()
		head := p.snapshot(s)
		q := p.proposal(s, head, map[string]string{"a": "b\n"})
		ctx, cancel := context.WithCancel(t.Context())
		s.Probe = func(now Point, _ string) {
			if now == at {
				cancel()
			}
		}
		r, err := s.Settle(ctx, q)
		if committed := err == nil && r.Status == blocks.StatusCommitted; committed != want {
			t.Errorf("%s: got %s, %v, want a commit: %v", at, r.Status, err, want)
		}
		cancel()
		s.Probe = nil
		p.commits(s, map[string]string{"c": "c\n"})
	}
}
