package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/test/rig"
)

const page = 4096

// smallDisk mounts a disk of its own, of this many pages, over a directory. False is where
// that isn't permitted: then the limit of TestAFileSizeLimitIsAClearError stands for it.
func smallDisk(t *testing.T, dir string, pages int) bool {
	t.Helper()
	err := unix.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", pages*page))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Logf("mounting isn't permitted: %v", err)
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return true
}

// fill fills a disk but for some pages, and returns how to make room again.
func fill(t *testing.T, dir string, leave int) (makeRoom func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := 0
	for ; ; size += page {
		if _, err = f.Write(make([]byte, page)); err != nil {
			break
		}
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(max(size-leave*page, 0))); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// growing are files each a page larger than the one before, and a patch that changes the
// first line of each.
func growing(count int) (before, after rig.Tree, patch string) {
	before, after = rig.Tree{"beside": rig.File("not yours\n")}, rig.Tree{"beside": rig.File("not yours\n")}
	var sections strings.Builder
	for i := range count {
		name := fmt.Sprintf("src/f%02d.ts", i)
		rest := strings.Repeat("the rest of the file\n", (i*page+page/2)/21)
		before[name], after[name] = rig.File("before\n"+rest), rig.File("after\n"+rest)
		fmt.Fprintf(&sections, "        *** Update File: %s\n        @@\n        -before\n        +after\n", name)
	}
	return before, after, "  - name: patch\n    applyPatch:\n      patch: |\n        *** Begin Patch\n" + sections.String() + "        *** End Patch\n"
}

const save = "  - {name: save, write: {}}\n"

// wantOldOrNew wants every file to be one of its two forms, and nothing else to be there;
// it returns which are new.
func wantOldOrNew(t *testing.T, w *rig.World, before, after rig.Tree) (fresh []string) {
	t.Helper()
	now := rig.Look(t, w.Root)
	for path, e := range now {
		switch {
		case !e.Mode.IsRegular() || path == "filler":
		case before[path].Data == "" && after[path].Data == "":
			t.Errorf("%q is there: %s", path, e)
		case e.Data == after[path].Data && e.Data != before[path].Data:
			fresh = append(fresh, path)
		case e.Data != before[path].Data:
			t.Errorf("%q holds %s: neither what it was nor what it was to be", path, e)
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			t.Errorf("%q is lost", path)
		}
	}
	return fresh
}

func TestAWriteOnAFullDiskLosesNothingAndSaysWhatWasWritten(t *testing.T) {
	const files = 8
	before, after, patch := growing(files)
	reached := map[int]bool{}
	for _, leave := range []int{0, 1, 2, 4, 7, 12} {
		t.Run(fmt.Sprintf("%d pages left", leave), func(t *testing.T) {
			w := world(t, rig.Tree{}, steps(patch, save))
			if !smallDisk(t, w.Root, 200) {
				return
			}
			rig.Make(t, w.Root, before)
			makeRoom := fill(t, w.Root, leave)
			ran := w.Run(t)
			fresh := wantOldOrNew(t, w, before, after)
			slices.Sort(fresh)
			reached[len(fresh)] = true
			r := ran.Report(t)
			if len(fresh) == files {
				ran.Want(t, 0)
				return
			}
			ran.Want(t, 2, "StepFailed", "io", "src/f", "no space left on device")
			if strings.Join(r.Written, " ") != strings.Join(fresh, " ") {
				t.Errorf("written %q, but new on disk are %q", r.Written, fresh)
			}
			makeRoom()
			again := w.Run(t)
			if len(fresh) > 0 {
				again.Want(t, 2, "not-found", "src/f00.ts") // a patch that is partly done can't be done again
				return
			}
			again.Want(t, 0)
			wantOldOrNew(t, w, after, after)
		})
	}
	if len(reached) > 0 && len(reached) < 3 {
		t.Errorf("the disk was full after %v files: the test proves little", reached)
	}
}

// twoSteps edit and save one file, and have another rewritten by a tool that can't run out
// of room; after is what comes of it.
func twoSteps() (before, after rig.Tree, pipeline string) {
	rest := strings.Repeat("more\n", 4000)
	before = rig.Tree{"src/a.ts": rig.File("one\n"), "src/b.ts": rig.File("byte\n" + rest), "beside": rig.File("not yours\n")}
	after = with(before, rig.Tree{"src/a.ts": rig.File("Xne two\n"), "src/b.ts": rig.File("Xyte\n" + rest)})
	return before, after, steps(
		"  - {name: edit, edit: {path: src/a.ts, edits: [{find: one, replace: one two}]}}\n", save, misfit("disguise"))
}

func TestAFullStateDirectoryStopsTheRunBeforeItDoesWhatItCannotWriteDown(t *testing.T) {
	t.Run("own disk", func(t *testing.T) { stopsBefore(t, 100, func(w *rig.World) string { return w.State }) })
	t.Run("disk of the tree", func(t *testing.T) { stopsBefore(t, 120, func(w *rig.World) string { return filepath.Dir(w.State) }) })
}

// stopsBefore runs with a disk that is full but for more and more pages. However far a run
// comes, once there is room it is gone on with or, if it hadn't begun, run again.
func stopsBefore(t *testing.T, pages int, disk func(*rig.World) string) {
	before, after, pipeline := twoSteps()
	half := with(before, rig.Tree{"src/a.ts": rig.File("one two\n")})
	outcomes := make([]string, 24)
	t.Run("pages left", func(t *testing.T) {
		for leave := range outcomes {
			t.Run(fmt.Sprint(leave), func(t *testing.T) {
				t.Parallel()
				at := t.TempDir()
				w := &rig.World{State: filepath.Join(at, "world", "state")}
				if err := os.MkdirAll(w.State, 0o755); err != nil {
					t.Fatal(err)
				}
				if !smallDisk(t, disk(w), pages) {
					return
				}
				_ = os.Remove(w.State) // where the disk isn't over it
				w = rig.NewWorld(t, programs, filepath.Join(at, "world"), pipeline)
				rig.Make(t, w.Root, before)
				makeRoom := fill(t, disk(w), leave)
				ran := w.Run(t)
				now := rig.Look(t, w.Root)
				if diff := different(now, before, half, after); diff != "" {
					t.Errorf("the tree is none that the steps make:\n%s", diff)
				}
				makeRoom()
				outcomes[leave] = afterwards(t, w, ran, "no space left on device", now, before, after)
			})
		}
	})
	t.Logf("outcomes by pages left: %s", strings.Join(outcomes, ", "))
	for _, want := range []string{"refused", "not begun", "resumed", "done"} {
		if outcomes[0] != "" && !slices.Contains(outcomes, want) {
			t.Errorf("no run was %s: the test proves little", want)
		}
	}
}

// afterwards goes on once there is room and says what the run before had come to.
func afterwards(t *testing.T, w *rig.World, ran rig.Ran, why string, now, before, after rig.Tree) string {
	t.Helper()
	final := func(ran rig.Ran) {
		t.Helper()
		ran.Want(t, 0)
		wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts")
		wantFiles(t, w, after)
	}
	if ran.Exit == 0 {
		final(ran)
		return "done"
	}
	ran.Want(t, ran.Exit, why)
	resumed := w.Run(t, "--resume")
	if resumed.Exit == 0 {
		final(resumed)
		return "resumed"
	}
	resumed.Want(t, 3, "no interrupted run to resume")
	if diff := different(now, before); diff != "" {
		t.Errorf("there is nothing to resume, and yet the tree was changed:\n%s", diff)
	}
	final(w.Run(t))
	if ran.Exit == 3 {
		return "refused"
	}
	return "not begun"
}

// different says in what the regular files of a tree, a filler apart, differ from those of
// the last of some trees; nothing if they are those of one of them.
func different(got rig.Tree, trees ...rig.Tree) string {
	diff := ""
	for _, want := range trees {
		files := rig.Tree{}
		for path, e := range got {
			if e.Mode.IsRegular() && filepath.Base(path) != "filler" {
				files[path] = e
			}
		}
		if diff = rig.Diff(files, want); diff == "" {
			return ""
		}
	}
	return diff
}

func wantFiles(t *testing.T, w *rig.World, want rig.Tree) {
	t.Helper()
	if diff := different(rig.Look(t, w.Root), want); diff != "" {
		t.Errorf("the tree is another one:\n%s", diff)
	}
}

func TestATreeThatIsMountedReadOnlyIsLeftAloneWithAClearError(t *testing.T) {
	before, _, pipeline := twoSteps()
	w := world(t, rig.Tree{}, pipeline)
	if !smallDisk(t, w.Root, 100) {
		return
	}
	rig.Make(t, w.Root, before)
	if err := unix.Mount("none", w.Root, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	ran := w.Run(t)
	ran.Want(t, 2, "io", "src/a.ts", "read-only file system")
	wantFiles(t, w, before)
}

// A limit of the process stands for a disk that is full, wherever nothing can be mounted.
func TestAFileSizeLimitIsAClearError(t *testing.T) {
	t.Parallel()
	before, after, pipeline := twoSteps()
	for _, kilobytes := range []int{1, 10, 25, 50} {
		t.Run(fmt.Sprintf("%d KiB", kilobytes), func(t *testing.T) {
			w := world(t, before, pipeline)
			limited := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, kilobytes*2), w.Fettle}, w.RunArgs()...)...)
			limited.Env = w.Env()
			var stdout, stderr bytes.Buffer
			limited.Stdout, limited.Stderr = &stdout, &stderr
			_ = limited.Run() // its exit code is judged below
			ran := rig.Ended(limited, stdout.String(), stderr.String())
			afterwards(t, w, ran, "file too large", rig.Look(t, w.Root), before, after)
		})
	}
}
