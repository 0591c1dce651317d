package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// Entry is a published commit (§ 26.2).
type Entry struct {
	Commit      string
	Parent      string // "" for the baseline
	Agent       string // "" for what no agent published
	Run         string // the pipeline run, "" for none
	Transaction string
	Author      string // name, address and time, as Git writes them
	Subject     string
	Trailers    []Trailer
	Paths       []string // sorted; none for the baseline
}

// Trailer is a line "key: value" at the end of a commit's message.
type Trailer struct{ Key, Value string }

// Filter chooses entries. Zero fields choose all.
type Filter struct {
	Limit int
	Path  string
	Agent string
}

// Log returns what was published, newest first. It changes nothing and takes no lock.
func (s *Store) Log(ctx context.Context, f Filter) ([]Entry, error) {
	top, err := s.readHead()
	if err != nil {
		return nil, err
	}
	ids, err := s.repo.History(ctx, "", top.id, f.Path)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	trees := s.repo.Trees()
	for _, id := range ids {
		if f.Limit > 0 && len(entries) == f.Limit {
			break
		}
		_, c, err := s.repo.ReadCommit(string(id))
		if err != nil {
			return nil, err
		}
		if f.Agent != "" && c.Trailer(trailerAgent) != f.Agent {
			continue
		}
		e, _, err := s.entry(trees, id, c)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entry describes a commit and returns what it changed, nothing for the baseline.
func (s *Store) entry(trees *git.TreeReader, id git.ID, c git.CommitInfo) (Entry, []git.Difference, error) {
	e := Entry{
		Commit: string(id), Parent: string(c.Parent), Agent: c.Trailer(trailerAgent), Run: c.Trailer(trailerRun),
		Transaction: c.Trailer(trailerTransaction), Author: c.Author, Subject: c.Subject(),
	}
	for _, t := range c.Trailers() {
		e.Trailers = append(e.Trailers, Trailer(t))
	}
	if c.Parent == "" {
		return e, nil, nil
	}
	_, parent, err := s.repo.ReadCommit(string(c.Parent))
	if err != nil {
		return Entry{}, nil, err
	}
	differences, err := trees.Diff(parent.Tree, c.Tree)
	for _, d := range differences {
		e.Paths = append(e.Paths, d.Path)
	}
	return e, differences, err
}

// ErrNoCommit says that nothing published has such a name.
var ErrNoCommit = errors.New("no such commit was published")

// minAbbreviation is the shortest name of a commit that is looked for.
const minAbbreviation = 4

// find returns the published commit that a name or its beginning stands for, head
// without one.
func (s *Store) find(ctx context.Context, name string) (git.ID, error) {
	top, err := s.readHead()
	if err != nil || name == "" {
		return top.id, err
	}
	ids, err := s.repo.History(ctx, "", top.id, "")
	if err != nil {
		return "", err
	}
	found := git.ID("")
	for _, id := range ids {
		if len(name) < minAbbreviation || !strings.HasPrefix(string(id), name) {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("%q: %w: it is the beginning of several", name, ErrNoCommit)
		}
		found = id
	}
	if found == "" {
		return "", fmt.Errorf("%q: %w", name, ErrNoCommit)
	}
	return found, nil
}

// Show describes a published commit, by its name or the beginning of that, head for "".
// diff shows what it changed.
func (s *Store) Show(ctx context.Context, name string) (e Entry, diff string, err error) {
	id, err := s.find(ctx, name)
	if err != nil {
		return Entry{}, "", err
	}
	_, c, err := s.repo.ReadCommit(string(id))
	if err != nil {
		return Entry{}, "", err
	}
	e, differences, err := s.entry(s.repo.Trees(), id, c)
	if err != nil {
		return Entry{}, "", err
	}
	var b strings.Builder
	for _, d := range differences {
		if err := s.writeDiff(&b, d); err != nil {
			return Entry{}, "", err
		}
	}
	return e, b.String(), nil
}

func (s *Store) writeDiff(b *strings.Builder, d git.Difference) error {
	before, _, err := s.content(d.Old)
	if err != nil {
		return err
	}
	after, _, err := s.content(d.New)
	if err != nil {
		return err
	}
	if !utf8.Valid(before) || !utf8.Valid(after) {
		fmt.Fprintf(b, "--- a/%s\n+++ b/%s\nnot UTF-8: %d bytes, then %d\n", d.Path, d.Path, len(before), len(after))
		return nil
	}
	if text := blocks.NewDiff(d.Path, before, after, blocks.AllLines).Text; text != "" {
		b.WriteString(text + "\n")
	}
	return nil
}

// File returns the exact bytes of a path in a published commit. Without one the error
// wraps ErrNoCommit, or is false.
func (s *Store) File(ctx context.Context, name, path string) (content []byte, ok bool, err error) {
	id, err := s.find(ctx, name)
	if err != nil {
		return nil, false, err
	}
	content, version, err := s.Read(ctx, string(id), path)
	return content, version != blocks.VersionAbsent, err
}

// State is where a store stands.
type State struct {
	Head      string
	Projected string       // the newest commit that is written to the directory; "" if unknown
	Lock      *owner.Owner // who holds the lock; nil if it is free
}

// State looks at the store.
func (s *Store) State(ctx context.Context) (State, error) {
	if err := ctx.Err(); err != nil {
		return State{}, err
	}
	top, err := s.readHead()
	if err != nil {
		return State{}, err
	}
	cursor, err := s.readRef(refCursor)
	if err != nil {
		return State{}, err
	}
	st := State{Head: string(top.id)}
	if cursor != git.Zero {
		st.Projected = string(cursor)
	}
	id, held, err := s.readLock()
	if id != git.Zero {
		st.Lock = &held
	}
	return st, err
}

// Unlocked says what became of an attempt to remove a lock (§ 14.6).
type Unlocked string

// The outcomes. Only Removed has changed anything.
const (
	Removed     Unlocked = "removed"
	NotHeld     Unlocked = "not held"
	HeldByOther Unlocked = "held by another"
	AliveHere   Unlocked = "alive here"
)

// Unlock removes the lock of an owner that a person has seen to have ended, unless the
// lock names another or its owner is alive on this host. It returns whose lock it met.
func (s *Store) Unlock(ctx context.Context, name string) (Unlocked, owner.Owner, error) {
	for {
		id, held, err := s.readLock()
		switch {
		case err != nil:
			return "", owner.Owner{}, err
		case id == git.Zero:
			return NotHeld, owner.Owner{}, nil
		case held.Name != name:
			return HeldByOther, held, nil
		}
		life, err := ownerProc.Judge(held, s.self, nil)
		if err != nil {
			return "", held, err
		}
		if life == owner.Alive {
			return AliveHere, held, nil
		}
		err = s.repo.Update(ctx, git.Update{Ref: refLock, Old: id, New: git.Zero})
		if !errors.Is(err, git.ErrLost) {
			return Removed, held, err
		}
	}
}
