package transaction_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// plumbing commits three files to a bare repository as a script would.
const plumbing = `
b1=$(git hash-object -w --stdin < "$1"); b2=$(git hash-object -w --stdin < "$2"); b3=$(git hash-object -w --stdin < "$3")
head=$(git rev-parse refs/heads/main)
git read-tree $head
printf '100644 %s\td1/f1.txt\n100644 %s\td2/f2.txt\n100644 %s\td3/f3.txt\n' $b1 $b2 $b3 | git update-index --index-info
tree=$(git write-tree)
commit=$(echo message | git commit-tree -p $head $tree)
git update-ref refs/heads/main $commit $head
rm -f $GIT_INDEX_FILE
`

// A transaction of three files on a store of 10,000, judged, published and written to the
// directory, against bare plumbing that does none of that but publishing. Samples
// alternate, so that what else the machine does meets both.
func TestAThreeFileTransactionCostsLittleMoreThanPlumbing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	for d := range 100 {
		must(t, os.MkdirAll(filepath.Join(root, fmt.Sprintf("d%d", d)), 0o755))
		for f := range 100 {
			must(t, os.WriteFile(filepath.Join(root, fmt.Sprintf("d%d/f%d.txt", d, f)), fmt.Appendf(nil, "%d %d\n", d, f), 0o644))
		}
	}
	s := newTestService(t)
	settleText(t, s, root, "A", "``` file=first\nx\n```\n")
	bare := filepath.Join(t.TempDir(), "bare")
	plain := plainPlumbing(t, root, bare)
	const samples = 15
	var ours, theirs []time.Duration
	for i := range samples {
		contents := [3]string{fmt.Sprintf("a%d\n", i), fmt.Sprintf("b%d\n", i), fmt.Sprintf("c%d\n", i)}
		theirs = append(theirs, measure(func() { plain(contents) }))
		message := ""
		for k, c := range contents {
			message += fmt.Sprintf("``` file=d%d/f%d.txt\n%s```\n", k+1, k+1, c)
		}
		ours = append(ours, measure(func() { settleText(t, s, root, "A", message) }))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	a, b := ours[samples/2], theirs[samples/2]
	t.Logf("median %s against %s: %.2f times", a, b, float64(a)/float64(b))
	if float64(a) > 1.5*float64(b) {
		t.Errorf("a transaction takes %s, plumbing %s: %.2f times, want at most 1.5", a, b, float64(a)/float64(b))
	}
}

func measure(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// plainPlumbing makes a bare repository of the files below root and returns what commits
// three of them.
func plainPlumbing(t *testing.T, root, bare string) func(contents [3]string) {
	t.Helper()
	env := append(os.Environ(), "GIT_DIR="+bare, "GIT_INDEX_FILE="+bare+"/temporary", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
	script := func(text string, args ...string) {
		cmd := exec.Command("sh", append([]string{"-ec", text, "sh"}, args...)...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	script(`git init -q --bare "$GIT_DIR" && git --work-tree "$1" add -A && git update-ref refs/heads/main $(echo x | git commit-tree $(git write-tree)) && git repack -adq && rm -f $GIT_INDEX_FILE`, root)
	files := make([]string, 3)
	for i := range files {
		files[i] = filepath.Join(filepath.Dir(bare), strings.Repeat("f", i+1))
	}
	return func(contents [3]string) {
		for i, c := range contents {
			must(t, os.WriteFile(files[i], []byte(c), 0o644))
		}
		script(plumbing, files...)
	}
}
