package baseline

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/strictfs"
)

// place is a directory for one test.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place { return place{t, t.TempDir()} }

func (p place) at(path string) string { return filepath.Join(p.dir, path) }

func (p place) file(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(path)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.at(path), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) link(path, target string) {
	p.t.Helper()
	if err := os.Symlink(target, p.at(path)); err != nil {
		p.t.Fatal(err)
	}
}

// git runs git in a directory of the place.
func (p place) git(dir string, args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = p.at(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %q in %q: %v\n%s", args, dir, err, out)
	}
}

// repo makes dir a repository that tracks what lies there.
func (p place) repo(dir string, initArgs ...string) {
	p.t.Helper()
	if err := os.MkdirAll(p.at(dir), 0o755); err != nil {
		p.t.Fatal(err)
	}
	p.git(dir, append([]string{"init", "-q"}, initArgs...)...)
	p.git(dir, "add", "-A", "-f")
	p.git(dir, "commit", "-q", "--allow-empty", "-m", "x")
}

func (p place) list(root string) ([]string, error) {
	p.t.Helper()
	tree, err := strictfs.Open(p.at(root))
	if err != nil {
		p.t.Fatal(err)
	}
	defer tree.Close()
	scratch, n := p.t.TempDir(), 0
	paths, err := List(p.t.Context(), Request{
		Root: tree, Scratch: scratch, Environ: os.Environ(), Private: ".fettle",
		TempName: func() string { n++; return "temp-" + strconv.Itoa(n) },
	})
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		p.t.Errorf("%v was left in the scratch directory", left)
	}
	return paths, err
}

func (p place) wants(root string, want ...string) {
	p.t.Helper()
	got, err := p.list(root)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		p.t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestWithoutAWorkTreeEverythingIsTaken(t *testing.T) {
	p := newPlace(t)
	for _, path := range []string{"a", ".gitignore", "x.log", "d/e/f", ":(glob)x", "-rf", "new\nline", "\xff", "a\"b", ".fettle/state", ".fettle2/x", "d/.fettle/y"} {
		p.file(path, "x")
	}
	p.file(".gitignore", "*.log\n")
	p.link("l", "nowhere")
	p.link("dl", "d")
	os.Mkdir(p.at("empty"), 0o755)
	unix.Mkfifo(p.at("fifo"), 0o644)
	p.wants(".", "a", ".gitignore", "x.log", "d/e/f", ":(glob)x", "-rf", "new\nline", "\xff", "a\"b", ".fettle2/x", "d/.fettle/y", "l", "dl")
}

func TestAWorkTreeGivesWhatItTracksAndIsThere(t *testing.T) {
	p := newPlace(t)
	for _, path := range []string{"a", "d/b", "gone", "now/dir", "new\nline", ":x", ".fettle/state"} {
		p.file(path, "x")
	}
	p.link("l", "a")
	p.link("toLink", "a")
	p.repo(".")
	p.file("untracked", "x")
	p.file("d/untracked", "x")
	os.Remove(p.at("gone"))
	os.RemoveAll(p.at("now"))
	p.file("now", "a file")
	os.Remove(p.at("d/b"))
	os.Remove(p.at("d/untracked"))
	os.Remove(p.at("d"))
	p.link("d", "elsewhere")
	p.wants(".", "a", "new\nline", ":x", "l", "toLink")
}

func TestNestedWorkTreesGiveTheirOwn(t *testing.T) {
	p := newPlace(t)
	p.file("sub/t", "x")
	p.file("deps/lib/a", "x")
	p.file("deps/lib/b.log", "x")
	p.repo("deps/lib")
	p.file("sub/deeper/y", "x")
	p.repo("sub/deeper")
	p.repo("sub")
	p.file("top", "x")
	p.file(".gitignore", "deps\n*.log\n")
	p.git(".", "init", "-q")
	p.git(".", "add", "top", ".gitignore")
	p.file("sub/u", "x")
	p.file("deps/x", "x")
	p.wants(".", "top", ".gitignore", "sub/t", "sub/deeper/y", "deps/lib/a", "deps/lib/b.log")
}

func TestPlainFilesBesideANestedWorkTreeAreTaken(t *testing.T) {
	p := newPlace(t)
	p.file("plain", "x")
	p.file("repo/tracked", "x")
	p.repo("repo")
	p.file("repo/untracked", "x")
	p.wants(".", "plain", "repo/tracked")
	p.file("w/HEAD", "x") // a bare repository is no work tree
	p.wants(".", "plain", "repo/tracked", "w/HEAD")
}

func TestAWorkTreeAboveTheRootPlaysNoPart(t *testing.T) {
	p := newPlace(t)
	p.file("root/tracked", "x")
	p.repo(".")
	p.file("root/untracked", "x")
	p.wants("root", "tracked", "untracked")
}

// contract-063: a submodule's .git is a file that names the outer repository.
func TestASubmoduleGivesItsOwn(t *testing.T) {
	p := newPlace(t)
	p.file("lib/s", "x")
	p.repo("lib")
	p.file("main/top", "x")
	p.repo("main")
	p.git("main", "submodule", "--quiet", "add", p.at("lib"), "vendor/lib")
	p.file("main/vendor/lib/untracked", "x")
	p.wants("main", "top", ".gitmodules", "vendor/lib/s")
	p.git("main", "commit", "-qm", "sub")
	p.git("main", "worktree", "add", "-q", p.at("linked"))
	p.wants("linked", "top", ".gitmodules")
}

// contract-064.
func TestIndexesOfEveryFormAreRead(t *testing.T) {
	for name, set := range map[string]func(p place){
		"split":      func(p place) { p.git(".", "update-index", "--split-index"); p.file("n", "x"); p.git(".", "add", "n") },
		"sparse":     func(p place) { p.git(".", "sparse-checkout", "set", "--cone", "--sparse-index", "a") },
		"version 4":  func(p place) { p.git(".", "update-index", "--index-version", "4") },
		"untracked":  func(p place) { p.git(".", "update-index", "--untracked-cache") },
		"no entries": func(p place) { p.git(".", "rm", "-rq", "--cached", ".") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"sha1", "sha256"} {
				p := newPlace(t)
				p.file("a/b", "x")
				p.file("c/d", "x")
				p.repo(".", "--object-format="+format)
				set(p)
				want := []string{"a/b", "c/d"}
				switch name {
				case "split":
					want = append(want, "n")
				case "sparse":
					want = want[:1]
				case "no entries":
					want = nil
				}
				p.wants(".", want...)
			}
		})
	}
}

func TestAnIndexThatCantBeListedFailsWithItsPath(t *testing.T) {
	for name, text := range map[string]string{"cut": "DIRC", "spoiled": "DIRC" + strings.Repeat("x", 100), "empty": ""} {
		p := newPlace(t)
		p.file("sub/a", "x")
		p.repo("sub")
		p.file("sub/.git/index", text)
		if got, err := p.list("."); err == nil || !strings.Contains(err.Error(), `"sub"`) {
			t.Errorf("%s: got %q, %v, want an error that names the work tree", name, got, err)
		}
	}
}

func TestWithoutAnIndexNothingIsTracked(t *testing.T) {
	p := newPlace(t)
	p.file("a", "x")
	p.git(".", "init", "-q")
	p.wants(".")
}

// contract-065, and what else only looks like a work tree.
func TestWhatIsNoWorkTree(t *testing.T) {
	p := newPlace(t)
	p.file("elsewhere/x", "x")
	p.repo("elsewhere")
	for name, plant := range map[string]func(dir string){
		"a link":              func(dir string) { p.link(dir+"/.git", "../../elsewhere/.git") },
		"a directory":         func(dir string) { p.file(dir+"/.git/HEAD", "x") },
		"a file of prose":     func(dir string) { p.file(dir+"/.git", "hello") },
		"a file that's large": func(dir string) { p.file(dir+"/.git", "gitdir: "+p.at("elsewhere/.git")+strings.Repeat("\n", 5000)) },
		"a dangling name":     func(dir string) { p.file(dir+"/.git", "gitdir: ../none") },
		"a name of a link":    func(dir string) { p.link("link", "elsewhere/.git"); p.file(dir+"/.git", "gitdir: ../../link") },
	} {
		dir := "root/" + strings.ReplaceAll(name, " ", "-")
		p.file(dir+"/f", "x")
		plant(dir)
		p.wants(dir, "f")
	}
}

// contract-062: nothing that a nested work tree's configuration names is run.
func TestNothingOfAWorkTreeIsRun(t *testing.T) {
	p := newPlace(t)
	p.file("root/sub/a", "x")
	p.file("root/.gitattributes", "* filter=evil diff=evil\n")
	p.repo("root/sub")
	p.repo("root")
	mark := p.at("mark")
	program := "!touch " + mark + "; false"
	for _, repo := range []string{"root", "root/sub"} {
		p.file("evil.config", "[core]\n\tsshCommand = touch "+mark+"\n")
		for _, kv := range [][2]string{
			{"core.fsmonitor", p.at("evil.sh")}, {"core.hooksPath", p.dir}, {"alias.ls-files", program}, {"include.path", p.at("evil.config")},
			{"filter.evil.clean", p.at("evil.sh")}, {"core.pager", p.at("evil.sh")}, {"diff.external", p.at("evil.sh")}, {"extensions.partialClone", "evil"},
			{"remote.evil.promisor", "true"}, {"remote.evil.url", "ext::touch " + mark},
		} {
			p.git(repo, "config", kv[0], kv[1])
		}
		for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"} {
			p.file(repo+"/.git/hooks/"+hook, "#!/bin/sh\ntouch "+mark+"\n")
			os.Chmod(p.at(repo+"/.git/hooks/"+hook), 0o755)
		}
	}
	p.file("evil.sh", "#!/bin/sh\ntouch "+mark+"\n")
	os.Chmod(p.at("evil.sh"), 0o755)
	p.file("reference-transaction", "#!/bin/sh\ntouch "+mark+"\n")
	os.Chmod(p.at("reference-transaction"), 0o755)
	p.wants("root", ".gitattributes", "sub/a")
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the repository was run")
	}
}
