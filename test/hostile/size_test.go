package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/test/rig"
)

const large = 200 << 20

// grow makes a file large. It has a hole where its bytes are, so that it costs no room.
func grow(t *testing.T, w *rig.World, path string) {
	t.Helper()
	if err := os.Truncate(filepath.Join(w.Root, path), large); err != nil {
		t.Fatal(err)
	}
}

func wantMemory(t *testing.T, ran rig.Ran) {
	t.Helper()
	if limit := int64(120 << 20); ran.MaxRSS > limit {
		t.Errorf("it took %d MiB, want at most %d", ran.MaxRSS>>20, limit>>20)
	}
}

func TestALargeFileThatIsAcquiredIsRefusedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	w := world(t, with(three(), rig.Tree{"src/large.ts": rig.File("x")}), steps(misfit("append")))
	grow(t, w, "src/large.ts")
	ran := w.Run(t)
	ran.Want(t, 3, "WorkspaceBounds", "maxBytesPerFile", "src/large.ts")
	wantMemory(t, ran)
	wantRows(t, ran.Report(t))
}

func TestALargeFileThatIsNoTextIsLeftOut(t *testing.T) {
	t.Parallel()
	w := world(t, with(three(), rig.Tree{"src/large.png": rig.File("x"), "large.ts": rig.File("x")}), steps(misfit("append")))
	grow(t, w, "src/large.png")
	grow(t, w, "large.ts")
	ran := w.Run(t)
	ran.Want(t, 0)
	wantMemory(t, ran)
	wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
}

func TestAFileThatAToolMakesLargeIsUnreadableAndNotDeleted(t *testing.T) {
	t.Parallel()
	command := fmt.Sprintf(`[sh, -c, 'truncate -s %d src/a.ts src/new.ts']`, large)
	w := world(t, three(), steps("  - {name: fixer, run: {command: "+command+`, `+noPaths+`, scope: ["src/**"]}}`+"\n"))
	ran := w.Run(t)
	ran.Want(t, 1)
	wantMemory(t, ran)
	r := ran.Report(t)
	wantRows(t, r)
	wantDiagnostic(t, r, "maxBytesPerFile", "src/a.ts", "unreadable")
	wantDiagnostic(t, r, "maxBytesPerFile", "src/new.ts")
}

// A write restores nothing and reads nothing that it needn't: a file beside the ones it
// changes may be of any size.
func TestAWriteBesideALargeFileTakesNoMemory(t *testing.T) {
	t.Parallel()
	w := world(t, with(three(), rig.Tree{"src/large.bin": rig.File("x")}), steps(
		"  - {name: edit, edit: {path: src/a.ts, edits: [{find: a, replace: edited}]}}\n", save))
	grow(t, w, "src/large.bin")
	ran := w.Run(t)
	ran.Want(t, 0)
	wantMemory(t, ran)
}

func TestTwentyThousandFilesAreHandedToATool(t *testing.T) {
	t.Parallel()
	const files = 20_000
	w := world(t, rig.Tree{}, steps(misfit("count"), misfitAgain("append")))
	long := strings.Repeat("a-name-that-fills-the-argument-list-", 2)
	for i := range files {
		dir := filepath.Join(w.Root, "src", fmt.Sprint(i%200))
		if i < 200 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%05d.ts", long, i)), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ran := w.Run(t)
	ran.Want(t, 0)
	r := ran.Report(t)
	if len(r.Invocations) != 2 || r.Invocations[0].Files != files || r.Invocations[0].Stdout == nil {
		t.Fatalf("invocations %+v", r.Invocations)
	}
	counts, sum := strings.Fields(r.Invocations[0].Stdout.Text), 0
	for _, text := range counts {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != files || len(counts) < 2 {
		t.Errorf("the tool was started with %v paths, want %d in several batches", counts, files)
	}
	if len(r.Changes) != files {
		t.Errorf("%d rows, want %d", len(r.Changes), files)
	}
}
