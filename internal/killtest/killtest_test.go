package killtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What the test binary does instead of running tests.
const (
	makeDirectories = "MAKE_DIRECTORIES" // makes five directories there, one after the other
	startAnother    = "START_ANOTHER"    // starts this program, tells that it runs by a directory there, and waits
	waitForEver     = "WAIT_FOR_EVER"    // makes a directory there, and stays
	changeFiles     = "CHANGE_FILES"     // makes, reads, moves, links and removes files there
	leaveDaemon     = "LEAVE_DAEMON"     // starts itself with waitForEver there in a session of its own, and ends
)

func TestMain(m *testing.M) {
	Launch()
	for name, do := range map[string]func(string) error{
		makeDirectories: makeFive,
		changeFiles:     change,
		startAnother:    start,
		waitForEver:     stay,
		leaveDaemon:     leave,
	} {
		if dir := os.Getenv(name); dir != "" {
			if err := do(dir); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			os.Exit(7)
		}
	}
	os.Exit(m.Run())
}

func makeFive(dir string) error {
	for i := range 5 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func change(string) error {
	f, err := os.Create("new")
	if err != nil {
		return err
	}
	_, err = f.WriteString("text")
	err = errors.Join(err, f.Sync(), f.Close())
	if f, err2 := os.Open("new"); err2 == nil {
		f.Close()
	}
	dir, err2 := os.Open(".")
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	fd := int(dir.Fd())
	return errors.Join(unix.Renameat(fd, "new", fd, "moved"), unix.Symlinkat("moved", fd, "link"), unix.Unlinkat(fd, "moved", 0))
}

func start(program string) error {
	dir := filepath.Dir(program)
	cmd := exec.Command(program)
	cmd.Env = []string{waitForEver + "=" + dir}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, "started"), 0o700); err != nil {
		return err
	}
	return cmd.Wait()
}

func stay(string) error {
	fmt.Println("here")
	time.Sleep(time.Hour)
	return nil
}

func leave(dir string) error {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{waitForEver + "=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return makeFive(dir)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func made(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestRunKillsRightBeforeOrAfterTheNthCall(t *testing.T) {
	program := self(t)
	for n := range 6 {
		for _, before := range []bool{false, true} {
			for _, launcher := range []string{"", program} {
				t.Run(fmt.Sprintf("n=%d before=%v filtered=%v", n, before, launcher != ""), func(t *testing.T) {
					dir := t.TempDir()
					got, err := Run(
						Command{Path: program, Env: []string{makeDirectories + "=" + dir}, Output: os.Stderr, Launcher: launcher},
						Point{Target: filepath.Base(program), Set: Set{unix.SYS_MKDIRAT}, N: n, Before: before},
					)
					if err != nil {
						t.Fatal(err)
					}
					want, wantMade := Result{Calls: n, Killed: true, ExitCode: -1}, n
					if before {
						wantMade = n - 1
					}
					if n == 0 {
						want, wantMade = Result{Calls: 5, ExitCode: 7}, 5
					}
					if got.Calls != want.Calls || got.Killed != want.Killed || got.ExitCode != want.ExitCode || got.Left != nil {
						t.Errorf("got %+v, want %+v", got, want)
					}
					if n := made(t, dir); n != wantMade {
						t.Errorf("%d directories were made, want %d", n, wantMade)
					}
				})
			}
		}
	}
}

func TestCallsAreDescribedByTheFilesThatTheyActOn(t *testing.T) {
	program, dir := self(t), t.TempDir()
	got, err := Run(
		Command{Path: program, Env: []string{changeFiles + "=."}, Dir: dir, Output: null(t)},
		Point{Target: filepath.Base(program), Set: Mutations(), Where: func(c Call) bool { return strings.HasPrefix(c.Path, dir) }},
	)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	want := []Call{
		{Number: unix.SYS_OPENAT, Path: at("new"), Creates: true},
		{Number: unix.SYS_WRITE, Path: at("new")},
		{Number: unix.SYS_FSYNC, Path: at("new")},
		{Number: unix.SYS_OPENAT, Path: at("new")},
		{Number: unix.SYS_OPENAT, Path: dir},
		{Number: unix.SYS_RENAMEAT, Path: at("new"), To: at("moved")},
		{Number: unix.SYS_SYMLINKAT, Path: at("link")},
		{Number: unix.SYS_UNLINKAT, Path: at("moved")},
	}
	if !slices.Equal(got.Trace, want) || got.Calls != len(want) {
		t.Errorf("got  %+v\nwant %+v", got.Trace, want)
	}
}

func null(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOnlyCallsThatCountAreCounted(t *testing.T) {
	dir := t.TempDir()
	program := self(t)
	got, err := Run(
		Command{Path: program, Env: []string{makeDirectories + "=" + dir}, Output: os.Stderr},
		Point{
			Target: filepath.Base(program), Set: Mutations(), N: 2, Before: true,
			Where: func(c Call) bool { return c.Number == unix.SYS_MKDIRAT && filepath.Base(c.Path) > "2" },
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Call{Number: unix.SYS_MKDIRAT, Path: filepath.Join(dir, "4")}); got.At != want || got.Calls != 2 {
		t.Errorf("killed at %+v, call %d; want %+v, call 2", got.At, got.Calls, want)
	}
	if n := made(t, dir); n != 4 {
		t.Errorf("%d directories were made, want 4", n)
	}
}

func TestRunFollowsChildrenAndKillsTheTargetOnly(t *testing.T) {
	dir := t.TempDir()
	program := self(t)
	got, err := Run(
		Command{Path: "/bin/sh", Args: []string{"-c", `"$0"; echo $? > ` + filepath.Join(dir, "status"), program}, Env: []string{makeDirectories + "=" + dir}, Output: null(t)},
		Point{Target: filepath.Base(program), Set: Set{unix.SYS_MKDIRAT}, N: 2},
	)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Killed || got.ExitCode != 0 || got.Calls != 2 {
		t.Errorf("got %+v, want a kill at call 2 that the shell survived", got)
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "137\n"; string(status) != want {
		t.Errorf("the shell saw status %q, want %q", status, want)
	}
}

// other is a copy of the test binary by another name.
func other(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.Link(self(t), path); err == nil {
		return path
	}
	data, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVictimsAreKilledAllAtOnce(t *testing.T) {
	dir := t.TempDir()
	program, child := self(t), other(t, dir, "child")
	for _, launcher := range []string{"", program} {
		got, err := Run(
			Command{Path: program, Env: []string{startAnother + "=" + child}, Output: os.Stderr, Launcher: launcher},
			Point{
				Target: filepath.Base(program), Set: Set{unix.SYS_MKDIRAT}, N: 1, Before: true,
				Victims: []string{"child", filepath.Base(program)},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Killed || got.ExitCode != -1 || len(got.Left) > 0 {
			t.Errorf("got %+v, want both dead", got)
		}
		if n := made(t, dir); n != 1 {
			t.Errorf("%d entries, want the child alone: the call was to be prevented", n)
		}
	}
}

func TestWhatOutlivesTheKillIsNamedAndKilled(t *testing.T) {
	t.Parallel()
	program := self(t)
	name := filepath.Base(program)
	for _, launcher := range []string{"", program} {
		got, err := Run(
			Command{Path: program, Env: []string{leaveDaemon + "=" + t.TempDir()}, Output: os.Stderr, Launcher: launcher, Patience: 3 * time.Second},
			Point{Target: name, Set: Set{unix.SYS_MKDIRAT}, N: 3},
		)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{name}; !got.Killed || !slices.Equal(got.Left, want) {
			t.Errorf("got %+v, want the daemon %v left", got, want)
		}
	}
}

func TestWhatDoesNotEndIsAnError(t *testing.T) {
	program := self(t)
	_, err := Run(
		Command{Path: program, Env: []string{waitForEver + "=yes"}, Output: null(t), Patience: 100 * time.Millisecond},
		Point{Target: filepath.Base(program), Set: Mutations()},
	)
	if err == nil || !strings.Contains(err.Error(), filepath.Base(program)) {
		t.Errorf("error %v, want one that names %s", err, filepath.Base(program))
	}
}

func TestChildrenOfOthersAreLeftToThem(t *testing.T) {
	program, dir := self(t), t.TempDir()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the tracer's thread, which has forked before
		other := exec.Command("/bin/sh", "-c", "exit 3")
		if err := other.Start(); err != nil {
			done <- err
			return
		}
		ended := make(chan error)
		go func() { ended <- other.Wait() }()
		got, err := run(
			Command{Path: program, Env: []string{makeDirectories + "=" + dir}, Output: os.Stderr},
			Point{Target: filepath.Base(program), Set: Set{unix.SYS_MKDIRAT}, N: 3},
		)
		if err == nil && !got.Killed {
			err = fmt.Errorf("got %+v, want a kill", got)
		}
		var exit *exec.ExitError
		if end := <-ended; !errors.As(end, &exit) || exit.ExitCode() != 3 {
			err = errors.Join(err, errors.New("the other child ended with "+fmt.Sprint(end)+", want exit code 3"))
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
