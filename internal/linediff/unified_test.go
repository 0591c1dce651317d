package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func file(path, data string) Side { return Side{Path: path, Mode: 0o644, Data: []byte(data)} }

func utf16LE(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func TestUnifiedDiffIsWhatPeopleKnowFromGit(t *testing.T) {
	tests := []struct {
		name          string
		before, after Side
		want          string
	}{
		{"equal sides say nothing", file("a", "x\n"), file("a", "x\n"), ""},
		{"a changed line with its context",
			file("a.ts", "1\n2\n3\n4\n5\n6\n7\n8\n"), file("a.ts", "1\n2\n3\n4\nV\n6\n7\n8\n"),
			"diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+V\n 6\n 7\n 8\n"},
		{"distant changes make two hunks",
			file("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), file("a", "x\n2\n3\n4\n5\n6\n7\n8\ny\n"),
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
		{"near ones share a hunk",
			file("a", "1\n2\n3\n4\n5\n6\n7\n8\n"), file("a", "x\n2\n3\n4\n5\n6\n7\ny\n"),
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"},
		{"a missing final newline is said",
			file("a", "x"), file("a", "x\n"),
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"},
		{"a new file",
			Side{}, Side{Path: "run.sh", Mode: 0o755, Data: []byte("x\n")},
			"diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+x\n"},
		{"a new empty file", Side{}, file("e", ""), "diff --git a/e b/e\nnew file mode 100644\n"},
		{"a deleted file",
			file("a", "x\ny\n"), Side{},
			"diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"},
		{"a renamed file", file("a", "x\n"), file("b", "x\n"), "diff --git a/a b/b\nrename from a\nrename to b\n"},
		{"a renamed and edited one with another mode",
			file("a", "x\n"), Side{Path: "b", Mode: 0o755, Data: []byte("y\n")},
			"diff --git a/a b/b\nold mode 100644\nnew mode 100755\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"},
		{"odd names are quoted, others aren't",
			file("a\tb\n\"\\é\x01", "x\n"), file("with space", "x\ny\n"),
			"diff --git \"a/a\\tb\\n\\\"\\\\é\\001\" b/with space\nrename from \"a\\tb\\n\\\"\\\\é\\001\"\nrename to with space\n" +
				"--- \"a/a\\tb\\n\\\"\\\\é\\001\"\n+++ b/with space\t\n@@ -1 +1,2 @@\n x\n+y\n"},
		{"bytes that are no text are only said to differ",
			file("a", "x\x00"), file("a", "y\x00"), "diff --git a/a b/a\nBinary files a/a and b/a differ\n"},
		{"UTF-16 is decoded, and that is said",
			file("a", utf16LE("x\ny\n")), file("a", utf16LE("x\nz\n")),
			"# a is UTF-16LE; its text is shown in UTF-8\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"},
		{"so is a change to UTF-16 alone",
			file("a", "x\n"), file("a", utf16LE("x\n")),
			"# a is UTF-16LE; its text is shown in UTF-8\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n"},
	}
	for _, tt := range tests {
		if got := string(AppendUnified(nil, tt.before, tt.after)); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestScriptTurnsOneTextIntoTheOther(t *testing.T) {
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		before := randomText(rnd, rnd.IntN(80), 1+rnd.IntN(30))
		after := randomText(rnd, rnd.IntN(80), 1+rnd.IntN(30))
		if rnd.IntN(2) == 0 {
			after = edited(rnd, before, rnd.IntN(10))
		}
		a, b := gitLines(before), gitLines(after)
		changes := script(a, b)
		if got := play(a, b, changes); !bytes.Equal(got, after) {
			t.Fatalf("seed %d: the script makes %q of %q, want %q", seed, got, before, after)
		}
		removed := 0
		for _, c := range changes {
			removed += c.lenA
		}
		if want := len(a) - table(a, b); removed != want {
			t.Fatalf("seed %d: the script removes %d lines, want %d", seed, removed, want)
		}
	}
}

// Beyond patience a script may be longer than needed, but never wrong.
func TestScriptOfTextsThatDifferMuchIsStillRight(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 12))
		kinds := []int{2, 40, 2000, 100_000}[seed%4]
		before, after := randomText(rnd, 3000, kinds), randomText(rnd, 2500, kinds)
		if seed >= 8 {
			after = edited(rnd, before, 2000)
		}
		a, b := gitLines(before), gitLines(after)
		if got := play(a, b, script(a, b)); !bytes.Equal(got, after) {
			t.Fatalf("seed %d: the script doesn't lead to the other text", seed)
		}
	}
}

func play(a, b [][]byte, changes []change) []byte {
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(out, bytes.Join(a[at:c.a], nil)...)
		out = append(out, bytes.Join(b[c.b:c.b+c.lenB], nil)...)
		at = c.a + c.lenA
	}
	return append(out, bytes.Join(a[at:], nil)...)
}

// git itself is the judge: what it makes of the old tree is the new one.
func TestGitAppliesUnifiedDiffsOfWholeTrees(t *testing.T) {
	names := []string{"a", "b.ts", "dir/c", "dir/deep/d e.ts", "naïve", "quo\"te", "ba\\ck", "tab\there", "new\nline", "-dash", " lead"}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 13))
		before, after := map[string]Side{}, map[string]Side{}
		var diff []byte
		for _, name := range names {
			old := Side{Path: name, Mode: []uint32{0o644, 0o755}[rnd.IntN(2)], Data: randomText(rnd, rnd.IntN(40), 12)}
			now := old
			now.Data = edited(rnd, old.Data, rnd.IntN(6))
			switch rnd.IntN(5) {
			case 0:
				old = Side{}
			case 1:
				now = Side{}
			case 2:
				now.Path = name + ".moved"
			case 3:
				now.Mode = 0o755
			}
			if old.Path != "" {
				before[old.Path] = old
			}
			if now.Path != "" {
				after[now.Path] = now
			}
			diff = AppendUnified(diff, old, now)
		}
		dir := t.TempDir()
		for path, s := range before {
			write(t, filepath.Join(dir, path), s)
		}
		apply(t, dir, diff)
		wantTree(t, dir, after, diff)
	}
}

func write(t *testing.T, path string, s Side) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, s.Data, os.FileMode(s.Mode)); err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, dir string, diff []byte) {
	t.Helper()
	if len(diff) == 0 {
		return
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = bytes.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
}

func wantTree(t *testing.T, dir string, want map[string]Side, diff []byte) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		rel := strings.TrimPrefix(path, dir+"/")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s, ok := want[rel]
		if !ok || !bytes.Equal(data, s.Data) || (info.Mode()&0o100 != 0) != executable(s) {
			return fmt.Errorf("%q: got %q, %v, want %q, %o (%v)", rel, data, info.Mode(), s.Data, s.Mode, ok)
		}
		return nil
	})
	if err != nil || seen != len(want) {
		t.Fatalf("%d files of %d: %v\n%s", seen, len(want), err, diff)
	}
}
