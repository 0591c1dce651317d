package killtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be the program under test: with SCRIPT=n it makes n
// directories one after the other.
func TestMain(m *testing.M) {
	if dir := os.Getenv("MAKE_DIRECTORIES"); dir != "" {
		for i := range 5 {
			if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
		os.Exit(7)
	}
	os.Exit(m.Run())
}

func TestRunKillsRightBeforeOrAfterTheNthCall(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		for _, before := range []bool{false, true} {
			t.Run(fmt.Sprintf("n=%d before=%v", n, before), func(t *testing.T) {
				dir := t.TempDir()
				got, err := Run(
					Command{Path: self, Env: []string{"MAKE_DIRECTORIES=" + dir}, Output: os.Stderr},
					Point{Target: filepath.Base(self), Set: Set{unix.SYS_MKDIRAT}, N: n, Before: before},
				)
				if err != nil {
					t.Fatal(err)
				}
				want := Result{Calls: n, Killed: true, ExitCode: -1}
				made := n
				if before {
					made = n - 1
				}
				if n == 0 {
					want, made = Result{Calls: 5, ExitCode: 7}, 5
				}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				if len(entries) != made {
					t.Errorf("%d directories were made, want %d", len(entries), made)
				}
			})
		}
	}
}

func TestRunFollowsChildrenAndKillsTheTargetOnly(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Run(
		Command{Path: "/bin/sh", Args: []string{"-c", `"$0"; echo $? > ` + filepath.Join(dir, "status"), self}, Env: []string{"MAKE_DIRECTORIES=" + dir}, Output: os.Stderr},
		Point{Target: filepath.Base(self), Set: Set{unix.SYS_MKDIRAT}, N: 2},
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Result{Calls: 2, Killed: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "137\n"; string(status) != want {
		t.Errorf("the shell saw status %q, want %q", status, want)
	}
}
