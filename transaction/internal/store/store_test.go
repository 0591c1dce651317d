package store

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// place is a root and its store.
type place struct {
	t    *testing.T
	root string
	host Host
}

func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root, host: Host{
		CanonicalRef: "refs/heads/agent-canonical", MaxSwaps: 8, TempKeep: 16, Config: blocks.Defaults(), Environ: os.Environ(), Now: time.Now,
		Settings: Settings{Wait: 2 * time.Second},
	}}
	for path, text := range files {
		p.write(path, text)
	}
	return p
}

func (p *place) at(path string) string { return filepath.Join(p.root, path) }

func (p *place) write(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(path)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.at(path), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) wants(path, want string) {
	p.t.Helper()
	if got, err := os.ReadFile(p.at(path)); err != nil || string(got) != want {
		p.t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

// open opens the store, as another process would.
func (p *place) open() *Store {
	p.t.Helper()
	o, err := p.host.Options(p.root)
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := Open(o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.Close() })
	return s
}

// git runs git on the store, as a user would.
func (p *place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"--git-dir", p.root + ".fettle-git"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// proposal is that of an agent who has seen the revision.
func (p *place) proposal(s *Store, revision string, files map[string]string) Proposal {
	p.t.Helper()
	q := Proposal{Agent: "A", TransactionID: "t"}
	for path, text := range files {
		content, version, err := s.Read(p.t.Context(), revision, path)
		if err != nil {
			p.t.Fatal(err)
		}
		b := blocks.Block{Path: path, Mode: blocks.ModeWrite, Diff: blocks.DetailLimited, Encoding: "utf-8", Newline: blocks.NewlinePreserve, Content: text}
		observed := blocks.Observed{Content: content, Version: version, Revision: revision}
		c, err := blocks.Resolve(b, path, observed, p.host.Config)
		if err != nil {
			p.t.Fatal(err)
		}
		q.Targets = append(q.Targets, Target{Path: path, Observed: observed, Candidate: &c})
	}
	return q
}

// snapshot makes the store and returns head.
func (p *place) snapshot(s *Store) string {
	p.t.Helper()
	revision, _, err := s.Snapshot(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return revision
}

// settle settles files computed from head.
func (p *place) settle(s *Store, files map[string]string) (blocks.Report, error) {
	p.t.Helper()
	head, err := s.Head(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return s.Settle(p.t.Context(), p.proposal(s, head, files))
}

func (p *place) commits(s *Store, files map[string]string) blocks.Report {
	p.t.Helper()
	r, err := p.settle(s, files)
	if err != nil || r.Status != blocks.StatusCommitted {
		p.t.Fatalf("got %s %v, %v, want a commit", r.Status, r.Errors, err)
	}
	return r
}

// plantLock has somebody hold the lock.
func (p *place) plantLock(s *Store, o owner.Owner) git.ID {
	p.t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		p.t.Fatal(err)
	}
	blob := git.Object{Kind: git.Blob, Data: text}
	if err := s.repo.Write(p.t.Context(), []git.Object{blob}); err != nil {
		p.t.Fatal(err)
	}
	old, err := s.readRef(refLock)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.repo.Update(p.t.Context(), git.Update{Ref: refLock, Old: old, New: blob.ID()}); err != nil {
		p.t.Fatal(err)
	}
	return blob.ID()
}
