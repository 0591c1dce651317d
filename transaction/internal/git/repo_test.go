package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newRepo(t *testing.T) *Repo {
	t.Helper()
	r := Open(filepath.Join(t.TempDir(), "store"), os.Environ())
	if err := r.Create("refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// plain runs git as a user would, in the repository.
func plain(t *testing.T, r *Repo, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...)
	cmd.Env = append(Environ(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func fsck(t *testing.T, r *Repo) {
	t.Helper()
	if out := plain(t, r, "fsck", "--strict", "--no-dangling"); strings.Contains(out, "error") || strings.Contains(out, "warning") {
		t.Errorf("git fsck says\n%s", out)
	}
}

// put writes objects and returns the name of the first.
func put(t *testing.T, r *Repo, objects ...Object) ID {
	t.Helper()
	if err := r.Write(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	return objects[0].ID()
}

func TestObjectsAreReadAsTheyWereWritten(t *testing.T) {
	r := newRepo(t)
	for _, count := range []int{1, 3, keepPack, keepPack + 50} {
		var objects []Object
		for i := range count {
			objects = append(objects, Object{Blob, fmt.Appendf(nil, "%d of %d\x00\r\n%s", i, count, strings.Repeat("x", i*i))})
		}
		put(t, r, objects...)
		for _, want := range objects {
			id, got, err := r.Read(string(want.ID()))
			if err != nil || id != want.ID() || got.Kind != Blob || !bytes.Equal(got.Data, want.Data) {
				t.Fatalf("got %s %s %d bytes, %v, want %s %d bytes", id, got.Kind, len(got.Data), err, want.ID(), len(want.Data))
			}
		}
	}
	fsck(t, r)
}

func TestObjectsAreNamedAsGitNamesThem(t *testing.T) {
	r := newRepo(t)
	o := Object{Blob, []byte("a0\n")}
	if got, want := o.ID(), ID("0042f6c56d8fc1896f3efc2cdc5060e5b5e44e02"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if put(t, r, o) != o.ID() || strings.TrimSpace(plain(t, r, "cat-file", "-t", string(o.ID()))) != "blob" {
		t.Errorf("git doesn't have %s", o.ID())
	}
}

func TestAMissingObjectIsMissingAndNothingElseBreaks(t *testing.T) {
	r := newRepo(t)
	id := put(t, r, Object{Blob, nil})
	for _, name := range []string{"refs/heads/none", string(Zero), "no such thing", "a\nb", ""} {
		if _, _, err := r.Read(name); !errors.Is(err, ErrMissing) {
			t.Errorf("%q: got %v, want ErrMissing", name, err)
		}
	}
	if err := r.Copy(id, failingWriter{}); err != nil {
		t.Errorf("an empty blob: %v", err)
	}
	large := put(t, r, Object{Blob, make([]byte, 1<<20)})
	if err := r.Copy(large, failingWriter{}); !errors.Is(err, errWriter) {
		t.Errorf("got %v, want the writer's error", err)
	}
	var b bytes.Buffer
	if err := r.Copy(large, &b); err != nil || b.Len() != 1<<20 {
		t.Errorf("after it: got %d bytes, %v", b.Len(), err)
	}
}

var errWriter = errors.New("no room")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errWriter }

func TestAKilledReaderIsStartedAnew(t *testing.T) {
	r := newRepo(t)
	id := put(t, r, Object{Blob, []byte("x")})
	for range 3 {
		if _, _, err := r.Read(string(id)); err != nil {
			t.Fatal(err)
		}
		r.cat.cmd.Process.Kill()
		r.cat.cmd.Process.Wait()
		if _, _, err := r.Read(string(id)); err == nil {
			continue // the pipe was still open
		}
		if _, o, err := r.Read(string(id)); err != nil || string(o.Data) != "x" {
			t.Fatalf("got %q, %v", o.Data, err)
		}
	}
}

func TestAContentOfAnotherSizeWritesNothing(t *testing.T) {
	r := newRepo(t)
	for name, size := range map[string]int64{"shrunk": 5, "grew": 2} {
		_, err := r.WriteStream(t.Context(), 1, func(w *PackWriter) error {
			_, err := w.AddStream(Blob, size, func(w io.Writer) error { _, err := io.WriteString(w, "abc"); return err })
			return err
		})
		if !errors.Is(err, ErrChanged) {
			t.Errorf("%s: got %v, want ErrChanged", name, err)
		}
	}
	if _, err := r.WriteStream(t.Context(), 2, func(w *PackWriter) error { _, err := w.Add(Object{Blob, nil}); return err }); !errors.Is(err, ErrChanged) {
		t.Errorf("too few: got %v, want ErrChanged", err)
	}
	if _, _, err := r.Read(string(Object{Blob, nil}.ID())); !errors.Is(err, ErrMissing) {
		t.Errorf("something was written: %v", err)
	}
}

func TestOnlyARepositoryOfOursExists(t *testing.T) {
	r := newRepo(t)
	if ok, err := r.Exists(); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	half := Open(filepath.Join(t.TempDir(), "half"), nil)
	os.MkdirAll(filepath.Join(half.dir, "objects"), 0o755)
	if ok, err := half.Exists(); ok || err != nil {
		t.Errorf("half made: got %v, %v", ok, err)
	}
	for name, spoil := range map[string]func(dir string){
		"settings of somebody else": func(dir string) {
			os.WriteFile(filepath.Join(dir, "config"), []byte(config+"[core]\n\tfsmonitor = evil\n"), 0o644)
		},
		"a link":               func(dir string) { os.RemoveAll(dir); os.Symlink(t.TempDir(), dir) },
		"a file":               func(dir string) { os.RemoveAll(dir); os.WriteFile(dir, nil, 0o644) },
		"some other directory": func(dir string) { os.Remove(filepath.Join(dir, "config")) },
	} {
		r := newRepo(t)
		spoil(r.dir)
		if ok, err := r.Exists(); ok || !errors.Is(err, ErrForeign) {
			t.Errorf("%s: got %v, %v, want ErrForeign", name, ok, err)
		}
	}
}

// Edits of random trees give what git itself would have made.
func TestEditedTreesAreGits(t *testing.T) {
	r := newRepo(t)
	rng := rand.New(rand.NewPCG(1, 1))
	blob := put(t, r, Object{Blob, []byte("x")})
	names := []string{"a", "a.b", "a-b", "b", "a/x", "a/y", "a0", "b/c/d", "b/c/e", "b/f", "é", "z/z/z/z", "a.b/q"}
	tree := put(t, r, Object{Tree, nil})
	files := map[string]Entry{}
	for range 60 {
		var changes []Change
		for _, name := range names {
			switch rng.IntN(4) {
			case 0:
				changes = append(changes, Change{name, Entry{pickMode(rng), blob}})
			case 1:
				changes = append(changes, Change{Path: name})
			}
		}
		next := apply(files, changes)
		id, objects, err := r.Trees().Edit(tree, changes)
		if next == nil {
			if err == nil {
				t.Fatalf("%v on %v: want an error", changes, files)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		put(t, r, append(objects, Object{Blob, nil})...)
		before := tree
		tree, files = id, next
		checkTree(t, r, tree, files)
		checkDiff(t, r, before, tree)
	}
	fsck(t, r)
}

func pickMode(rng *rand.Rand) Mode {
	return []Mode{ModeFile, ModeExecutable, ModeLink}[rng.IntN(3)]
}

// apply changes a list of files; nil if one would be a file and a directory.
func apply(files map[string]Entry, changes []Change) map[string]Entry {
	out := map[string]Entry{}
	for p, e := range files {
		out[p] = e
	}
	for _, c := range changes {
		if c.Entry.Exists() {
			out[c.Path] = c.Entry
		} else {
			delete(out, c.Path)
		}
	}
	for p := range out {
		for q := range out {
			if strings.HasPrefix(p, q+"/") {
				return nil
			}
		}
	}
	return out
}

func checkTree(t *testing.T, r *Repo, tree ID, files map[string]Entry) {
	t.Helper()
	var want, got []string
	for p, e := range files {
		want = append(want, fmt.Sprintf("%06o %s\t%s", e.Mode, e.ID, p))
	}
	slices.Sort(want)
	for _, line := range strings.Split(strings.TrimSuffix(plain(t, r, "ls-tree", "-r", "-z", "--full-tree", string(tree)), "\x00"), "\x00") {
		if f := strings.Fields(line); len(f) > 2 {
			got = append(got, f[0]+" "+f[2]+"\t"+line[strings.IndexByte(line, '\t')+1:])
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("git lists\n%q\nwant\n%q", got, want)
	}
	trees := r.Trees()
	if err := trees.Walk(tree, func(path string, e Entry) error {
		if files[path] != e {
			t.Errorf("walk: %s is %v, want %v", path, e, files[path])
		}
		at, _, err := trees.Lookup(tree, path)
		if err != nil || at != e {
			t.Errorf("lookup: %s is %v, %v, want %v", path, at, err, e)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func checkDiff(t *testing.T, r *Repo, before, after ID) {
	t.Helper()
	diff, err := r.Trees().Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diff {
		got = append(got, fmt.Sprintf(":%06o %06o %s", d.Old.Mode, d.New.Mode, d.Path))
	}
	var want []string
	fields := strings.Split(plain(t, r, "diff-tree", "-r", "-z", "--no-renames", string(before), string(after)), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		want = append(want, fields[i][:14]+" "+fields[i+1])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("diff: got\n%q\nwant\n%q", got, want)
	}
}

func TestCommitsCarryTheirTrailers(t *testing.T) {
	r := newRepo(t)
	tree := put(t, r, Object{Tree, nil})
	now := time.Unix(1700000000, 0).UTC()
	c := CommitInfo{Tree: tree, Author: FormatIdentity("", "", now), Committer: FormatIdentity("A B", "a@b", now),
		Message: Message("fettle: 1 file(s)", Trailer{"Fettle-Agent", "evil\nFettle-Run: x"}, Trailer{"Fettle-Transaction", "t:1"})}
	id := put(t, r, c.Format())
	got := plain(t, r, "log", "-1", "--format=%an <%ae> %at|%cn|%s|%(trailers:key=Fettle-Agent,valueonly)|%(trailers:key=Fettle-Transaction,valueonly)|%(trailers:key=Fettle-Run)", string(id))
	if want := "fettle <fettle@localhost> 1700000000|A B|fettle: 1 file(s)|evil\uFFFDFettle-Run: x\n|t:1\n|\n"; got != want {
		t.Errorf("git reads %q, want %q", got, want)
	}
	_, read, err := r.ReadCommit(string(id))
	if err != nil || read != c || read.Trailer("Fettle-Transaction") != "t:1" || read.Subject() != "fettle: 1 file(s)" {
		t.Errorf("got %+v, %v, want %+v", read, err, c)
	}
	fsck(t, r)
}

func TestIdentityComesFromTheEnvironment(t *testing.T) {
	now := time.Unix(1700000000, 0).UTC()
	for want, env := range map[string][]string{
		"fettle <fettle@localhost> 1700000000 +0000": nil,
		"A B <a@b> 1700000000 +0000":                 {"GIT_AUTHOR_NAME= A B\n", "GIT_AUTHOR_EMAIL=<a@b>", "GIT_COMMITTER_NAME=no"},
		"fettle <a@b> 5 +0200":                       {"GIT_AUTHOR_EMAIL=a@b", "GIT_AUTHOR_DATE=@5 +0200"},
	} {
		r := Open(newRepo(t).dir, append([]string{"PATH=" + os.Getenv("PATH")}, env...))
		if got, err := r.Identity(t.Context(), Author, now); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", env, got, err, want)
		}
	}
}
