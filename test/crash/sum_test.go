package crash

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/test/rig"
)

// wantSum wants what several runs did, taken together, to be what the undisturbed one
// does: their rows add up to its rows, their diffs to the tree. A run that ended before
// its write began counts for nothing: what it had changed in memory is gone with it.
func (t *trial) wantSum() {
	t.Helper()
	reports, want := t.reports, t.rest
	if len(reports) > 0 && len(reports[0].Steps) == len(steps) {
		if len(reports[0].Written) > 0 {
			want = t.whole
		} else {
			reports = reports[1:]
		}
	}
	t.wantTree(want.tree)
	files := workspaceOf(t.base)
	sum := sumOf(files)
	for _, r := range reports {
		sum.add(r.Changes)
	}
	if diff := cmp.Diff(rowsOf(want.report.Changes), sum.rows(t.base, want.tree)); diff != "" {
		t.Errorf("the rows of %d reports don't add up to those of the undisturbed run (-want +got):\n%s", len(reports), diff)
	}
	got := t.apply(files, reports)
	if diff := cmp.Diff(workspaceOf(want.tree), got); diff != "" {
		t.Errorf("the diffs of %d reports don't add up to the tree (-want +got):\n%s", len(reports), diff)
	}
}

// workspaceOf are the files of a tree that the pipelines take in.
func workspaceOf(tree rig.Tree) map[string]string {
	files := map[string]string{}
	for path, data := range tree.Files() {
		for segment := range strings.SplitSeq(path, "/") {
			if strings.HasPrefix(segment, ".") {
				path = ""
			}
		}
		ours := path == "package.json" || strings.HasPrefix(path, "src/") && strings.HasSuffix(path, ".ts")
		if ours && !strings.Contains(path, `\`) && utf8.ValidString(path) && !strings.Contains(data, "\x00") {
			files[path] = data
		}
	}
	return files
}

// sum says of each path which file of the beginning it is now: "" is none.
type sum map[string]string

func sumOf(files map[string]string) sum {
	s := sum{}
	for path := range files {
		s[path] = path
	}
	return s
}

// add takes the rows of one more run into account. They are all about the state before
// it.
func (s sum) add(changes []report.Change) {
	before := sum{}
	for path, origin := range s {
		before[path] = origin
	}
	for _, c := range changes {
		switch c.Kind {
		case "deleted":
			delete(s, c.Path)
		case "renamed":
			delete(s, c.From)
		}
	}
	for _, c := range changes {
		switch c.Kind {
		case "added":
			s[c.Path] = ""
		case "renamed":
			s[c.Path] = before[c.From]
		}
	}
}

// rows are the rows of all runs together.
func (s sum) rows(base, now rig.Tree) []row {
	var changes []report.Change
	left := map[string]bool{}
	for path, origin := range s {
		left[origin] = true
		c := report.Change{Path: path, Kind: "renamed", From: origin, BytesAfter: int64(len(now[path].Data))}
		switch {
		case origin == "":
			c.Kind, c.From = "added", ""
		case origin == path && base[path].Data == now[path].Data:
			continue
		case origin == path:
			c.Kind, c.From = "modified", ""
		}
		if origin != "" {
			c.BytesBefore = int64(len(base[origin].Data))
		}
		changes = append(changes, c)
	}
	for path, data := range workspaceOf(base) {
		if _, there := s[path]; !there && !left[path] {
			changes = append(changes, report.Change{Path: path, Kind: "deleted", BytesBefore: int64(len(data))})
		}
	}
	return rowsOf(changes)
}

// apply applies the diffs of reports to files, one after the other, by git.
func (t *trial) apply(files map[string]string, reports []report.Report) map[string]string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(t.Manifest), "applied")
	tree := rig.Tree{".": rig.Dir()}
	for path, data := range files {
		tree[path] = rig.File(data)
	}
	rig.Make(t, dir, tree)
	for i, r := range reports {
		if r.Diff == "" {
			continue
		}
		file := filepath.Join(filepath.Dir(dir), "diff-"+strconv.Itoa(i))
		if err := os.WriteFile(file, []byte(r.Diff), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "apply", "--whitespace=nowarn", file)
		cmd.Dir = dir
		cmd.Env = append(t.Env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git can't apply the diff of report %d: %v\n%s", i, err, out)
		}
	}
	return rig.Look(t, dir).Files()
}
