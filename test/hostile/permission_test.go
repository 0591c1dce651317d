package hostile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/test/rig"
)

// nobody is whom tests of permissions run as: root may do everything.
const nobody = 65534

// nobodysWorld is a world that belongs to nobody, but for the paths that are named: those
// stay root's.
func nobodysWorld(t *testing.T, tree rig.Tree, pipeline string, roots ...string) *rig.World {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("tests of permissions need to be root, to run as somebody else")
	}
	w := world(t, tree, pipeline)
	w.User = &syscall.Credential{Uid: nobody, Gid: nobody}
	top := filepath.Dir(w.Root)
	for dir := top; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { // so that nobody gets here
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range roots {
		if err := os.Lchown(filepath.Join(w.Root, path), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

const editA = "  - {name: edit, edit: {path: src/a.ts, edits: [{find: a, replace: edited}]}}\n"

func TestAReadOnlyFileIsWrittenAndStaysReadOnly(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, with(three(), rig.Tree{"src/ro.ts": {Mode: 0o444, Data: "ro\n"}}), steps(
		"  - {name: edit, edit: {path: src/ro.ts, edits: [{find: ro, replace: edited}]}}\n", save))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "M src/ro.ts")
	wantTree(t, w, with(before, rig.Tree{"src/ro.ts": rig.File("edited\n")}))
}

func TestAToolThatMayNotWriteAReadOnlyFileFailsAndIsQuoted(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, with(three(), rig.Tree{"src/ro.ts": {Mode: 0o444, Data: "ro\n"}}), steps(misfit("append")))
	ran := w.Run(t)
	ran.Want(t, 2, "engine-error", "misfit")
	r := ran.Report(t)
	wantRows(t, r, "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
	if tail := r.Invocations[0].Stderr; tail == nil || tail.Text != "misfit: open src/ro.ts: permission denied\n" {
		t.Errorf("the tool's last words are %+v", tail)
	}
}

func TestAFileThatMayNotBeReadIsAClearError(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, with(three(), rig.Tree{"src/locked.ts": {Mode: 0o600, Data: "locked\n"}}), steps(misfit("append")), "src/locked.ts")
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, ran.Exit, "src/locked.ts", "permission denied")
	if ran.Exit != 2 && ran.Exit != 3 {
		t.Errorf("exit code %d, want a failure", ran.Exit)
	}
	wantTree(t, w, before)
}

func TestADirectoryThatMayNotBeListedIsAClearError(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, with(three(), rig.Tree{"src/sealed": {Mode: fs.ModeDir | 0o700}, "src/sealed/x.ts": rig.File("x\n")}), steps(misfit("append")), "src/sealed")
	before := rig.Look(t, w.Root)
	w.Run(t).Want(t, 2, "enumeration", "src/sealed", "permission denied")
	wantTree(t, w, before)
}

func TestADirectoryThatMayNotBeWrittenLosesNothing(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, three(), steps(editA, "  - {name: also, edit: {path: src/d/c.ts, edits: [{find: c, replace: edited}]}}\n", save), "src/d")
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 2, "io", "src/d/c.ts", "permission denied")
	r := ran.Report(t)
	if len(r.Written) != 1 || r.Written[0] != "src/a.ts" {
		t.Errorf("written %q, want src/a.ts", r.Written)
	}
	wantTree(t, w, with(before, rig.Tree{"src/a.ts": rig.File("edited\n")}))
}

func TestAnOwnerThatCannotBeKeptIsNoted(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, three(), steps(editA, save), "src/a.ts")
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	r := ran.Report(t)
	if len(r.Identity) != 1 || r.Identity[0].Path != "src/a.ts" || r.Identity[0].Kind != "owner" || r.Identity[0].Before != "0:0" || r.Identity[0].After != "65534:65534" {
		t.Errorf("identity notes %+v, want the owner of src/a.ts", r.Identity)
	}
	want := with(before, rig.Tree{"src/a.ts": rig.File("edited\n")})
	owned := want["src/a.ts"]
	owned.UID, owned.GID = nobody, nobody
	want["src/a.ts"] = owned
	wantTree(t, w, want)
}

// What a tool takes from itself and from us can't be looked at; that isn't absence.
func TestAToolThatLocksTheTreeDeletesNothing(t *testing.T) {
	t.Parallel()
	for _, path := range []string{".", "src", "src/d"} {
		t.Run(path, func(t *testing.T) {
			w := nobodysWorld(t, three(), steps(misfit("chmod, '000', "+path, noPaths)))
			before := rig.Look(t, w.Root)
			ran := w.Run(t)
			locked := before[path]
			locked.Mode = fs.ModeDir
			changed := with(before, rig.Tree{})
			changed[path] = locked
			wantTree(t, w, changed)
			r := ran.Report(t)
			ran.Want(t, 1)
			wantRows(t, r)
			wantDiagnostic(t, r, "read-error", "src/d/c.ts", "permission denied", "unreadable")
			if err := os.Chmod(filepath.Join(w.Root, path), 0o755); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAStateDirectoryThatMayNotBeWrittenIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	w := nobodysWorld(t, three(), steps(misfit("append")))
	if err := os.Chown(w.State, 0, 0); err != nil {
		t.Fatal(err)
	}
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 3, w.State, "permission denied")
	wantTree(t, w, before)
}

func TestATemporaryDirectoryThatIsNotThereIsAClearError(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("append")))
	before := rig.Look(t, w.Root)
	w.Temp = "/nonexistent/tmp"
	ran := w.Run(t)
	ran.Want(t, 3, "/nonexistent/tmp")
	wantTree(t, w, before)
}

// A file that nobody may change, root neither, is left as it is.
func TestAnImmutableFileIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(editA, save))
	path := filepath.Join(w.Root, "src/a.ts")
	if !setImmutable(t, path, true) {
		return
	}
	defer setImmutable(t, path, false)
	before := rig.Look(t, w.Root)
	w.Run(t).Want(t, 2, "io", "src/a.ts", "operation not permitted")
	wantTree(t, w, before)
}

// setImmutable says whether the file system knows of such files.
func setImmutable(t *testing.T, path string, yes bool) bool {
	t.Helper()
	const immutable = 0x10
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		if flags |= immutable; !yes {
			flags &^= immutable
		}
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
	}
	if err != nil {
		t.Logf("there are no immutable files here: %v", err)
	}
	return err == nil
}
