package hostile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/test/rig"
)

// What a file turns into while a tool runs.
func TestAFileThatBecomesSomethingElseIsUnreadableAndNotDeleted(t *testing.T) {
	for _, tt := range []struct {
		name, becomes string
		reason        string
		want          rig.Entry
	}{
		{"a link to a neighbour", "link:../beside", "link", rig.Link("../beside")},
		{"a link to another file of the workspace", "link:b.ts", "link", rig.Link("b.ts")},
		{"a link to outside", "link:../../outside/secret", "link", rig.Link("../../outside/secret")},
		{"a link to nothing", "link:nothing", "link", rig.Link("nothing")},
		{"a FIFO", "fifo", "not-regular", rig.Entry{Mode: fs.ModeNamedPipe | 0o644}},
		{"a directory", "directory", "not-regular", rig.Dir()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, three(), steps(
				misfit("become, '"+tt.becomes+"', src/a.ts", noPaths),
				"  - {name: edit, edit: {path: src/b.ts, edits: [{find: b, replace: edited}]}}\n", save))
			rig.Make(t, w.Outside, rig.Tree{"secret": rig.File("a secret\n")})
			before := rig.Look(t, w.Root)
			watch := watchFor(t, filepath.Join(w.Outside, "secret"))
			ran := w.Run(t)
			ran.Want(t, 1)
			r := ran.Report(t)
			wantDiagnostic(t, r, tt.reason, "src/a.ts", "unreadable")
			wantRows(t, r, "M src/b.ts")
			if len(r.Unreadable) != 1 || r.Unreadable[0] != "src/a.ts" {
				t.Errorf("unreadable %q, want src/a.ts", r.Unreadable)
			}
			if tt.want.Mode&fs.ModeSymlink != 0 {
				tt.want.Mode |= 0o777
			}
			wantTree(t, w, with(before, rig.Tree{"src/a.ts": tt.want, "src/b.ts": rig.File("edited\n")}))
			watch.wantNothing()
		})
	}
}

func TestAFileThatVanishesIsDeleted(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("become, nothing, src/a.ts", noPaths)))
	ran := w.Run(t)
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "D src/a.ts")
}

// secret is what nobody may read: it is outside, under the names that files of the tree
// have.
const secret = "the secret of the neighbours\n"

func TestADirectoryThatBecomesALinkToOutsideLeadsNobodyThere(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(
		misfit("become, 'link:../../outside', src/d", noPaths),
		misfitAgain("append"), // over what is left
		"  - {name: edit, edit: {path: src/a.ts, edits: [{find: appended, replace: edited}]}}\n", save))
	rig.Make(t, w.Outside, rig.Tree{"c.ts": rig.File(secret), "more.ts": rig.File(secret)})
	outside := rig.Look(t, w.Outside)
	before := rig.Look(t, w.Root)
	watch := watchFor(t, w.Outside, filepath.Join(w.Outside, "c.ts"), filepath.Join(w.Outside, "more.ts"))
	ran := w.Run(t)
	ran.Want(t, 1)
	r := ran.Report(t)
	wantDiagnostic(t, r, "link", "src/d/c.ts")
	wantRows(t, r, "M src/a.ts", "M src/b.ts")
	wantTree(t, w, with(before, rig.Tree{
		"src/a.ts": rig.File("a\nedited\n"), "src/b.ts": rig.File("b\nappended\n"),
		"src/d/c.ts": {}, "src/d": {Mode: fs.ModeSymlink | 0o777, Data: "../../outside"},
	}))
	watch.wantNothing()
	wantNowhere(t, w, ran, secret)
	if diff := rig.Diff(rig.Look(t, w.Outside), outside); diff != "" {
		t.Errorf("outside is changed:\n%s", diff)
	}
}

func TestAWriteThroughADirectoryThatBecameALinkIsRefused(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(
		"  - {name: edit, edit: {path: src/d/c.ts, edits: [{find: c, replace: edited}]}}\n",
		misfit("become, 'link:../../outside', src/d", noPaths), save))
	rig.Make(t, w.Outside, rig.Tree{"c.ts": rig.File("c\n")}) // even with the bytes that are to be replaced
	outside := rig.Look(t, w.Outside)
	watch := watchFor(t, w.Outside, filepath.Join(w.Outside, "c.ts"))
	w.Run(t).Want(t, 2, "PathRefused", "link", "src/d/c.ts")
	watch.wantNothing()
	if diff := rig.Diff(rig.Look(t, w.Outside), outside); diff != "" {
		t.Errorf("outside is changed:\n%s", diff)
	}
}

// misfitAgain is a second misfit step.
func misfitAgain(command string) string {
	return strings.Replace(misfit(command), "name: misfit", "name: second", 1)
}

// wantNowhere wants a text to be in none of what fettle shows and keeps.
func wantNowhere(t *testing.T, w *rig.World, ran rig.Ran, text string) {
	t.Helper()
	if strings.Contains(ran.Stdout+ran.Stderr, strings.TrimSpace(text)) {
		t.Errorf("fettle shows what it mustn't have read")
	}
	for path, e := range rig.Look(t, w.State) {
		if strings.Contains(e.Data, strings.TrimSpace(text)) {
			t.Errorf("%s keeps what mustn't have been read", path)
		}
	}
}

// watch notices whoever opens a file or lists a directory.
type watch struct {
	t  *testing.T
	fd int
}

func watchFor(t *testing.T, paths ...string) watch {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, path := range paths {
		if _, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE); err != nil {
			t.Fatal(err)
		}
	}
	return watch{t, fd}
}

// wantNothing wants that nobody did so far.
func (w watch) wantNothing() {
	w.t.Helper()
	if n, err := unix.Read(w.fd, make([]byte, 4096)); err != unix.EAGAIN {
		w.t.Errorf("somebody looked where nobody may: %d bytes of events, error %v", n, err)
	}
}

// The watch must be able to notice.
func TestAWatchNoticesALook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := watchFor(t, path)
	if _, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Read(w.fd, make([]byte, 4096)); n <= 0 || err != nil {
		t.Errorf("%d bytes of events, error %v, want some", n, err)
	}
}
