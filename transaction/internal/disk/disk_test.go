package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// testDisk is a directory with a disk on it.
type testDisk struct {
	t    *testing.T
	dir  string
	temp string
	disk *Disk
}

func newPlace(t *testing.T) testDisk { return newPlaceIn(t, filepath.Join(t.TempDir(), "temp")) }

func newPlaceIn(t *testing.T, temp string) testDisk {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(dir, 0o755))
	own, err := owner.Current("")
	must(t, err)
	d, err := Open(dir, temp, own)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return testDisk{t, dir, temp, d}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p testDisk) at(path string) string { return filepath.Join(p.dir, path) }

func (p testDisk) file(path, text string) {
	p.t.Helper()
	must(p.t, os.MkdirAll(filepath.Dir(p.at(path)), 0o755))
	must(p.t, os.WriteFile(p.at(path), []byte(text), 0o644))
}

func (p testDisk) wants(path, want string) {
	p.t.Helper()
	if got, err := os.ReadFile(p.at(path)); err != nil || string(got) != want {
		p.t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

func (p testDisk) noTemps() {
	p.t.Helper()
	if left, _ := os.ReadDir(p.temp); len(left) > 0 {
		p.t.Errorf("temp files are left: %v", left)
	}
}

func versionOf(text string) string {
	return string(git.Object{Kind: git.Blob, Data: []byte(text)}.ID())
}

// change gives path a text if it has another, "-" for none.
func change(path, from, to string) Change {
	version := func(text string) string {
		if text == "-" {
			return blocks.VersionAbsent
		}
		return versionOf(text)
	}
	return Change{Path: path, Expected: version(from), Target: version(to), Mode: git.ModeFile,
		Write: func(w io.Writer) error { _, err := io.WriteString(w, to); return err }}
}

func nothing(string) error { return nil }

func TestLookTellsVersionsAndKinds(t *testing.T) {
	p := newPlace(t)
	p.file("a", "a0\n")
	p.file("d/run", "x")
	must(t, os.Chmod(p.at("d/run"), 0o755))
	must(t, os.Symlink("a", p.at("l")))
	must(t, os.Symlink("d", p.at("dl")))
	must(t, unix.Mkfifo(p.at("fifo"), 0o600))
	for path, want := range map[string]State{
		"a":       {Version: "0042f6c56d8fc1896f3efc2cdc5060e5b5e44e02", Kind: tree.Regular},
		"d/run":   {Version: versionOf("x"), Executable: true, Kind: tree.Regular},
		"none":    {Version: blocks.VersionAbsent},
		"a/below": {Version: blocks.VersionAbsent},
		"no/way":  {Version: blocks.VersionAbsent},
		"d":       {Version: blocks.VersionNonFile, Kind: tree.Directory},
		"l":       {Version: blocks.VersionNonFile, Kind: tree.Link},
		"dl/run":  {Version: blocks.VersionNonFile},
		"fifo":    {Version: blocks.VersionNonFile, Kind: tree.Other},
		"../x":    {Version: blocks.VersionNonFile},
	} {
		if got, err := p.disk.Look(path); got != want || err != nil {
			t.Errorf("%s: got %+v, %v, want %+v", path, got, err, want)
		}
		content, got, err := p.disk.Read(path)
		if got != want || err != nil || (content != nil) != (want.Kind == tree.Regular) {
			t.Errorf("read %s: got %q, %+v, %v", path, content, got, err)
		}
	}
	for path, want := range map[string]tree.Kind{"d/x/y": 0, "l/x": tree.Link, "a/x/y": tree.Regular, "no/way/x": 0, "fifo/x": tree.Other, "top": 0} {
		if at, got, err := p.disk.Ancestor(path); got != want || err != nil || (at != "") != (want != 0) {
			t.Errorf("ancestor of %s: got %q, %v, %v, want %v", path, at, got, err, want)
		}
	}
}

func TestOnlyExpectedBytesAreReplaced(t *testing.T) {
	for _, siblings := range []bool{false, true} {
		t.Run(fmt.Sprintf("siblings=%v", siblings), func(t *testing.T) {
			p := newPlace(t)
			must(t, p.disk.UseTemp())
			p.disk.siblings = siblings
			for path, text := range map[string]string{"update": "1", "done": "2", "drift": "mine", "remove": "1", "remove-drift": "mine", "in-the-way": "x", "run": "1"} {
				p.file(path, text)
			}
			must(t, os.Mkdir(p.at("directory"), 0o755))
			must(t, os.Symlink("update", p.at("link")))
			run := change("run", "1", "2")
			run.Mode = git.ModeExecutable
			drift, err := p.disk.Apply([]Change{
				change("update", "1", "2"), change("done", "1", "2"), change("drift", "1", "2"), change("d/e/new", "-", "n"),
				change("remove", "1", "-"), change("gone", "1", "-"), change("remove-drift", "1", "-"), change("in-the-way/x", "-", "n"),
				change("directory", "-", "n"), change("directory", "1", "-"), change("link", "1", "2"), change("link/x", "-", "n"), change("vanished", "1", "2"), run,
			}, nothing)
			must(t, err)
			var got []string
			for _, d := range drift {
				got = append(got, d.Path+" "+d.Found.Version)
			}
			want := []string{
				"drift " + versionOf("mine"), "remove-drift " + versionOf("mine"), "in-the-way/x absent", "directory non-file", "link non-file", "link/x non-file", "vanished absent",
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got the drift\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			p.wants("update", "2")
			p.wants("done", "2")
			p.wants("drift", "mine")
			p.wants("d/e/new", "n")
			p.wants("remove-drift", "mine")
			p.wants("in-the-way", "x")
			if info, err := os.Stat(p.at("run")); err != nil || info.Mode() != 0o755 {
				t.Errorf("run: got %v, %v", info, err)
			}
			if info, err := os.Stat(p.at("update")); err != nil || info.Mode() != 0o644 {
				t.Errorf("update: got %v, %v", info, err)
			}
			for _, path := range []string{"remove", "gone", "vanished"} {
				if _, err := os.Lstat(p.at(path)); err == nil {
					t.Errorf("%s is there", path)
				}
			}
			p.noTemps()
			left, err := filepath.Glob(p.at("fettle-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("temp files are left beside the targets: %q, %v", left, err)
			}
		})
	}
}

// The directory for temp files may be on another file system.
func TestAnotherFileSystemForTempFiles(t *testing.T) {
	shm, err := os.MkdirTemp("/dev/shm", "fettle-test-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(shm) })
	p := newPlaceIn(t, shm)
	p.file("a", "1")
	_, err = p.disk.Apply([]Change{change("a", "1", "2"), change("d/n", "-", "n"), change("gone", "1", "-")}, nothing)
	must(t, err)
	p.wants("a", "2")
	p.wants("d/n", "n")
	if !p.disk.siblings {
		t.Logf("%s is on the file system of the root: nothing was shown", shm)
	}
}

func TestWorkStopsBeforeAPathThatIsRefused(t *testing.T) {
	p := newPlace(t)
	for _, path := range []string{"a", "b", "c"} {
		p.file(path, "1")
	}
	stop := errors.New("stop")
	_, err := p.disk.Apply([]Change{change("a", "1", "2"), change("b", "1", "2"), change("c", "1", "2")}, func(path string) error {
		if path == "b" {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	p.wants("a", "2")
	p.wants("b", "1")
	p.wants("c", "1")
	p.noTemps()
}

// Somebody writes a file after it was compared and before it is replaced: they get it
// back. A look and then a rename would have lost it.
func TestAWriteBetweenLookAndReplacementIsPutBack(t *testing.T) {
	for _, siblings := range []bool{false, true} {
		p := newPlace(t)
		must(t, p.disk.UseTemp())
		p.disk.siblings = siblings
		staged := func(c Change) place {
			s, err := p.disk.stage(c, map[string]bool{})
			must(t, err)
			return s
		}
		edited := func(found *State, err error) {
			t.Helper()
			if err != nil || found == nil || found.Version != versionOf("edit") {
				t.Errorf("siblings %v: got %+v, %v, want the edit as drift", siblings, found, err)
			}
			p.wants("f", "edit")
		}
		p.file("f", "edit")
		c := change("f", "expected", "ours")
		edited(p.disk.exchange(c, staged(c)))
		c = change("f", "-", "ours")
		edited(p.disk.putNew(c, staged(c)))
		edited(p.disk.takeAway(change("f", "expected", "-")))

		must(t, os.Remove(p.at("f")))
		c = change("f", "expected", "ours")
		if found, err := p.disk.exchange(c, staged(c)); err != nil || found == nil || found.Version != blocks.VersionAbsent {
			t.Errorf("removed meanwhile: got %+v, %v", found, err)
		}
		if found, err := p.disk.takeAway(change("f", "expected", "-")); err != nil || found != nil {
			t.Errorf("removed meanwhile, to be removed: got %+v, %v", found, err)
		}
	}
}

// Somebody moves files over one again and again while it is replaced: it always holds
// one whole content.
func TestAFileIsWholeUnderARace(t *testing.T) {
	p := newPlace(t)
	p.file("f", "edit")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.WriteFile(p.at(".edit"), []byte("edit"), 0o644)
				_ = os.Rename(p.at(".edit"), p.at("f"))
			}
		}
	})
	deadline := time.Now().Add(time.Second)
	for time.Now().Before(deadline) {
		_, err := p.disk.Apply([]Change{change("f", "edit", "ours")}, nothing)
		must(t, err)
		if got, err := os.ReadFile(p.at("f")); err != nil || string(got) != "edit" && string(got) != "ours" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	close(stop)
	wg.Wait()
	p.noTemps()
}

// A link that is swapped in for a directory leads nowhere: nothing is ever written or
// removed outside.
func TestALinkThatIsSwappedInIsNotFollowed(t *testing.T) {
	p := newPlace(t)
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "f"), []byte("1"), 0o644))
	p.file("d/f", "1")
	must(t, os.Symlink(outside, p.at("swap")))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, p.at("d"), unix.AT_FDCWD, p.at("swap"), unix.RENAME_EXCHANGE)
			}
		}
	})
	deadline := time.Now().Add(2 * time.Second)
	for i := 0; time.Now().Before(deadline); i++ {
		from, to := "1", "2"
		if i%2 == 1 {
			from, to = to, from
		}
		_, _ = p.disk.Apply([]Change{change("d/f", from, to), change("d/new", "-", "n"), change("d/new", "n", "-")}, nothing)
	}
	close(stop)
	wg.Wait()
	entries, err := os.ReadDir(outside)
	must(t, err)
	content, err := os.ReadFile(filepath.Join(outside, "f"))
	if err != nil || string(content) != "1" || len(entries) != 1 {
		t.Errorf("outside there is %v, f is %q, %v", entries, content, err)
	}
}
