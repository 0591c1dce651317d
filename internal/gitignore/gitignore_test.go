package gitignore

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/enumerate"
)

// repository makes a Git repository of files (path → text); those of tracked are added
// to the index by force.
func repository(t *testing.T, files map[string]string, tracked ...string) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, "init", "-q")
	for path, text := range files {
		write(t, root, path, text)
	}
	if len(tracked) > 0 {
		git(t, root, append([]string{"add", "-f", "--"}, tracked...)...)
	}
	return root
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	file := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, root string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	cmd.Env = append(environment(), "PATH="+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func load(t *testing.T, root string) *Set {
	t.Helper()
	set, err := Git{Program: "git", Root: root}.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestWhatGitIgnoresIsIgnored(t *testing.T) {
	root := repository(t, map[string]string{
		".gitignore":            "*.log\nnode_modules/\nout\n",
		"src/a.ts":              "a",
		"src/.gitignore":        "/gen.ts\n",
		"src/gen.ts":            "g",
		"src/deep/gen.ts":       "g",
		"node_modules/p/i.ts":   "i",
		"pkg/node_modules/q.ts": "q",
		"logs/x.log":            "x",
		"tracked.log":           "t",
		"out/kept.ts":           "k",
		"out/new.ts":            "n",
		"nl\n.log":              "n",
		"\xff.log":              "n",
	}, "tracked.log", "out/kept.ts")
	tests := []struct {
		path string
		dir  bool
		want bool
	}{
		{"src/a.ts", false, false},
		{"src/gen.ts", false, true},
		{"src/deep/gen.ts", false, false},
		{"node_modules", true, true},
		{"pkg/node_modules", true, true},
		{"pkg", true, false}, // holds ignored things only, but no rule names it
		{"logs", true, false},
		{"logs/x.log", false, true},
		{"tracked.log", false, false},
		{"out/kept.ts", false, false},
		{"out/new.ts", false, true},
		{"nl\n.log", false, true},
		{"\xff.log", false, true},
		{"nl", false, false},
	}
	set := load(t, root)
	for _, tt := range tests {
		if got := set.Ignored(tt.path, tt.dir); got != tt.want {
			t.Errorf("ignored %q (directory %t): got %t, want %t", tt.path, tt.dir, got, tt.want)
		}
	}
}

func TestRootBelowTheTopOfTheWorkTreeObeysTheRulesAboveIt(t *testing.T) {
	root := repository(t, map[string]string{".gitignore": "*.log\n/web/gen\n", "web/a.log": "", "web/a.ts": "", "web/gen/x": ""})
	set := load(t, filepath.Join(root, "web"))
	if !set.Ignored("a.log", false) || !set.Ignored("gen", true) || set.Ignored("a.ts", false) {
		t.Errorf("got files %v, directories %v; want a.log and gen", set.files, set.dirs)
	}
}

func TestRootInAnIgnoredDirectoryIsIgnoredAsAWhole(t *testing.T) {
	root := repository(t, map[string]string{".gitignore": "build/\n", "build/web/a.ts": ""})
	if set := load(t, filepath.Join(root, "build", "web")); !set.Ignored("a.ts", false) {
		t.Errorf("a.ts below an ignored directory: got files %v, directories %v; want all ignored", set.files, set.dirs)
	}
}

func TestRootWhoseFilesAreAllIgnoredOneByOneIsNotIgnored(t *testing.T) {
	root := repository(t, map[string]string{".gitignore": "*.log\n", "web/a.log": ""})
	if set := load(t, filepath.Join(root, "web")); !set.Ignored("a.log", false) || set.Ignored("new.ts", false) {
		t.Errorf("got files %v, directories %v, all %t; want a.log alone", set.files, set.dirs, set.all)
	}
}

func TestNothingOfTheRepositoryIsRunOrWritten(t *testing.T) {
	root := repository(t, map[string]string{".gitignore": "*.log\n", "a.log": "", "b.ts": "b"}, "b.ts")
	canary := filepath.Join(t.TempDir(), "ran")
	write(t, root, "evil", "#!/bin/sh\ntouch "+canary+"\n")
	evil := filepath.Join(root, "evil")
	for key, value := range map[string]string{
		"core.fsmonitor": evil, "core.hooksPath": root, "core.pager": evil, "core.sshCommand": evil,
		"filter.x.clean": evil, "filter.x.smudge": evil, "diff.external": evil, "alias.ls-files": "!" + evil,
		"core.untrackedCache": "true",
	} {
		git(t, root, "config", key, value)
	}
	write(t, root, ".gitattributes", "* filter=x\n")
	write(t, root, "post-index-change", "#!/bin/sh\ntouch "+canary+"\n")
	index := filepath.Join(root, ".git", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}

	if set := load(t, root); !set.Ignored("a.log", false) {
		t.Errorf("a.log: got files %v, want it ignored", set.files)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program that the repository names was run")
	}
	if after, err := os.ReadFile(index); err != nil || string(after) != string(before) {
		t.Errorf("the index was written (error %v)", err)
	}
}

func TestTheUsersOwnExcludesTakeNoPart(t *testing.T) {
	home := t.TempDir()
	write(t, home, ".config/git/ignore", "*.ts\n")
	write(t, home, ".gitconfig", "[core]\n\texcludesFile = "+filepath.Join(home, ".config/git/ignore")+"\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	root := repository(t, map[string]string{"a.ts": "a"})
	if load(t, root).Ignored("a.ts", false) {
		t.Error("a.ts is ignored by the user's excludes; want both drivers to agree")
	}
}

func TestWithoutRepositoryOrGitThereIsNoAnswer(t *testing.T) {
	tests := []struct {
		name string
		git  Git
	}{
		{"no repository", Git{Program: "git", Root: t.TempDir()}},
		{"no git", Git{Program: filepath.Join(t.TempDir(), "git"), Root: t.TempDir()}},
	}
	for _, tt := range tests {
		if _, err := tt.git.Load(context.Background()); !errors.Is(err, enumerate.ErrNotOffered) {
			t.Errorf("%s: got %v, want ErrNotOffered", tt.name, err)
		}
	}
}

func TestACancelledQuestionEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Git{Program: "git", Root: repository(t, nil)}.Load(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
