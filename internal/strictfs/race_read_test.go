package strictfs

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

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
