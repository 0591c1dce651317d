package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func commitOf(t *testing.T, r *Repo, message string) ID {
	t.Helper()
	tree := Object{Tree, nil}
	who := FormatIdentity("", "", time.Unix(1, 0))
	c := CommitInfo{Tree: tree.ID(), Author: who, Committer: who, Message: message}.Format()
	return put(t, r, c, tree)
}

func TestUpdatesAreAllOrNothing(t *testing.T) {
	r := newRepo(t)
	a, b := commitOf(t, r, "a\n"), commitOf(t, r, "b\n")
	if err := r.Update(t.Context(), Update{"refs/heads/main", Zero, a}, Update{"refs/fettle/x", Zero, a}); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]Update{
		"another value":   {"refs/fettle/x", b, a},
		"created twice":   {"refs/fettle/x", Zero, b},
		"gone":            {"refs/fettle/y", a, b},
		"removed, gone":   {"refs/fettle/y", a, Zero},
		"removed, other":  {"refs/fettle/x", b, Zero},
		"verified, other": {"refs/fettle/x", b, b},
		"verified, gone":  {"refs/fettle/y", a, a},
	} {
		if err := r.Update(t.Context(), Update{"refs/heads/main", a, b}, u); !errors.Is(err, ErrLost) {
			t.Errorf("%s: got %v, want ErrLost", name, err)
		}
	}
	refs, err := r.Refs(t.Context(), "refs")
	if err != nil || len(refs) != 2 || refs["refs/heads/main"] != a || refs["refs/fettle/x"] != a {
		t.Errorf("got %v, %v, want both at %s", refs, err, a)
	}
	plain(t, r, "pack-refs", "--all")
	if err := r.Update(t.Context(), Update{"refs/heads/main", b, a}); !errors.Is(err, ErrLost) {
		t.Errorf("packed: got %v, want ErrLost", err)
	}
	if err := r.Update(t.Context(), Update{"refs/heads/main", a, b}, Update{"refs/fettle/x", a, Zero}); err != nil {
		t.Errorf("packed: %v", err)
	}
	if id, _, err := r.Read("refs/heads/main"); err != nil || id != b {
		t.Errorf("got %s, %v, want %s", id, err, b)
	}
}

// A ref that names nothing is damage: it is there, and can't be read.
func TestABrokenRefIsListed(t *testing.T) {
	r := newRepo(t)
	missing := strings.Repeat("1", 40)
	os.WriteFile(filepath.Join(r.dir, "refs/heads/main"), []byte(missing+"\n"), 0o644)
	if refs, err := r.Refs(t.Context(), "refs/heads/main"); err != nil || refs["refs/heads/main"] != ID(missing) {
		t.Errorf("got %v, %v", refs, err)
	}
	if _, _, err := r.Read("refs/heads/main"); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
}

func TestLockFilesThatWereLeftAreTakenAway(t *testing.T) {
	r := newRepo(t)
	a, b := commitOf(t, r, "a\n"), commitOf(t, r, "b\n")
	if err := r.Update(t.Context(), Update{"refs/heads/main", Zero, a}); err != nil {
		t.Fatal(err)
	}
	for _, lock := range []string{"refs/heads/main.lock", "HEAD.lock", "packed-refs.lock", "refs/fettle/x.lock"} {
		path := filepath.Join(r.dir, lock)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("left"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Update(t.Context(), Update{"refs/heads/main", a, b}, Update{"refs/fettle/x", Zero, a}); err != nil {
		t.Fatal(err)
	}
	if err := r.Update(t.Context(), Update{"refs/fettle/x", a, Zero}); err != nil {
		t.Fatal(err)
	}
}

func TestALockFileInUseIsLeft(t *testing.T) {
	r := newRepo(t)
	a, b := commitOf(t, r, "a\n"), commitOf(t, r, "b\n")
	if err := r.Update(t.Context(), Update{"refs/heads/main", Zero, a}); err != nil {
		t.Fatal(err)
	}
	// Somebody else's git, which takes its lock anew all the time.
	lock := filepath.Join(r.dir, "refs/heads/main.lock")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			os.WriteFile(lock+".new", fmt.Append(nil, i), 0o644)
			os.Rename(lock+".new", lock)
			select {
			case <-stop:
				os.Remove(lock)
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	time.AfterFunc(time.Second, func() { close(stop) })
	if err := r.Update(t.Context(), Update{"refs/heads/main", a, b}); err != nil {
		t.Error(err)
	}
	select {
	case <-stop:
	default:
		t.Error("a lock file in use was taken away")
	}
	<-stopped
}

func TestOfManyWritersOneWinsEachRound(t *testing.T) {
	r := newRepo(t)
	old := commitOf(t, r, "0\n")
	if err := r.Update(t.Context(), Update{"refs/heads/main", Zero, old}); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		var wg sync.WaitGroup
		won := make(chan ID, 8)
		for i := range 8 {
			next := commitOf(t, r, fmt.Sprintf("%d %d\n", round, i))
			wg.Go(func() {
				switch err := r.Update(t.Context(), Update{"refs/heads/main", old, next}); {
				case err == nil:
					won <- next
				case !errors.Is(err, ErrLost):
					t.Errorf("got %v, want ErrLost", err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("%d writers won", len(won))
		}
		old = <-won
	}
}
