package transaction_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/blocks"
)

// vecContent is a file of a scenario: text, {base64}, {link}, {mode, content} or {dir}.
type vecContent struct {
	text string
	mode string
	link string
	dir  bool
	gone bool // null
}

func (v *vecContent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		v.gone = true
		return nil
	}
	var o struct {
		Link    string          `json:"link"`
		Mode    string          `json:"mode"`
		Content json.RawMessage `json:"content"`
		Dir     bool            `json:"dir"`
	}
	if data[0] == '{' {
		if err := json.Unmarshal(data, &o); err != nil {
			return err
		}
	}
	v.link, v.mode, v.dir = o.Link, o.Mode, o.Dir
	if o.Link != "" || o.Dir {
		return nil
	}
	if o.Content != nil {
		data = o.Content
	}
	return (*vecText)(&v.text).UnmarshalJSON(data)
}

func (v vecContent) write(t *testing.T, path string) {
	t.Helper()
	if v.gone {
		must(t, os.Remove(path))
		return
	}
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := fs.FileMode(0o644)
	if v.mode == "755" {
		mode = 0o755
	}
	switch {
	case v.dir:
		must(t, os.Mkdir(path, 0o755))
	case v.link != "":
		os.Remove(path)
		must(t, os.Symlink(v.link, path))
	default:
		must(t, os.WriteFile(path, []byte(v.text), mode))
		must(t, os.Chmod(path, mode))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// showBytes is how contents are shown in a row.
func showBytes(b []byte) any {
	if !utf8.Valid(b) {
		return map[string]any{"base64": base64.StdEncoding.EncodeToString(b)}
	}
	return string(b)
}

// showDisk shows the regular files and links below a directory, but for .git.
func showDisk(t *testing.T, root string) any {
	t.Helper()
	out := map[string]any{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		switch d.Type() {
		case 0:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, _ := d.Info()
			out[rel] = showFile(data, info.Mode()&0o111 != 0)
		case fs.ModeSymlink:
			target, _ := os.Readlink(path)
			out[rel] = map[string]any{"link": target}
		}
		return nil
	}))
	return out
}

func showFile(data []byte, executable bool) any {
	if executable {
		return map[string]any{"mode": "755", "content": showBytes(data)}
	}
	return showBytes(data)
}

// repo looks at a store with git, as a user would.
type repo struct {
	t   *testing.T
	dir string
}

const canonicalRef = "refs/heads/agent-canonical"

func (r repo) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=racer", "GIT_AUTHOR_EMAIL=r@r", "GIT_COMMITTER_NAME=racer", "GIT_COMMITTER_EMAIL=r@r")
	out, err := cmd.Output()
	return string(out), err
}

func (r repo) must(args ...string) string {
	r.t.Helper()
	out, err := r.git(args...)
	if err != nil {
		r.t.Fatalf("git %q in %s: %v", args, r.dir, err)
	}
	return out
}

func (r repo) exists() bool {
	_, err := os.Stat(filepath.Join(r.dir, "HEAD"))
	return err == nil
}

// commits returns the published commits, the baseline first.
func (r repo) commits() []string {
	if !r.exists() {
		return nil
	}
	out, err := r.git("rev-list", "--reverse", "--first-parent", canonicalRef)
	if err != nil {
		return nil
	}
	return strings.Fields(out)
}

// show shows the files of a commit.
func (r repo) show(commit string) any {
	r.t.Helper()
	out := map[string]any{}
	for _, line := range strings.Split(strings.TrimSuffix(r.must("ls-tree", "-r", "-z", "--full-tree", commit), "\x00"), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		f := strings.Fields(head)
		data := []byte(r.must("cat-file", "blob", f[2]))
		if f[0] == "120000" {
			out[path] = map[string]any{"link": string(data)}
		} else {
			out[path] = showFile(data, f[0] == "100755")
		}
	}
	return out
}

// changedPaths returns the paths that a commit changed, and its parent.
func (r repo) changedPaths(commit string) (paths []any, parent string) {
	r.t.Helper()
	for _, p := range strings.Split(strings.TrimSuffix(r.must("diff-tree", "-r", "-z", "--name-only", "--no-renames", commit+"^", commit), "\x00"), "\x00") {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return paths, strings.TrimSpace(r.must("rev-parse", commit+"^"))
}

// race publishes a commit of somebody who doesn't know the lock.
func (r repo) race(path, content string) {
	cmd := exec.Command("sh", "-ec", `
		export GIT_INDEX_FILE=$(mktemp -u)
		blob=$(printf %s "$CONTENT" | git hash-object -w --stdin)
		head=$(git rev-parse $REF)
		git read-tree $head
		git update-index --add --cacheinfo 100644,$blob,"$FILE"
		tree=$(git write-tree)
		new=$(printf 'race\n\nFettle-Agent: racer\n' | git commit-tree -p $head $tree)
		git update-ref $REF $new $head
		rm -f $GIT_INDEX_FILE`)
	cmd.Env = append(os.Environ(), "GIT_DIR="+r.dir, "REF="+canonicalRef, "FILE="+path, "CONTENT="+content, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=racer", "GIT_AUTHOR_EMAIL=r@r", "GIT_COMMITTER_NAME=racer", "GIT_COMMITTER_EMAIL=r@r")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Errorf("race: %v\n%s", err, out)
	}
}

// names renders commit ids as the rows name them.
type names map[string]string

func (n names) of(id any) any {
	s, ok := id.(string)
	if !ok {
		return id
	}
	if name, ok := n[s]; ok {
		return name
	}
	return s
}

func nameCommits(n names, prefix string, r repo) {
	for i, id := range r.commits() {
		n[id] = fmt.Sprintf("%sC%d", prefix, i)
	}
}

// showReport shows a report as rows do.
func showReport(t *testing.T, v any, n names) any {
	t.Helper()
	r, ok := asJSON(t, v).(map[string]any)
	if !ok {
		return nil
	}
	delete(r, "transactionId")
	r["commit"], r["repoRevision"] = n.of(r["commit"]), n.of(r["repoRevision"])
	for _, e := range list(r["errors"]) {
		for k := range e {
			if k != "code" && k != "path" {
				delete(e, k)
			}
		}
	}
	for _, res := range list(r["results"]) {
		delete(res, "encoding")
	}
	for _, key := range []string{"staleFiles", "files", "dirtyFiles"} {
		for _, f := range list(r[key]) {
			showShown(f, n)
		}
	}
	return r
}

func showShown(f map[string]any, n names) {
	if f["contentEncoding"] == "base64" {
		f["content"] = map[string]any{"base64": f["content"]}
	}
	delete(f, "contentEncoding")
	if f["repoRevision"] != nil {
		f["repoRevision"] = n.of(f["repoRevision"])
	}
	if changes, ok := f["changesSinceRead"]; ok {
		for _, c := range list(changes) {
			delete(c, "message")
			c["commit"] = n.of(c["commit"])
		}
		f["changes"] = changes
		delete(f, "changesSinceRead")
	}
}

func list(v any) []map[string]any {
	var out []map[string]any
	items, _ := v.([]any)
	for _, x := range items {
		out = append(out, x.(map[string]any))
	}
	return out
}

// showFeedback shows a feedback text as rows do.
func showFeedback(text string, cfg blocks.Config) map[string]any {
	echoes := []any{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		fence := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], "`"))]
		if fence == "" {
			fence = lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], "~"))]
		}
		if len(fence) < 3 {
			continue
		}
		end := i + 1 + slices.Index(lines[i+1:], fence)
		if label := strings.TrimPrefix(lines[i], fence+" "); strings.HasPrefix(label, "path=") {
			path, rest := cutLabel(strings.TrimPrefix(label, "path="))
			echoes = append(echoes, map[string]any{
				"path": path, "numbered": strings.Contains(rest, " numbered"), "fence": float64(len(fence)), "body": strings.Join(lines[i+1:end], "\n"),
			})
		}
		i = end
	}
	p := blocks.Parse(text, cfg)
	return map[string]any{
		"startsWithTag": strings.HasPrefix(text, "[fettle] "), "echoes": echoes,
		"reparsedBlocks": float64(len(p.Blocks) + len(p.Errors) + len(p.Hints)),
	}
}

func cutLabel(label string) (path, rest string) {
	if !strings.HasPrefix(label, `"`) {
		path, rest, _ = strings.Cut(label+" ", " ")
		return path, " " + rest
	}
	end := strings.Index(label[1:], `"`) + 1
	return label[1:end], label[end+1:]
}
