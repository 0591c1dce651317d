package strictfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Races are run until the naive ways have gone wrong, at least racedRounds times (or as
// often as envRounds says) and at most maxRacedRounds.
const (
	racedRounds    = 20_000
	maxRacedRounds = 5_000_000
	envRounds      = "FETTLE_RACED_ROUNDS"
)

// arena is a tree in which a/d flips between a directory and a link to other, and a/g
// between a file and a link to other/f. The links are relative and stay inside the
// root: any others a naive way would refuse too, for the wrong reason.
type arena struct{ subject }

const (
	right = "right\n"
	wrong = "wrong\n"
)

func newArena(t *testing.T) arena {
	s := newSubject(t)
	s.File("a/d/f", right, 0o644)
	s.Link("a/dl", "../other")
	s.File("a/g", right, 0o644)
	s.Link("a/gl", "../other/f")
	s.File("other/f", wrong, 0o644)
	s.File("mine/x", "mine\n", 0o644)
	return arena{s}
}

// start has the names flip until stop is called or the test ends.
func (a arena) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { flip(t, ctx, a.at("a/d"), a.at("a/dl")) })
	wg.Go(func() { flip(t, ctx, a.at("a/g"), a.at("a/gl")) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// flip exchanges two names until it is told to stop.
func flip(t *testing.T, ctx context.Context, a, b string) {
	for i := 0; ctx.Err() == nil; i++ {
		if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
			t.Errorf("exchange: %v", err)
			return
		}
		if i%7 == 0 {
			runtime.Gosched()
		}
	}
}

func rounds(t *testing.T) int {
	t.Helper()
	given := os.Getenv(envRounds)
	if given == "" {
		return racedRounds
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number of rounds", envRounds, given)
	}
	return n
}

// checkThenOpen is the usual naive way: look at each component, then use the path.
func (a arena) checkThenOpen(path string, use func(path string) error) error {
	for i := range len(path) + 1 {
		if i < len(path) && path[i] != '/' {
			continue
		}
		info, err := os.Lstat(a.at(path[:i]))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			return tree.ErrLink
		}
	}
	return use(a.at(path))
}

func stat(t *testing.T, r *Root, path string) tree.Identity {
	t.Helper()
	id, err := r.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// contents is everything below dir: names, with bytes and mode.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		got[path[len(dir)+1:]] = info.Mode().String() + " " + string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
