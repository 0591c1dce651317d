package strictfs

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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

func TestRacedReadsAreNeverWrong(t *testing.T) {
	a := newArena(t)
	a.start(t)
	osRoot, err := os.OpenRoot(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer osRoot.Close()
	paths := []string{"a/d/f", "a/g"}
	var strict tally
	naive := map[string]*tally{"check, then open": {}, "os.Root": {}}
	want := rounds(t)
	n := 0
	for ; n < maxRacedRounds; n++ {
		if n >= want && naive["check, then open"].wrong > 0 && naive["os.Root"].wrong > 0 {
			break
		}
		path := paths[n%len(paths)]
		data, _, err := a.root.ReadFile(path, 100, nil)
		strict.count(t, string(data), err)
		var seen []byte
		err = a.checkThenOpen(path, func(p string) (err error) { seen, err = os.ReadFile(p); return err })
		naive["check, then open"].count(nil, string(seen), err)
		seen, err = osRoot.ReadFile(path)
		naive["os.Root"].count(nil, string(seen), err)
	}
	t.Logf("%d rounds: strict %+v; check, then open %+v; os.Root %+v", n, strict, *naive["check, then open"], *naive["os.Root"])
	if strict.wrong > 0 || strict.right == 0 || strict.refused == 0 {
		t.Errorf("strict reads: %+v; want some right, some refused, none wrong", strict)
	}
	for name, got := range naive {
		if got.wrong == 0 {
			t.Errorf("%s: %+v; want some wrong, else this test proves nothing", name, *got)
		}
	}
}

// tally counts how reads ended.
type tally struct{ right, wrong, refused int }

// count books one read and, given a test, has it fail for anything but the right bytes
// and a refusal.
func (c *tally) count(t *testing.T, data string, err error) {
	switch {
	case err == nil && data == right:
		c.right++
	case err == nil:
		c.wrong++
		if t != nil && c.wrong == 1 {
			t.Errorf("read %q", data)
		}
	default:
		c.refused++
		if t != nil && !errors.Is(err, tree.ErrLink) && !errors.Is(err, unix.ELOOP) {
			t.Errorf("error = %v, want %v", err, tree.ErrLink)
		}
	}
}

func TestRacedLooksAreNeverWrong(t *testing.T) {
	a := newArena(t)
	mine := make(map[uint64]bool)
	for _, path := range []string{"a/d", "a/dl", "a/d/f", "a/g", "a/gl"} {
		mine[stat(t, a.root, path).Ino] = true
	}
	a.start(t)
	names := make(map[string]int)
	for range rounds(t) {
		for _, path := range []string{"a/d", "a/d/f", "a/g"} {
			if id, err := a.root.Stat(path); err == nil && !mine[id.Ino] {
				t.Fatalf("stat %q = %+v, which is elsewhere", path, id)
			}
		}
		if id, err := a.root.StatDir("a/d"); err == nil && !mine[id.Ino] {
			t.Fatalf("stat directory = %+v, which is elsewhere", id)
		}
		if err := a.root.ReadDir("a/d", func(name []byte, _ tree.Kind) bool { names[string(name)]++; return true }); err == nil {
			names["listed"]++
		}
	}
	if len(names) != 2 || names["f"] != names["listed"] || names["listed"] == 0 {
		t.Errorf("listed %v, want only f, as often as the directory", names)
	}
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

func TestRacedChangesNeverLandElsewhere(t *testing.T) {
	a := newArena(t)
	before := contents(t, a.at("other"))
	stop := a.start(t)
	succeeded := make(map[string]int)
	attr := tree.Attr{Mode: 0o600}
	changes := []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, _, err := a.root.WriteNew("a/d/new", []byte("new"), attr); return err }},
		{"exchange", func() error { return a.root.Exchange("a/d/new", "mine/x") }},
		{"exchange with what is in both", func() error { return a.root.Exchange("mine/x", "a/d/f") }},
		{"rename in", func() error { return a.root.Rename("mine/x", "a/d/moved") }},
		{"rename out", func() error { return a.root.Rename("a/d/moved", "mine/x") }},
		{"set attributes", func() error { _, err := a.root.SetAttr("a/d/f", attr); return err }},
		{"set attributes of a file", func() error { _, err := a.root.SetAttr("a/g", attr); return err }},
		{"mkdir", func() error { return a.root.Mkdir("a/d/dir") }},
		{"rmdir", func() error { return a.root.RemoveDir("a/d/dir") }},
		{"remove", func() error { return a.root.Remove("a/d/new") }},
		{"sync", func() error { return a.root.Sync([]string{"a/g"}, []string{"a/d"}) }},
	}
	for range rounds(t) / 10 {
		for _, c := range changes {
			if c.do() == nil {
				succeeded[c.name]++
			}
		}
	}
	stop()
	if after := contents(t, a.at("other")); !maps.Equal(after, before) {
		t.Errorf("what links led to is %v, want %v", after, before)
	}
	for _, c := range changes {
		if succeeded[c.name] == 0 {
			t.Errorf("%s never succeeded, so its race wasn't run", c.name)
		}
	}
	t.Logf("succeeded: %v", succeeded)
}

func TestRacedNaiveWritesLandElsewhere(t *testing.T) {
	a := newArena(t)
	a.start(t)
	osRoot, err := os.OpenRoot(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer osRoot.Close()
	landed := func(prefix string) bool {
		for name := range contents(t, a.at("other")) {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}
	for name, write := range map[string]func(path string) error{
		"check-then-write": func(path string) error {
			return a.checkThenOpen(path, func(p string) error { return os.WriteFile(p, nil, 0o600) })
		},
		"os-root": func(path string) error { return osRoot.WriteFile(path, nil, 0o600) },
	} {
		n := 0
		for ; n < maxRacedRounds; n++ {
			path := "a/d/" + name
			if err := write(path); err == nil && n%64 == 0 && landed(name) {
				break
			}
		}
		if n == maxRacedRounds {
			t.Errorf("%s: none of %d writes landed elsewhere, so the test of strict ones proves nothing", name, n)
		}
	}
}
