package reread_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// The racy suite (docs/performance.md, P13): rewrites of the same size, as soon after the
// snapshot as a program can, in every way that could hide from a stat. None may be
// missed, and a file that is only touched mustn't be called changed.
//
// Every other round starts at once, so that all stamps are younger than the margin and
// the bytes must decide; the others wait for the stamps to settle, so that the identity
// must.
func TestRacy(t *testing.T) {
	const files = 1000
	for _, way := range []struct {
		name    string
		rewrite func(path string, data []byte) error
		rounds  int
		touches bool // and changes nothing
	}{
		{name: "pwrite", rewrite: pwrite, rounds: 20},
		{name: "truncate and write", rewrite: func(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }, rounds: 20},
		{name: "pwrite with the time of modification put back", rewrite: keepingMtime(pwrite), rounds: 20},
		{name: "rename over", rewrite: renameOver, rounds: 4},
		{name: "rename over with the time of modification put back", rewrite: keepingMtime(renameOver), rounds: 4},
		{name: "a fresh mapping", rewrite: throughMapping, rounds: 20},
		{name: "touch", rewrite: touch, rounds: 20, touches: true},
		{name: "write the same bytes", rewrite: writeSame, rounds: 20, touches: true},
		{name: "change the mode and put it back", rewrite: chmodTwice, rounds: 4, touches: true},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			rounds := way.rounds
			if testing.Short() {
				rounds = 2
			}
			x := newRacy(t, files)
			for round := range rounds {
				if round%2 == 1 {
					x.awaitSettled(t)
				}
				_, _, res := x.invoke(reread.Invocation{Engine: "tool"}, func() reread.End {
					for i := range files {
						if err := way.rewrite(x.file(i), textOf(i, round+1)); err != nil {
							t.Fatal(err)
						}
					}
					return reread.End{}
				})
				want := files
				if way.touches {
					want = 0
				}
				if len(res.Changed) != want || len(res.Errors) > 0 {
					t.Fatalf("round %d: found %d of %d files changed, errors %v", round, len(res.Changed), want, res.Errors)
				}
			}
		})
	}
}

// A re-read that trusts size and whole seconds of modification would miss these: the
// suite must be able to fail.
func TestRacyRewritesHideFromSizeAndSeconds(t *testing.T) {
	const files = 200
	x := newRacy(t, files)
	before := make([]os.FileInfo, files)
	for i := range files {
		before[i] = mustStat(t, x.file(i))
		if err := keepingMtime(pwrite)(x.file(i), textOf(i, 1)); err != nil {
			t.Fatal(err)
		}
		if after := mustStat(t, x.file(i)); after.Size() != before[i].Size() || !after.ModTime().Equal(before[i].ModTime()) {
			t.Fatalf("file %d: %d bytes at %v, want a rewrite that hides: %d at %v", i, after.Size(), after.ModTime(), before[i].Size(), before[i].ModTime())
		}
	}
}

// racy is a run over files of one size on disk.
type racy struct {
	*world
	root string
	fs   *strictfs.Root
}

func newRacy(t *testing.T, files int) *racy {
	t.Helper()
	root := t.TempDir()
	x := &racy{root: root}
	for i := range files {
		if err := os.WriteFile(x.file(i), textOf(i, 0), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fs, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fs.Close(); err != nil {
			t.Error(err)
		}
	})
	x.fs = fs
	x.world = newWorld(t, fs, parsePolicy(t, nil), workspace.DefaultBounds(), nil, "**")
	x.env.Now = fs.Now
	return x
}

// awaitSettled waits until the file system's clock is past the margin.
func (x *racy) awaitSettled(t *testing.T) {
	t.Helper()
	start, err := x.fs.Now()
	if err != nil {
		t.Fatal(err)
	}
	for now := start; now-start < int64(settle); {
		if now, err = x.fs.Now(); err != nil {
			t.Fatal(err)
		}
	}
}

func (x *racy) file(i int) string { return filepath.Join(x.root, fmt.Sprintf("f%05d.txt", i)) }

// textOf is the text of a file in a round; all are of one size.
func textOf(i, round int) []byte { return fmt.Appendf(nil, "file %05d round %05d\n", i, round) }

func pwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(data, 0)
	return err
}

func renameOver(path string, data []byte) error {
	temp := path + ".tmp"
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func throughMapping(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	mapped, err := unix.Mmap(int(f.Fd()), 0, len(data), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(mapped, data)
	return unix.Munmap(mapped)
}

func keepingMtime(rewrite func(string, []byte) error) func(string, []byte) error {
	return func(path string, data []byte) error {
		var before unix.Stat_t
		if err := unix.Stat(path, &before); err != nil {
			return err
		}
		if err := rewrite(path, data); err != nil {
			return err
		}
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{before.Atim, before.Mtim}, 0)
	}
}

func touch(path string, _ []byte) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

func writeSame(path string, _ []byte) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return pwrite(path, data)
}

func chmodTwice(path string, _ []byte) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

func mustStat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
