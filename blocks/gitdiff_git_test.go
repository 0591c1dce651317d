package blocks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// git runs the git binary in dir, without any configuration but its own.
func git(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir),
	}
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if exitErr := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exitErr) {
		t.Fatalf("git %q: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// change is a file before and after.
type change struct{ before, after string }

// randomChange edits a random file at a few places. Its line ends are all alike, and it
// has one if they are CRLF: a patch of Git's says which line has which, ours leaves that
// to the file (§ 9.2).
func randomChange(rng *rand.Rand) change {
	var before, after []string
	for range rng.IntN(30) {
		line := pick(rng, []string{"a", "b", "", " c", "-d", "+e", "\\ f", "@@ g", "unique " + fmt.Sprint(rng.IntN(99))})
		before = append(before, line)
		switch rng.IntN(8) {
		case 0:
		case 1:
			after = append(after, "new", line)
		case 2:
			after = append(after, randomLines(rng, 3)...)
		default:
			after = append(after, line)
		}
	}
	end := "\n"
	if len(before) > 1 && rng.IntN(2) == 0 {
		end = "\r\n"
	}
	return change{joinLines(rng, before, end), joinLines(rng, after, end)}
}

func joinLines(rng *rand.Rand, lines []string, end string) string {
	text := ""
	for _, l := range lines {
		text += l + end
	}
	if rng.IntN(3) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

// gitPatches returns Git's patch of each change from its first hunk on.
func gitPatches(t *testing.T, changes []change, context int) []string {
	t.Helper()
	dir := t.TempDir()
	for i, c := range changes {
		writeFile(t, filepath.Join(dir, "a", fmt.Sprintf("%05d", i)), c.before)
		writeFile(t, filepath.Join(dir, "b", fmt.Sprintf("%05d", i)), c.after)
	}
	out, _, _ := git(t, dir, "", "diff", "--no-index", "--no-color", "--no-ext-diff", "--no-renames", "--text", fmt.Sprintf("-U%d", context), "a", "b")
	patches := make([]string, len(changes))
	for _, file := range strings.Split("\n"+out, "\ndiff --git a/a/")[1:] {
		var i int
		if _, err := fmt.Sscanf(file, "%05d", &i); err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(file, "\n@@ "); at >= 0 {
			patches[i] = strings.TrimSuffix(file[at+1:], "\n") + "\n"
		}
	}
	return patches
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Git's own patches, at their stated lines, give exactly the new file, final newline
// included.
func TestDiffAppliesGitsPatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for context := range 4 {
		changes := make([]change, 400)
		for i := range changes {
			changes[i] = randomChange(rng)
		}
		applied := 0
		for i, body := range gitPatches(t, changes, context) {
			if body == "" {
				continue
			}
			c := changes[i]
			got, err := ResolveDiff([]byte(c.before), body, 0)
			if err != nil || string(got.Content) != c.after || got.Fuzz != 0 {
				t.Fatalf("context %d: %q\n%s got %q, %v\nwant %q", context, c.before, body, got.Content, err, c.after)
			}
			applied++
		}
		if applied < 200 {
			t.Errorf("context %d: only %d patches", context, applied)
		}
	}
}

var headerCounts = regexp.MustCompile(`(?m)^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// Where git apply --recount accepts a patch at its stated lines, with wrong counts and a
// file that has meanwhile changed elsewhere, the result is the same. Patches without
// context are left to the test above: git looks for their removals one line off and may
// take an equal line that stands there.
func TestDiffAgreesWithGitApplyRecount(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	changes := make([]change, 150)
	for i := range changes {
		changes[i] = randomChange(rng)
	}
	compared := 0
	for i, body := range gitPatches(t, changes, 1+rng.IntN(3)) {
		if body == "" {
			continue
		}
		body = headerCounts.ReplaceAllStringFunc(body, func(header string) string {
			m := headerCounts.FindStringSubmatch(header)
			return fmt.Sprintf("@@ -%s,%d +%s,%d @@", m[1], 1+rng.IntN(9), m[2], 1+rng.IntN(9))
		})
		content := changes[i].before
		if rng.IntN(3) == 0 {
			content = disturb(rng, content)
		}
		want, ok := gitApply(t, content, body)
		if !ok {
			continue
		}
		compared++
		got, err := ResolveDiff([]byte(content), body, 200)
		if err != nil || string(got.Content) != want {
			t.Fatalf("%q\n%sours %q, %v\n git %q", content, body, got.Content, err, want)
		}
	}
	if compared < 30 {
		t.Errorf("git accepted only %d patches", compared)
	}
}

// disturb changes one line of a file, but not its end: git takes a hunk that says the
// file ends there even where it doesn't, and glues lines; § 8.7 doesn't.
func disturb(rng *rand.Rand, content string) string {
	lines := strings.SplitAfter(content, "\n")
	i := rng.IntN(max(1, len(lines)-2))
	lines[i] = "disturbed" + lines[i]
	return strings.Join(lines, "")
}

// gitApply applies a patch with git. It returns false if git refuses or moves a hunk.
func gitApply(t *testing.T, content, body string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	writeFile(t, file, content)
	patch := "--- a/f\n+++ b/f\n" + body
	_, stderr, exit := git(t, dir, patch, "apply", "--recount", "--whitespace=nowarn", "-v", "-")
	if exit != 0 || strings.Contains(stderr, "offset") {
		return "", false
	}
	out, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), true
}
