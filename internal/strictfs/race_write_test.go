package strictfs

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

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
