package sidecar_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// someUser is one that no system knows: a Pod's identity may be any number.
const someUser = 3912345

// layOut puts keys where the kubelet does: files below a directory with a time for a name,
// a link to that, and a link by it for each first segment.
func layOut(t *testing.T, base string, files map[string]string) {
	t.Helper()
	source := filepath.Join(base, "source")
	plant(t, filepath.Join(source, "..2026_12_01"), files)
	must(t, os.Symlink("..2026_12_01", filepath.Join(source, "..data")))
	for name := range files {
		first, _, _ := strings.Cut(name, "/")
		if err := os.Symlink("..data/"+first, filepath.Join(source, first)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
}

const keep = `run: {image: x, command: ["true"], scope: ["**"]}`

func TestAConfigMapBecomesATree(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		mounted      map[string]string
		want         map[string]string
	}{
		{
			"with items, each at its path", "configMap: {name: files, items: [{key: a, path: a.txt}, {key: b, path: sub/deep/b.txt}, {key: c, path: sub/.c.txt}]}",
			map[string]string{"a.txt": "a\n", "sub/deep/b.txt": "b\n", "sub/.c.txt": "c\n"},
			map[string]string{".": `drwxr-xr-x ""`, "a.txt": `-rw-r--r-- "a\n"`, "sub": `drwxr-xr-x ""`, "sub/deep": `drwxr-xr-x ""`, "sub/deep/b.txt": `-rw-r--r-- "b\n"`, "sub/.c.txt": `-rw-r--r-- "c\n"`},
		},
		{
			"without items, by their keys", "configMap: {name: files}",
			map[string]string{"a.txt": "a\n", ".b": "b\n"},
			map[string]string{".": `drwxr-xr-x ""`, "a.txt": `-rw-r--r-- "a\n"`, ".b": `-rw-r--r-- "b\n"`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := worldOf(t, specOf(t, tt.source, "", keep), func(base string) { layOut(t, base, tt.mounted) })
			// What an attempt that was killed left.
			must(t, os.MkdirAll(filepath.Join(w.base, "workspace/tree/sub/old"), 0o755))
			plant(t, filepath.Join(w.base, "workspace/tree"), map[string]string{"a.txt": "half", "sub/old/x": "x"})
			if o := w.pod("prepare", 1).outcome(t); o.Next == nil {
				t.Fatalf("outcome = %+v, want the tool as the next", o)
			}
			if diff := cmp.Diff(tt.want, listing(t, filepath.Join(w.base, "workspace/tree"))); diff != "" {
				t.Errorf("the tree (-want +got):\n%s", diff)
			}
			if o := w.pod("0-0", 1).outcome(t); o.Result != v1alpha1.ResultUnchanged {
				t.Errorf("outcome = %+v, want Unchanged", o)
			}
		})
	}
}

func TestTheSourceIsBroughtInOnce(t *testing.T) {
	w := worldOf(t, specOf(t, "configMap: {name: files}", "", "edit: {path: a.txt, edits: [{find: a, replace: A}]}\nwrite: {}\n"+keep),
		func(base string) { layOut(t, base, map[string]string{"a.txt": "a\n"}) })
	w.pod("prepare", 1)
	w.pod("prepare", 2)
	if got := w.file("a.txt"); got != "A\n" {
		t.Errorf("a.txt holds %q, want what the run has made of it", got)
	}
}

func TestASourceThatCannotBeBroughtInEndsTheRunAndSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		fill         func(t *testing.T, base string)
		wantReason   string
		wantText     string
	}{
		{"a key that isn't there", "configMap: {name: files, items: [{key: gone, path: a.txt}]}", func(*testing.T, string) {}, v1alpha1.ReasonStepFailed, "the ConfigMap files has no readable key gone"},
		{"a key by a link that leads out", "configMap: {name: files, items: [{key: out, path: a.txt}]}", func(t *testing.T, base string) {
			plant(t, base, map[string]string{"secret": "s"})
			must(t, os.Symlink("../secret", filepath.Join(base, "source/a.txt")))
		}, v1alpha1.ReasonStepFailed, "no readable key out"},
		{"an item below another", "configMap: {name: files, items: [{key: a, path: a}, {key: b, path: a/b}]}", func(t *testing.T, base string) {
			plant(t, filepath.Join(base, "source"), map[string]string{"..d/a": "a", "..d/b": "b"})
			must(t, os.Symlink("..d/a", filepath.Join(base, "source/a")))
		}, v1alpha1.ReasonStepFailed, "no readable key b"},
		{"a Git repository", `git: {url: "https://git.example.com/a.git"}`, func(*testing.T, string) {}, v1alpha1.ReasonStepUnavailable, "brings in no Git repository yet"},
		{"a path that the claim hasn't", "persistentVolumeClaim: {claimName: checkout, path: src}", func(*testing.T, string) {}, v1alpha1.ReasonPathRefused, "doesn't exist in the claim"},
		{"a path through a link", "persistentVolumeClaim: {claimName: checkout, path: link/src}", func(t *testing.T, base string) {
			plant(t, filepath.Join(base, "source/real/src"), files())
			must(t, os.Symlink("real", filepath.Join(base, "source/link")))
		}, v1alpha1.ReasonPathRefused, "runs through one"},
		{"a path that is a file", "persistentVolumeClaim: {claimName: checkout, path: src}", func(t *testing.T, base string) {
			plant(t, filepath.Join(base, "source"), map[string]string{"src": "a file"})
		}, v1alpha1.ReasonPathRefused, "not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := worldOf(t, specOf(t, tt.source, "", keep), func(base string) { tt.fill(t, base) })
			e := w.pod("prepare", 1)
			o := e.outcome(t)
			if e.code != 1 || o.Result != v1alpha1.ResultFailed || o.Reason != tt.wantReason || !strings.Contains(o.Message, tt.wantText) {
				t.Errorf("code %d, %+v, want %s with %q", e.code, o, tt.wantReason, tt.wantText)
			}
		})
	}
}

func TestModeCheckWorksOnACopyOfAClaim(t *testing.T) {
	spec := specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", "  mode: Check\n  gates: {mode: Always}\n",
		`run: {image: x, command: [sh, -c, "echo more >>a.txt"], scope: ["**"]}`)
	w := worldOf(t, spec, func(base string) {
		plant(t, filepath.Join(base, "source/src"), files())
		must(t, os.Chmod(filepath.Join(base, "source/src/a.txt"), 0o755))
		must(t, os.Symlink("a.txt", filepath.Join(base, "source/src/link")))
	})
	o := w.toEnd("prepare")
	if o.Result != v1alpha1.ResultChangesFound || o.Accounting.Changed.Files != 1 {
		t.Errorf("outcome = %+v, want ChangesFound in a.txt", o)
	}
	want := map[string]string{".": `drwxr-xr-x ""`, "a.txt": `-rwxr-xr-x "a\n"`, "link": `Lrwxrwxrwx "a.txt"`, "sub": `drwxr-xr-x ""`, "sub/b.txt": `-rw-r--r-- "b\n"`}
	if diff := cmp.Diff(want, listing(t, filepath.Join(w.base, "source/src"))); diff != "" {
		t.Errorf("the claim has changed (-want +got):\n%s", diff)
	}
	want["a.txt"] = `-rwxr-xr-x "a\nmore\n"`
	if diff := cmp.Diff(want, listing(t, filepath.Join(w.base, "workspace/tree"))); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	if _, r := theReport(t, w.run); !r.DryRun {
		t.Error("the report doesn't say that it was a dry run")
	}
}

// The owner tests run as whoever runs them; only root can give files to somebody else.

func TestFilesOfAnotherUserAskForAPodOfThatUser(t *testing.T) {
	w := newWorld(t, files(), keep)
	if os.Getuid() != 0 {
		if o := w.pod("prepare", 1).outcome(t); o.Redo != nil {
			t.Errorf("outcome = %+v, want none for files of our own", o)
		}
		return
	}
	must(t, os.Chown(w.tree, someUser, someUser+1))
	o := w.pod("prepare", 1).outcome(t)
	if o.Redo == nil || o.Redo.RunAs == nil || o.Redo.RunAs.User != someUser || *o.Redo.RunAs.Group != someUser+1 {
		t.Fatalf("outcome = %+v, want a Pod as %d:%d", o, someUser, someUser+1)
	}
	if w.isThere(filepath.Join(w.base, "workspace/state")) {
		t.Error("something was done before")
	}
	change(t, w.run+"/status", map[string]any{"status": map[string]any{"source": map[string]any{"runAs": o.Redo.RunAs}}})
	w.as = &syscall.Credential{Uid: someUser, Gid: someUser + 1}
	o = w.pod("prepare", 2).outcome(t)
	if o.Redo == nil || !o.Redo.Folders {
		t.Fatalf("outcome = %+v, want the folders made: the run's claim is root's", o)
	}
	w.as = nil
	if e := w.pod("folders", 1); e.code != 0 || e.message != "" {
		t.Fatalf("folders: code %d, %q", e.code, e.message)
	}
	w.as = &syscall.Credential{Uid: someUser, Gid: someUser + 1}
	if o = w.toEnd("prepare"); o.Result != v1alpha1.ResultUnchanged {
		t.Errorf("outcome = %+v, want Unchanged", o)
	}
}

func TestFilesThatNobodyMayWriteToEndTheRun(t *testing.T) {
	w := newWorld(t, files(), keep)
	if os.Getuid() == 0 {
		w.as = &syscall.Credential{Uid: someUser, Gid: someUser} // and the files are root's, who is nobody's identity
	} else {
		change(t, w.run+"/status", map[string]any{"status": map[string]any{"source": map[string]any{"runAs": map[string]any{"user": 1}}}})
		must(t, os.RemoveAll(filepath.Join(w.base, "source")))
		must(t, os.Symlink("/usr", filepath.Join(w.base, "source"))) // somebody else's
		w.tree = filepath.Join(w.base, "source", "bin")
	}
	e := w.pod("prepare", 1)
	if o := e.outcome(t); e.code != 1 || o.Result != v1alpha1.ResultFailed || o.Reason != v1alpha1.ReasonNotWritable || !strings.Contains(o.Message, "the files of the claim checkout belong to 0:0") {
		t.Errorf("code %d, %+v, want NotWritable", e.code, o)
	}
}
